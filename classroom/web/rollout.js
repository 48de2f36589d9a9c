// One rollout, move by move: the board with the chances of the next moves, and the features behind each of them.

import { drawBoard } from "./board.js";
import { el, percent, play } from "./player.js";

export function start(element, data) {
  const place = el("div");
  const table = el("div", { class: "pz-reasons", style: "font-size:0.88em;min-height:20em" });
  const board = drawBoard(place, { size: data.size });
  play(element, {
    title: data.title,
    count: data.steps.length,
    unit: "move",
    draw(stage, step) {
      if (!stage.firstChild) stage.append(el("div", { class: "pz-columns" }, column(place, "19rem"), column(table, "15rem")));
      const { rows, last, moves } = data.steps[step];
      board.update({
        size: data.size, rows, last,
        heat: { values: shares(moves), scale: "share", format: "percent", least: 0.01 },
        tips: Object.fromEntries(moves.map((move) => [move.point, tip(move)])),
      });
      table.replaceChildren(moves.length ? reasons(moves) : "The game is over: both sides passed.");
    },
    caption: (step) => data.steps[step].note,
  });
}

function column(child, least) {
  const made = el("div", {}, child);
  made.style.cssText = `flex:1 1 ${least};min-width:0`;
  return made;
}

function shares(moves) {
  return Object.fromEntries(moves.map((move) => [move.point, move.chance]));
}

function tip(move) {
  return move.reasons.map(([feature, weight]) => `${feature} ${signed(weight)}`).join("\n");
}

function signed(weight) {
  return `${weight < 0 ? "−" : "+"}${Math.abs(weight).toFixed(2)}`;
}

function reasons(moves) {
  const rows = moves.slice(0, 5).map((move) =>
    el("tr", { class: move.played ? "pz-played" : null },
      el("td", {}, move.played ? el("b", {}, move.point) : move.point),
      el("td", {}, percent(move.chance)),
      el("td", { class: "pz-why" }, move.reasons.slice(0, 2).map(([feature, weight]) => `${feature} ${signed(weight)}`).join(", "))));
  return el("table", {}, el("thead", {}, el("tr", {}, ...["move", "chance", "why"].map((name) => el("th", {}, name)))),
    el("tbody", {}, ...rows));
}
