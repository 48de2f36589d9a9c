// Threads at the same tree. Two views: two threads with and without virtual losses (`classroom/threads_trace.py`), and
// two threads that add to one number (`classroom/lost_update.py`).

import { el, play } from "./player.js";
import { drawBoard } from "./board.js";

const other = (color) => (color === "black" ? "white" : "black");
const signed = (value) => (value > 0 ? "+" : value < 0 ? "\u2212" : "") + Math.abs(value);

export function start(element, data) {
  addStyle();
  if (data.view === "lost update") lostUpdate(element, data);
  else virtualLoss(element, data);
}

// Two threads, with and without virtual losses.

function virtualLoss(element, data) {
  const places = data.runs.map(() => el("div"));
  const states = data.runs.map(() => el("div", { class: "pt-state" }));
  const boards = [];
  play(element, {
    title: data.title, count: data.runs[0].steps.length, unit: "step", speed: 1,
    draw(stage, at) {
      if (!stage.childElementCount) {
        stage.append(el("div", { class: "pz-columns" }, ...data.runs.map((run, i) =>
          el("div", { class: "pt-run", "data-nvl": run.n_vl },
            el("div", { class: "pt-name" }, run.n_vl ? `With virtual loss, n_vl = ${run.n_vl}` : "Without virtual loss, n_vl = 0"),
            places[i], states[i]))));
      }
      data.runs.forEach((run, i) => {
        const spec = boardOf(run, at);
        if (boards[i]) boards[i].update(spec);
        else boards[i] = drawBoard(places[i], spec);
        states[i].replaceChildren(...stateOf(run, at));
      });
    },
    caption: (at) => told(data.runs[0].steps[at]),
  });
}

function boardOf(run, at) {
  const step = run.steps[at], color = run.board.to_move, labels = {}, ghosts = {}, marks = {};
  for (const [thread, path] of Object.entries(step.paths)) {
    path.forEach((move, depth) => {
      if (move === "pass") return;
      const text = `${thread}${depth + 1}`;
      labels[move] = labels[move] && labels[move] !== text ? (labels[move][0] === thread ? labels[move] : `AB${depth + 1}`) : text;
      ghosts[move] ??= depth % 2 === 0 ? color : other(color);
      if (depth === path.length - 1) marks[move] = "ring";
    });
  }
  const tried = step.root.filter((move) => move.N > 0 && move.move !== "pass");
  const values = Object.fromEntries(tried.map((move) => [move.move, move.N]));
  const tips = Object.fromEntries(tried.map((move) => [move.move, `N ${move.N}   W ${signed(move.W)}   Q ${move.Q.toFixed(2)}`]));
  const { rows, size, last } = run.board;
  return { size, rows, last, labels, ghosts, marks, tips, heat: { values, scale: "share", max: run.most, format: "integer" } };
}

function stateOf(run, at) {
  const step = run.steps[at], before = run.steps[Math.max(at - 1, 0)];
  const lines = ["A", "B"].map((thread) => {
    const path = step.paths[thread];
    const ended = step.what === "finish" && step.thread === thread;
    const text = path ? path.join(" ") : ended ? `${before.paths[thread].join(" ")}: ${step.z > 0 ? "won" : "lost"}` : "waits";
    return el("tr", {}, el("th", {}, `Thread ${thread}`), el("td", {}, text), el("td", {}, path ? edgeText(step, path[0]) : ""));
  });
  const pairs = run.steps.slice(0, at + 1).filter((one) => Object.keys(one.paths).length === 2);
  const same = pairs.filter((one) => one.paths.A.join() === one.paths.B.join()).length;
  return [el("table", {}, el("tbody", {}, ...lines)),
    el("p", { class: "pt-same" }, `Same leaf so far: ${same} of ${pairs.length} times.`)];
}

function edgeText(step, move) {
  const found = step.root.find((one) => one.move === move);
  return found ? `${move}: N ${found.N}, W ${signed(found.W)}` : "";
}

function told(step) {
  if (step.what === "begin") return "Numbers are visits N, virtual losses included. Step forward: thread A selects.";
  if (step.what === "select" && step.thread === "A") return "Thread A goes down the tree and starts a rollout at its leaf (ring).";
  if (step.what === "select") return "Thread B selects while the rollout of A is still running. Does it find another leaf?";
  return `Thread ${step.thread} backs up its outcome and takes back its virtual losses.`;
}

// A lost update.

