// A network that learns a tiny board from nothing: its policy and its value of the empty board, version by version. The
// data are those of `classroom/zero_learning.py`.

import { el, percent, play } from "./player.js";
import { drawBoard } from "./board.js";

export function start(element, data) {
  addStyle();
  const place = el("div"), facts = el("div", { class: "pn-facts" });
  let board = null;
  play(element, {
    title: data.title, count: data.steps.length, unit: "version", speed: 2,
    draw(stage, at) {
      if (!stage.childElementCount) stage.append(el("div", { class: "pz-columns" }, el("div", { class: "pn-board" }, place), facts));
      const step = data.steps[at];
      const spec = boardOf(data, step);
      if (board) board.update(spec);
      else board = drawBoard(place, spec);
      facts.replaceChildren(
        bar("Black wins", 0.5 + 0.5 * step.value, percent(0.5 + 0.5 * step.value)),
        bar("probability of passing", step.chances.pass ?? 0, percent(step.chances.pass ?? 0, 1)),
        line("games of self-play", step.games.toLocaleString("en")),
        line("Elo above random play", step.elo === null ? "\u2013" : String(step.elo)),
        line("moves of a game", step.length === null ? "\u2013" : String(step.length)));
    },
    caption: (at) => told(data.steps[at]),
  });
}

function boardOf(data, step) {
  const values = Object.fromEntries(Object.entries(step.chances).filter(([point]) => point !== "pass"));
  return { size: data.size, rows: Array(data.size).fill(".".repeat(data.size)), heat: { values, scale: "share", format: "percent", legend: "policy of the first move" } };
}

function told(step) {
  if (!step.games) return "Before the first game: random weights know nothing.";
  const [best, chance] = Object.entries(step.chances).reduce((one, two) => (two[1] > one[1] ? two : one));
  return `After ${step.games.toLocaleString("en")} games the policy prefers ${best} (${percent(chance)}).`;
}

const bar = (name, share, text) => el("div", {}, el("span", {}, name), el("meter", { min: 0, max: 1, value: share }), el("b", {}, text));
const line = (name, text) => el("div", {}, el("span", {}, name), el("b", {}, text));

const STYLE = `
.pn-board { flex:1 1 12rem; max-width:17rem; min-width:11rem; }
.pn-facts { flex:1 1 17rem; display:flex; flex-direction:column; gap:0.5rem; }
.pn-facts div { display:flex; flex-wrap:wrap; gap:0.2rem 0.7rem; align-items:center; }
.pn-facts span { min-width:12em; color:var(--pz-faint); }
.pn-facts meter { width:8rem; height:1.1rem; }
.pn-facts b { font-variant-numeric:tabular-nums; }
`;

function addStyle() {
  if (document.getElementById("pn-style")) return;
  const style = el("style", { id: "pn-style" });
  style.textContent = STYLE;
  document.head.append(style);
}
