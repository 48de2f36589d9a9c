// The maze while an agent learns it: episode by episode, or move by move within one episode.
//
// data: { next, route, routeAction, runs: [{ name, kind, printed, printedTable, episodes }] }
//   next[cell - 1][direction]   the cell after a step (0: outside, the same cell: a wall); directions are up, right, down, left
//   kind                        "q": values of Q-learning; "policy": probabilities in percent
//   episodes                    { actions: "0123...", changes: [value of the step's entry, ...], table: [16][4] }
//   printed                     grids of the slides by episode; printedTable: their table at the last episode

import { el, play, svg } from "./player.js";
import { pause, tabs } from "./tabs.js";

const SIDE = 4, CELL = 96, EDGE = 10, DOOR = 34;
const ARROWS = "↑→↓←";
const WALLED = [[0, 0, 1, 0], [1, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]]; // ends of each side of a cell, by direction

export function start(element, data) {
  addStyle();
  const state = { run: 0, byMove: false, episode: 1 };
  const frame = el("div");
  let player = null;

  function show(step) {
    const run = data.runs[state.run];
    const count = state.byMove ? run.episodes[state.episode - 1].actions.length + 1 : run.episodes.length + 1;
    pause(player);
    player = play(frame, {
      title: `${data.title}: ${run.name}${state.byMove ? `, episode ${state.episode}` : ""}`,
      count,
      unit: state.byMove ? "move" : "episode",
      speed: 4,
      first: Math.min(step, count - 1),
      draw: (stage, at) => draw(stage, data, run, moment(data, run, state, at)),
      caption: (at) => caption(run, state, at),
    });
  }
  function byMove(isByMove) {
    const step = player.step;
    if (isByMove) state.episode = Math.min(Math.max(state.byMove ? state.episode : step, 1), data.runs[state.run].episodes.length);
    const back = state.byMove && !isByMove;
    state.byMove = isByMove;
    number.value = state.episode;
    chosen.hidden = !isByMove;
    show(isByMove ? 0 : back ? state.episode : step);
  }
  const number = el("input", { type: "number", min: 1, max: data.runs[0].episodes.length, value: 1, class: "maze-episode", "aria-label": "episode",
    onchange: () => {
      state.episode = Math.min(Math.max(Math.round(Number(number.value)) || 1, 1), data.runs[state.run].episodes.length);
      number.value = state.episode;
      show(0);
    } });
  const chosen = el("label", { class: "maze-chosen", hidden: true }, "episode ", number);
  const runs = tabs("how it learns", data.runs.map((run) => run.name), (which) => {
    state.run = which;
    show(state.byMove ? 0 : player.step);
  });
  const grain = tabs("what a step is", ["step = episode", "step = move"], (which) => byMove(which === 1));
  element.replaceChildren(el("div", { class: "maze-choices" }, runs, grain, chosen), frame);
  show(data.first ?? 0);
}

// What is known at a step: the table, the episodes done, the way of the agent and its cell.
function moment(data, run, state, step) {
  const zero = run.kind === "q" ? 0 : 25;
  const before = (episode) => (episode > 0 ? run.episodes[episode - 1].table : data.next.map(() => [zero, zero, zero, zero]));
  if (!state.byMove) {
    const actions = step > 0 ? run.episodes[step - 1].actions : "";
    return { table: before(step), done: step, way: wayOf(data, actions), agent: step > 0 ? 0 : 1 };
  }
  const episode = run.episodes[state.episode - 1];
  const actions = episode.actions.slice(0, step);
  const way = wayOf(data, actions);
  let table = before(state.episode - 1).map((row) => [...row]);
  [...actions].forEach((action, at) => {
    if (episode.changes.length) table[way[at] - 1][Number(action)] = episode.changes[at];
  });
  const isOver = step === episode.actions.length;
  if (isOver) table = episode.table;
  return { table, done: state.episode - (isOver ? 0 : 1), way: way.slice(-40), agent: way.at(-1), last: actions.at(-1) };
}