function lostUpdate(element, data) {
  const orders = Object.keys(data.orders);
  const first = orders.find((order) => order === "ABABAB") ?? orders[0];
  const name = (order) => (order === "atomic" ? "atomic addition" : `order ${order}`);
  let order = first, player = null;
  const select = el("select", { class: "pz-speed", "aria-label": "order of the steps", onchange: () => begin(select.value) },
    ...["atomic", ...orders].map((one) => el("option", { value: one, selected: one === first }, name(one))));
  const place = el("div");
  element.replaceChildren(place);

  function begin(chosen) {
    order = chosen;
    const steps = order === "atomic" ? data.atomic : data.orders[order];
    const panel = el("div");
    player = play(place, {
      title: data.title, count: steps.length + 1, unit: "step", speed: 1,
      draw(stage, at) {
        if (!stage.childElementCount) stage.append(el("label", { class: "pt-choice" }, "Two threads add 1: ", select), panel);
        panel.replaceChildren(...lanes(data, steps, at));
      },
      caption: (at) => explained(data, steps, at),
    });
    player.root.dataset.order = order;
  }
  begin(first);
}

const DOES = {
  load: (step) => `n is ${step[step.thread]}`, add: (step) => `${step[step.thread] - 1} + 1 = ${step[step.thread]}`,
  store: (step) => `n becomes ${step.memory}`, "atomic add": (step) => `n becomes ${step.memory}`,
};

function lanes(data, steps, at) {
  const memory = at ? steps[at - 1].memory : data.start;
  const lane = (thread) => el("div", { class: "pt-lane" }, el("div", { class: "pt-thread" }, `Thread ${thread}`),
    el("div", { class: "pt-chips" }, ...steps.map((step, i) => {
      if (step.thread !== thread) return el("span", { class: "pt-chip pt-gap" });
      const state = i === at - 1 ? "pt-now" : i < at ? "pt-done" : "pt-later";
      return el("span", { class: `pt-chip ${state}`, "data-tip": DOES[step.what](step) },
        el("b", {}, step.what), i < at ? el("small", {}, DOES[step.what](step)) : null);
    })));
  const done = at === steps.length, lost = data.start + 2 - memory;
  return [lane("A"),
    el("div", { class: "pt-memory" }, "memory: n = ", el("output", { class: `pt-n${done ? (lost ? " pt-bad" : " pt-good") : ""}` }, String(memory))),
    lane("B")];
}

function explained(data, steps, at) {
  if (at === 0) return `n is ${data.start}. Both threads add 1, so it should become ${data.start + 2}.`;
  const step = steps[at - 1];
  if (at < steps.length) return `Thread ${step.thread}: ${step.what}, ${DOES[step.what](step)}.`;
  const lost = data.start + 2 - step.memory;
  return lost ? `n is ${step.memory} and should be ${data.start + 2}: one addition is lost.` : `n is ${step.memory}, as it should be.`;
}

const STYLE = `
.pt-run { flex:1 1 18rem; min-width:min(100%,16rem); max-width:27rem; }
.pt-name { font-weight:600; margin-bottom:0.3rem; }
.pt-state { margin-top:0.4rem; min-height:8rem; overflow-x:auto; }
.pt-state th { white-space:nowrap; }
.pt-same { margin:0.3rem 0 0; color:var(--pz-faint); }
.pt-choice { display:block; margin-bottom:0.7rem; }
.pt-lane { display:flex; flex-wrap:wrap; gap:0.3rem 0.6rem; align-items:center; }
.pt-thread { font-weight:600; min-width:5em; }
.pt-chips { display:flex; gap:0.3rem; flex:1 1 18rem; }
.pt-chip { flex:1 1 0; min-width:0; min-height:3.1rem; display:flex; flex-direction:column; justify-content:center; align-items:center;
  text-align:center; border:1px solid var(--pz-rule); border-radius:7px; padding:0.1rem; line-height:1.2; overflow:hidden; }
.pt-chip b { font-weight:600; font-size:0.9em; } .pt-chip small { font-size:0.72em; }
.pt-gap { border-color:transparent; }
.pt-later { opacity:0.45; }
.pt-done { background:var(--pz-fill); }
.pt-now { background:var(--pz-accent); border-color:var(--pz-accent); color:var(--pz-back); }
.pt-memory { margin:0.6rem 0; text-align:center; font-size:1.1em; }
.pt-n { display:inline-block; min-width:2.2em; padding:0.15rem 0.5rem; border:2px solid var(--pz-rule); border-radius:8px; font-weight:700;
  font-variant-numeric:tabular-nums; }
.pt-bad { border-color:var(--pz-bad); color:var(--pz-bad); } .pt-good { border-color:var(--pz-good); color:var(--pz-good); }
`;

function addStyle() {
  if (document.getElementById("pt-style")) return;
  const style = el("style", { id: "pt-style" });
  style.textContent = STYLE;
  document.head.append(style);
}
