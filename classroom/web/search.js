// One simulation of the search at a time: its path, why each move was selected, and P, N, W, Q and u on the board.
// The data are those of `classroom/simulations.py`.

import { el, play } from "./player.js";
import { drawBoard } from "./board.js";

const NUMBERS = {
  P: { tip: "prior: what the policy says before any simulation", scale: "share", format: "percent", least: 0.005 },
  N: { tip: "visits", scale: "linear", format: "integer", least: 1 },
  W: { tip: "rollouts won minus rollouts lost", scale: "signed", format: "integer", least: 1 },
  Q: { tip: "mean value, from -1 (lost) to 1 (won)", scale: "signed", format: "number2", max: 1, tried: true },
  u: { tip: "exploration: large for likely moves with few visits", scale: "linear", format: "number2", least: 0.05 },
  "Q+u": { tip: "the largest one is selected next", scale: "linear", format: "number2", least: 0.05 },
};
const STAGES = [
  ["1  Select", "From the root down, follow the move with the largest Q + u."],
  ["2  Expand", "A move with enough visits gets a node of its own."],
  ["3  Evaluate", "Play a rollout from the leaf; ask the value network, if there is one."],
  ["4  Back up", "Add the outcome to all moves of the path."],
];
const ROWS = 6; // moves in the table
const other = (color) => (color === "black" ? "white" : "black");
const signed = (value, digits = 2) => (value > 0 ? "+" : value < 0 ? "\u2212" : "") + Math.abs(value).toFixed(digits);
const of = (name, move) => (name === "Q+u" ? move.Q + move.u : move[name]);
const selected = (moves) => moves.reduce((best, move) => (of("Q+u", move) > of("Q+u", best) ? move : best));

export function start(element, data) {
  addStyle();
  let chosen = null; // until the reader chooses: priors first, then visits
  const place = el("div");
  const told = el("div", { class: "ps-told" });
  const buttons = Object.entries(NUMBERS).map(([key, { tip }]) =>
    el("button", { type: "button", class: "ps-choice", "data-number": key, "data-tip": tip, onclick: () => choose(key) }, key));
  const choices = el("div", { class: "ps-choices", role: "group", "aria-label": "number on the board" }, ...buttons);
  let board = null;
  let player = null;

  function choose(key) {
    chosen = key;
    player.go(player.step);
  }

  function draw(stage, at) {
    if (!stage.childElementCount) {
      stage.append(el("div", { class: "pz-columns" }, el("div", { class: "ps-board" }, choices, place), told));
    }
    const step = data.steps[at], name = chosen ?? (step.what === "simulation" ? "N" : "P");
    for (const button of buttons) button.setAttribute("aria-pressed", button.dataset.number === name);
    const spec = boardOf(data, step, name);
    if (board) board.update(spec);
    else board = drawBoard(place, spec);
    told.replaceChildren(...story(data, step), rootTable(step));
  }

  player = play(element, {
    title: data.title, count: data.steps.length, unit: "step", speed: 1, draw,
    caption: (at) => caption(data, data.steps[at]),
  });
}

function boardOf(data, step, name) {
  const { scale, format, least, max, tried } = NUMBERS[name];
  const shown = step.root.filter((move) => move.move !== "pass" && (!tried || move.N > 0));
  const values = Object.fromEntries(shown.map((move) => [move.move, of(name, move)]));
  const tips = Object.fromEntries(shown.map((move) => [move.move,
    `P ${(100 * move.P).toFixed(1)}%   N ${move.N}   W ${signed(move.W, 0)}\nQ ${signed(move.Q)}   u ${move.u.toFixed(2)}   Q+u ${signed(of("Q+u", move))}` +
    (data.has_value ? `\nvalue network: N_v ${move.N_v}, W_v ${signed(move.W_v)}` : "")]));
  const path = (step.path ?? []).map((edge) => edge.move);
  const { rows, size, last, to_move: color } = data.board;
  const marks = {}, ghosts = {}, labels = {};
  if (path.length && path[0] !== "pass") marks[path[0]] = "ring";
  path.slice(1).forEach((move, i) => {
    if (move === "pass" || move in labels || move === path[0]) return;
    ghosts[move] = i % 2 === 0 ? other(color) : color;
    labels[move] = String(i + 2);
  });
  return { size, rows, last, marks, ghosts, labels, tips, heat: { values, scale, format, least, max } };
}