function wayOf(data, actions) {
  const way = [1];
  for (const action of actions) way.push(data.next[way.at(-1) - 1][Number(action)]);
  return way;
}

function draw(stage, data, run, now) {
  stage.replaceChildren(el("div", { class: "pz-columns" }, maze(data, run, now), beside(data, run, now)));
}

const center = (cell) => [EDGE + CELL * ((cell - 1) % SIDE) + CELL / 2, EDGE + CELL * Math.floor((cell - 1) / SIDE) + CELL / 2];
const strength = (run, value) => Math.min(Math.max(run.kind === "q" ? value / 100 : (value - 25) / 75, 0), 1);
const shown = (run, value) => (run.kind === "q" ? (value >= 9.95 ? value.toFixed(0) : value.toFixed(value > 0.005 ? 1 : 0)) : `${value.toFixed(0)}%`);

function maze(data, run, now) {
  const size = SIDE * CELL + 2 * EDGE;
  const picture = svg("svg", { viewBox: `0 0 ${size + DOOR} ${size}`, class: "maze", role: "img", "aria-label": "the maze" });
  for (let cell = 1; cell <= SIDE * SIDE; cell++) {
    const [x, y] = center(cell);
    const values = now.table[cell - 1];
    const value = values[data.routeAction[cell - 1]];
    const tip = values.map((other, way) => `${ARROWS[way]} ${other.toFixed(1)}${run.kind === "q" ? "" : "%"}`).join("\n");
    const box = svg("g", { "data-cell": cell, "data-tip": `cell ${cell}\n${tip}` },
      svg("rect", { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL, class: "maze-cell" }),
      svg("rect", { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL, class: "maze-value", opacity: 0.55 * strength(run, value) }));
    values.forEach((other, way) => box.append(wedge(x, y, way, 0.12 + 0.88 * strength(run, other))));
    box.append(svg("text", { x: x - CELL / 2 + 7, y: y - CELL / 2 + 16, class: "maze-number" }, cell),
      svg("text", { x, y: y + 7, class: "maze-text" }, shown(run, value)));
    picture.append(box);
  }
  picture.append(svg("text", { x: size + 2, y: center(16)[1] + 6, class: "maze-number" }, "exit"));
  picture.append(trail(now.way), walls(data), ...agent(now));
  return picture;
}

function wedge(x, y, way, opacity) {
  const out = CELL / 2 - 7;
  return svg("path", { d: `M${-6} ${-out + 8}L0 ${-out}L6 ${-out + 8}z`, transform: `translate(${x} ${y}) rotate(${90 * way})`, class: "maze-wedge", opacity });
}

function walls(data) {
  let lines = "";
  data.next.forEach((row, place) => {
    const [x, y] = center(place + 1);
    row.forEach((after, way) => {
      if (after !== place + 1) return;
      const [x1, y1, x2, y2] = WALLED[way];
      const corner = [x - CELL / 2, y - CELL / 2];
      lines += `M${corner[0] + CELL * x1} ${corner[1] + CELL * y1}L${corner[0] + CELL * x2} ${corner[1] + CELL * y2}`;
    });
  });
  return svg("path", { d: lines, class: "maze-walls" });
}

function trail(way) {
  const seen = way.slice(-400);
  const points = seen.map((cell, number) => {
    const [x, y] = cell === 0 ? [center(16)[0] + CELL * 0.7, center(16)[1]] : center(cell);
    const shift = 5 * Math.sin(number * 2.4); // parts of a way that is walked twice stay apart
    return `${(x + shift).toFixed(1)},${(y + 20 + shift).toFixed(1)}`;
  });
  return svg("polyline", { points: points.join(" "), class: "maze-trail" });
}

function agent(now) {
  const [x, y] = now.agent === 0 ? [center(16)[0] + CELL * 0.72, center(16)[1] + 20] : [center(now.agent)[0], center(now.agent)[1] + 20];
  return [svg("circle", { cx: x, cy: y, r: 9, class: "maze-agent", "data-agent": now.agent })];
}