function story(data, step) {
  if (step.what !== "simulation") return STAGES.flatMap(([title, text]) => [el("h4", {}, title), el("p", {}, text)]);
  const color = data.board.to_move;
  const lines = step.path.map((edge, depth) => el("tr", {},
    el("td", {}, stone(depth % 2 === 0 ? color : other(color)), ` ${edge.move}`),
    el("td", {}, `${(100 * edge.P).toFixed(1)}%`), el("td", {}, String(edge.N)),
    el("td", {}, signed(edge.Q)), el("td", {}, edge.u.toFixed(2)), el("td", {}, el("b", {}, signed(of("Q+u", edge))))));
  const parts = [
    el("h4", {}, "1  Select"),
    el("table", {}, head("move", "P", "N", "Q", "u", "Q+u"), el("tbody", {}, ...lines)),
    el("h4", {}, "2  Expand"),
    el("p", {}, step.made_node
      ? `This move has more than ${data.n_thr} visits: its position becomes a node.`
      : "No new node this time."),
    el("h4", {}, "3  Evaluate"),
    el("p", {}, step.z === null ? "" : `The rollout ends with a ${step.z > 0 ? "win" : step.z < 0 ? "loss" : "draw"} for ${name(color)} (z = ${signed(step.z, 0)}). `,
      step.v !== null ? `The value network says ${signed(step.v)}.` : data.has_value ? "The value network has been asked about this leaf before." : ""),
    el("h4", {}, "4  Back up"),
    el("p", {}, backedUp(step)),
  ];
  return parts;
}

function backedUp(step) {
  const after = step.root.find((move) => move.move === step.path[0].move);
  const replies = step.path.length - 1;
  const deeper = replies === 0 ? "" : replies === 1 ? " The reply gets it too, with the sign of its player."
    : " The replies get it too, each with the sign of its player.";
  return `${after.move}: N ${step.path[0].N} \u2192 ${after.N}, W ${signed(step.path[0].W, 0)} \u2192 ${signed(after.W, 0)}, ` +
    `Q ${signed(step.path[0].Q)} \u2192 ${signed(after.Q)}.${deeper}`;
}

function rootTable(step) {
  const next = selected(step.root);
  const moves = [...step.root].sort((one, two) => two.N - one.N || two.P - one.P).slice(0, ROWS);
  if (!moves.includes(next)) moves.splice(-1, 1, next);
  return el("div", {}, el("h4", {}, "The root now"), el("table", { class: "ps-root" },
    head("move", "P", "N", "W", "Q", "u", "Q+u"),
    el("tbody", {}, ...moves.map((move) => el("tr", { class: move === next ? "ps-next" : null },
      el("td", {}, move.move), el("td", {}, `${(100 * move.P).toFixed(1)}%`), el("td", {}, String(move.N)),
      el("td", {}, signed(move.W, 0)), el("td", {}, move.N ? signed(move.Q) : "\u2013"),
      el("td", {}, move.u.toFixed(2)), el("td", {}, signed(of("Q+u", move))))))),
  el("p", { class: "ps-note" }, `Next: ${next.move}, which has the largest Q + u.`));
}

function caption(data, step) {
  if (step.what === "tree policy") return "A new node: priors come from the fast tree policy, so that nobody waits.";
  if (step.what === "policy network") return "The policy network has answered. Its priors replace those of the tree policy.";
  const line = step.path.map((edge) => edge.move).join(" ");
  return `Simulation ${step.number}: ${line}. The ring marks the move at the root; pale stones are the replies below it.`;
}

const name = (color) => (color === "black" ? "Black" : "White");
const stone = (color) => el("span", { class: `ps-stone ps-${color}`, role: "img", "aria-label": color });
const head = (...names) => el("thead", {}, el("tr", {}, ...names.map((text) => el("th", {}, text))));

const STYLE = `
.ps-board { flex:1 1 20rem; min-width:min(100%,17rem); max-width:30rem; }
.ps-told { flex:1 1 19rem; min-width:min(100%,17rem); min-height:33rem; overflow-x:auto; }
.ps-told h4 { margin:0.7rem 0 0.2rem; font-size:0.95em; }
.ps-told h4:first-child { margin-top:0; }
.ps-told p { margin:0.1rem 0; }
.ps-told table { font-size:0.9em; }
.ps-told td, .ps-told th { padding:0.12rem 0.45rem !important; }
.ps-choices { display:flex; flex-wrap:wrap; gap:0.3rem; margin-bottom:0.5rem; }
.ps-choice { min-width:2.6rem; height:2.2rem; font:inherit; font-style:italic; color:var(--pz-ink); background:var(--pz-fill);
  border:1px solid var(--pz-rule); border-radius:7px; cursor:pointer; }
.ps-choice[aria-pressed=true] { background:var(--pz-accent); border-color:var(--pz-accent); color:var(--pz-back); }
.ps-next td { color:var(--pz-accent); font-weight:600; }
.ps-note { color:var(--pz-faint); }
.ps-stone { display:inline-block; width:0.8em; height:0.8em; border-radius:50%; border:1px solid var(--pz-faint);
  vertical-align:-0.05em; }
.ps-black { background:#15130f; } .ps-white { background:#fbfaf7; }
`;

function addStyle() {
  if (document.getElementById("ps-style")) return;
  const style = el("style", { id: "ps-style" });
  style.textContent = STYLE;
  document.head.append(style);
}