function beside(data, run, now) {
  const episodes = Object.keys(run.printed).map(Number);
  const compared = episodes.filter((episode) => episode <= Math.max(now.done, 1)).at(-1);
  const at = run.episodes[Math.min(compared, run.episodes.length) - 1];
  const ours = at.table.map((values, cell) => values[data.routeAction[cell]]);
  const sign = run.kind === "q" ? "" : "%";
  return el("div", { class: "maze-beside" },
    el("div", {}, el("div", { class: "maze-head" }, `printed, episode ${compared}`), grid(run, run.printed[compared], data.route, sign, "printed")),
    el("div", {}, el("div", { class: "maze-head" }, `this run, episode ${compared}`), grid(run, ours, data.route, sign, "ours")));
}

function grid(run, values, route, sign, name) {
  const rows = [0, 1, 2, 3].map((row) => el("tr", {}, ...values.slice(4 * row, 4 * row + 4).map((value, column) => {
    const cell = 4 * row + column + 1;
    const share = Math.round(70 * strength(run, value));
    return el("td", { class: route.includes(cell) ? "is-route" : null, style: `background:color-mix(in srgb, var(--pz-accent) ${share}%, var(--pz-fill))` }, `${Math.round(value)}${sign}`);
  })));
  return el("table", { class: "maze-grid", "data-grid": name }, el("tbody", {}, ...rows));
}

function caption(run, state, step) {
  if (!state.byMove) {
    if (step === 0) return run.kind === "q" ? "Before the first episode all values are 0." : "Before the first episode all moves are equally likely.";
    return `Episode ${step} took ${run.episodes[step - 1].actions.length.toLocaleString("en")} moves. In each cell: the value of the step towards the exit.`;
  }
  const actions = run.episodes[state.episode - 1].actions;
  if (step === 0) return `Episode ${state.episode} begins in cell 1. It will take ${actions.length.toLocaleString("en")} moves.`;
  const learns = run.kind === "q" ? "The value of this step changes at once." : step === actions.length ? "Now the policy changes." : "The policy changes at the end of the episode.";
  return `Move ${step}: ${ARROWS[Number(actions[step - 1])]}. ${learns}`;
}

const STYLE = `
.maze { flex:1 1 20rem; width:100%; max-width:440px; height:auto; }
.maze-cell { fill:var(--pz-fill); stroke:var(--pz-rule); stroke-width:1; }
.maze-value { fill:var(--pz-accent); pointer-events:none; }
.maze-wedge { fill:var(--pz-warm); pointer-events:none; }
.maze-number { font:12px system-ui,sans-serif; fill:var(--pz-faint); pointer-events:none; }
.maze-text { font:600 20px system-ui,sans-serif; fill:var(--pz-ink); text-anchor:middle; pointer-events:none; font-variant-numeric:tabular-nums; }
.maze-walls { stroke:var(--pz-ink); stroke-width:5; stroke-linecap:round; fill:none; pointer-events:none; }
.maze-trail { fill:none; stroke:var(--pz-good); stroke-width:1.8; opacity:0.45; stroke-linejoin:round; pointer-events:none; }
.maze-agent { fill:var(--pz-good); stroke:var(--pz-back); stroke-width:2; pointer-events:none; }
.maze-beside { flex:0 1 auto; display:flex; flex-direction:column; gap:0.9rem; }
.maze-head { color:var(--pz-faint); font-size:0.9em; margin-bottom:0.2rem; }
.pz .maze-grid td { width:3.1rem; text-align:center; border:1px solid var(--pz-rule); padding:0.25rem 0; }
.pz .maze-grid td.is-route { font-weight:700; }
.maze-choices { display:flex; flex-wrap:wrap; gap:0.1rem 1.4rem; align-items:center; }
.maze-chosen { font:14px system-ui,sans-serif; }
.maze-episode { width:4.5rem; font:inherit; padding:0.25rem; }
`;

function addStyle() {
  if (document.getElementById("maze-style")) return;
  const style = el("style", { id: "maze-style" });
  style.textContent = STYLE;
  document.head.append(style);
}
