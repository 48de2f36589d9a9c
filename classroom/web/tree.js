// Trees of a game: minimax and alpha-beta on a tree to edit, and trees that a Monte Carlo search grows.
//
// data.mode "edit": { trees: [{ name, tree }] }, a tree being a number (a leaf's value for black) or a list of trees.
//   The search is done here, again after every change. classroom/game_trees.py does the same; the tests compare both.
// data.mode "grow": { nodes: [{ name, parent, mover, rows }], frames: [{ title, text, path, stats, bounds, winner }], size }
//   stats are wins and visits by node, of those that changed in the frame. A node appears with its first visit.

import { drawBoard } from "./board.js";
import { el, play, svg } from "./player.js";
import { pause, tabs } from "./tabs.js";

export function start(element, data) {
  addStyle();
  (data.mode === "edit" ? startEditing : startGrowing)(element, data);
}

// ---- minimax and alpha-beta ----

export const childName = (name, number) => (name === "" ? String(number) : `${name}.${number}`);

export function search(tree, prunes) {
  const leaves = [], cut = [], steps = [];
  function visit(node, name, isBlack, alpha, beta) {
    if (!Array.isArray(node)) {
      leaves.push(name);
      steps.push({ at: name, do: "leaf", value: node });
      return [node, name];
    }
    steps.push({ at: name, do: "enter", alpha, beta });
    let best = isBlack ? -Infinity : Infinity;
    let line = "";
    for (let number = 0; number < node.length; number++) {
      const [value, way] = visit(node[number], childName(name, number), !isBlack, alpha, beta);
      if (isBlack ? value > best : value < best) [best, line] = [value, way];
      if (isBlack) alpha = Math.max(alpha, best);
      else beta = Math.min(beta, best);
      steps.push({ at: name, do: "update", value: best, alpha, beta });
      const rest = node.map((_, later) => childName(name, later)).slice(number + 1);
      if (prunes && alpha >= beta && rest.length) {
        cut.push(...rest);
        steps.push({ at: name, do: "cut", value: best, alpha, beta, cut: rest });
        break;
      }
    }
    return [best, line];
  }
  const [value, line] = visit(tree, "", true, -Infinity, Infinity);
  return { value, leaves, cut, line, steps };
}

export function bestFirst(tree, isBlack = true) {
  if (!Array.isArray(tree)) return tree;
  const worth = (node, black) => (Array.isArray(node) ? (black ? Math.max : Math.min)(...node.map((child) => worth(child, !black))) : node);
  const ordered = tree.map((child) => bestFirst(child, !isBlack));
  return ordered.sort((a, b) => (isBlack ? 1 : -1) * (worth(b, !isBlack) - worth(a, !isBlack)));
}

const copied = (tree) => (Array.isArray(tree) ? tree.map(copied) : tree);
const countLeaves = (tree) => (Array.isArray(tree) ? tree.reduce((sum, child) => sum + countLeaves(child), 0) : 1);
const parts = (name) => (name === "" ? [] : name.split(".").map(Number));

function at(tree, name) {
  return parts(name).reduce((node, number) => node?.[number], tree);
}

function replaced(tree, name, made) {
  if (name === "") return made;
  const [first, ...rest] = parts(name);
  return tree.map((child, number) => (number === first ? replaced(child, rest.join("."), made) : child));
}

const MOST_LEAVES = 32;

function startEditing(element, data) {
  const state = { which: 0, prunes: true, trees: data.trees.map((given) => copied(given.tree)), selected: "" };
  const frame = el("div");
  let player = null;
  const tree = () => state.trees[state.which];

  function show(step = Infinity) {
    const found = search(tree(), state.prunes);
    pause(player);
    player = play(frame, {
      title: `${data.title}: ${state.prunes ? "alpha-beta" : "minimax"}`,
      count: found.steps.length + 1,
      unit: "step",
      first: Math.min(step, found.steps.length),
      draw(stage, now) {
        const scroll = el("div", { class: "tree-scroll" }, picture(found, now));
        stage.replaceChildren(scroll, summary(found, now));
        allowSwipes(scroll);
      },
      caption: (now) => sentence(found, now),
    });
    buttons();
  }
  function change(made) {
    if (countLeaves(made) > MOST_LEAVES) return;
    state.trees[state.which] = made;
    show();
  }
  function select(name) {
    state.selected = name;
    show(player.step);
    if (!Array.isArray(at(tree(), name))) number.select();
  }
  function buttons() {
    const node = at(tree(), state.selected);
    const isLeaf = !Array.isArray(node);
    number.disabled = !isLeaf;
    number.value = isLeaf ? node : "";
    add.textContent = isLeaf ? "split the leaf" : "add a move";
    add.disabled = countLeaves(tree()) >= MOST_LEAVES;
    remove.disabled = state.selected === "";
  }
  const button = (name, text, action) => el("button", { type: "button", class: "tree-button", "data-edit": name, onclick: action }, text);
  const number = el("input", { type: "number", class: "tree-number", "aria-label": "value of the selected leaf",
    oninput: () => number.value !== "" && Number.isFinite(Number(number.value)) && change(replaced(tree(), state.selected, Number(number.value))) });
  const add = button("add", "add a move", () => {
    const node = at(tree(), state.selected);
    change(replaced(tree(), state.selected, Array.isArray(node) ? [...node, 5] : [node, 5]));
  });
  const remove = button("remove", "remove", () => {
    const way = parts(state.selected);
    const above = way.slice(0, -1).join(".");
    const left = at(tree(), above).filter((_, place) => place !== way.at(-1));
    state.selected = above;
    change(replaced(tree(), above, left.length ? left : 5));
  });
  const random = (node) => (Array.isArray(node) ? node.map(random) : 1 + Math.floor(Math.random() * 20));
  const row = el("div", { class: "tree-tools" },
    el("label", {}, "selected leaf ", number), add, remove,
    button("random", "random values", () => change(random(tree()))),
    button("order", "best move first", () => change(bestFirst(tree()))),
    button("reset", "as it was", () => { state.selected = ""; change(copied(data.trees[state.which].tree)); }));
  const which = tabs("which tree", data.trees.map((given) => given.name), (chosen) => { state.which = chosen; state.selected = ""; show(); });
  const how = tabs("which search", ["alpha-beta", "minimax"], (chosen) => { state.prunes = chosen === 0; show(); });
  element.replaceChildren(el("div", { class: "tree-choices" }, data.trees.length > 1 ? which : "", how), row, frame);

  function picture(found, now) {
    const known = knownAt(found, now);
    const nodes = listed(tree());
    const { places, width, height } = layout(nodes, 58, 88, false);
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "tree", style: `min-width:${Math.min(width, 900) * 0.62}px;max-width:${Math.max(width, 320) * 1.2}px`, role: "img", "aria-label": "the tree" });
    for (const node of nodes) {
      if (node.parent === null) continue;
      const [x, y] = places.get(node.id), [px, py] = places.get(node.parent);
      const isCut = known.cut.has(node.id) || [...known.cut].some((name) => node.id.startsWith(`${name}.`));
      const isLine = now === found.steps.length && (found.line === node.id || found.line.startsWith(`${node.id}.`));
      drawing.append(svg("line", { x1: px, y1: py, x2: x, y2: y, class: `tree-edge${isCut ? " is-cut" : ""}${isLine ? " is-line" : ""}` }));
      if (known.cut.has(node.id)) drawing.append(svg("path", { d: `M${(px + x) / 2 - 8} ${(py + y) / 2 + 4}l12 -10m-6 14l12 -10`, class: "tree-slash" }));
    }
    for (const node of nodes) drawing.append(drawNode(node, places.get(node.id), known));
    return drawing;
  }
  function drawNode(node, [x, y], known) {
    const isLeaf = !Array.isArray(node.tree);
    const isBlack = parts(node.id).length % 2 === 0;
    const value = known.values.get(node.id);
    const isCut = [...known.cut].some((name) => node.id === name || node.id.startsWith(`${name}.`));
    const group = svg("g", { class: `tree-node${isCut ? " is-cut" : ""}${known.now === node.id ? " is-now" : ""}${state.selected === node.id ? " is-selected" : ""}`,
      "data-node": node.id || "root", tabindex: 0, role: "button", onclick: () => select(node.id),
      onkeydown: (event) => event.key === "Enter" && select(node.id),
      "data-tip": isLeaf ? `leaf: ${node.tree} for black\nclick to change` : `${isBlack ? "black moves: the largest" : "white moves: the smallest"}${known.windows.has(node.id) ? `\n${known.windows.get(node.id)}` : ""}` });
    if (isLeaf) group.append(svg("rect", { x: x - 19, y: y - 16, width: 38, height: 32, rx: 6, class: `tree-leaf${value === undefined ? "" : " is-seen"}` }));
    else group.append(svg("circle", { cx: x, cy: y, r: 20, class: isBlack ? "tree-black" : "tree-white" }));
    const text = isLeaf ? node.tree : value === undefined || !Number.isFinite(value) ? "" : value;
    group.append(svg("text", { x, y: y + 6, class: isLeaf ? "tree-text" : isBlack ? "tree-text on-black" : "tree-text on-white", "data-value": node.id || "root" }, text));
    if (known.now === node.id && known.windows.has(node.id)) group.append(svg("text", { x: x + 24, y: y - 14, class: "tree-window" }, known.windows.get(node.id)));
    return group;
  }
  function summary(found, now) {
    const seen = found.steps.slice(0, now).filter((step) => step.do === "leaf").length;
    return el("div", { class: "tree-summary", "data-seen": seen, "data-leaves": countLeaves(tree()), "data-root": found.value },
      `${seen} of ${countLeaves(tree())} leaves looked at. `, now === found.steps.length ? `The root is worth ${found.value}.` : "");
  }
  show();
}

const limit = (value) => (value === Infinity ? "∞" : value === -Infinity ? "-∞" : String(value));
const windowText = (step) => `α ${limit(step.alpha)}, β ${limit(step.beta)}`;

function knownAt(found, now) {
  const values = new Map(), windows = new Map(), cut = new Set();
  for (const step of found.steps.slice(0, now)) {
    if (step.value !== undefined) values.set(step.at, step.value);
    if (step.alpha !== undefined) windows.set(step.at, windowText(step));
    for (const name of step.cut ?? []) cut.add(name);
  }
  return { values, windows, cut, now: now > 0 && now < found.steps.length ? found.steps[now - 1].at : null };
}

function sentence(found, now) {
  if (now === 0) return "Black moves in dark nodes and takes the largest value, white in light ones and takes the smallest.";
  if (now === found.steps.length) return `Done: ${found.leaves.length} leaves looked at, ${found.cut.length} moves cut off. Click a leaf to change its value.`;
  const step = found.steps[now - 1];
  const who = parts(step.at).length % 2 === 0 ? "Black" : "White";
  if (step.do === "leaf") return `A leaf, worth ${step.value} to black.`;
  if (step.do === "enter") return `${who} to move. Black is sure of ${limit(step.alpha)} elsewhere, white of ${limit(step.beta)}.`;
  if (step.do === "update") return `${who} has ${step.value} here so far. ${windowText(step)}.`;
  return `${who} has ${step.value} here, and the other side already has something as good elsewhere (${windowText(step)}): the rest does not matter.`;
}

// A finger scrolls a tree that is too wide for the page, and steps where there is nothing to scroll.
function allowSwipes(scroll) {
  if (scroll.scrollWidth <= scroll.clientWidth + 1) scroll.style.touchAction = "pan-y";
}

// ---- layout ----

function listed(tree) {
  const nodes = [];
  (function add(node, id, parent) {
    nodes.push({ id, parent, tree: node });
    if (Array.isArray(node)) node.forEach((child, number) => add(child, childName(id, number), id));
  })(tree, "", null);
  return nodes;
}

const MARGIN = 36; // beside a tree that grows downwards, for numbers beside its nodes

// Places of nodes: leaves side by side, parents in the middle of their children; depth downwards, or to the right.
function layout(nodes, gap, level, isSideways) {
  const children = new Map(nodes.map((node) => [node.id, []]));
  for (const node of nodes) if (node.parent !== null) children.get(node.parent).push(node.id);
  const across = new Map(), deep = new Map();
  let next = 0, deepest = 0;
  (function place(id, depth) {
    deep.set(id, depth);
    deepest = Math.max(deepest, depth);
    const below = children.get(id);
    for (const child of below) place(child, depth + 1);
    across.set(id, below.length ? (across.get(below[0]) + across.get(below.at(-1))) / 2 : next++);
  })(nodes.find((node) => node.parent === null).id, 0);
  const long = Math.max(next, 1) * gap, far = deepest * level + 60;
  const places = new Map(nodes.map((node) => {
    const a = (across.get(node.id) + 0.5) * gap, d = deep.get(node.id) * level + 30;
    return [node.id, isSideways ? [d, a] : [a + MARGIN, d]];
  }));
  return isSideways ? { places, width: far + 70, height: long } : { places, width: long + 2 * MARGIN, height: far };
}

// ---- growing trees ----

function startGrowing(element, data) {
  const nodes = data.nodes.map((node, id) => ({ ...node, id }));
  const isSideways = nodes.length > 16;
  const { places, width, height } = isSideways ? layout(nodes, 30, 105, true) : layout(nodes, 110, 105, false);
  const panel = el("div", { class: "tree-board" });
  let board = null, pinned = null, player = null;

  play(element, {
    title: data.title,
    count: data.frames.length,
    unit: data.unit ?? "step",
    first: data.first ?? 0,
    draw(stage, step, current) {
      player = current;
      const picture = grown(step);
      const scroll = el("div", { class: "tree-scroll" }, picture);
      stage.replaceChildren(data.size ? el("div", { class: "pz-columns tree-columns" }, scroll, panel) : scroll);
      allowSwipes(scroll);
      if (data.size) showBoard(pinned ?? data.frames[step].path.at(-1));
    },
    caption: (step) => el("span", {}, el("b", {}, `${data.frames[step].title}. `), data.frames[step].text),
  });

  function statsAt(step) {
    const stats = new Map();
    for (const frame of data.frames.slice(0, step + 1)) {
      for (const [node, pair] of Object.entries(frame.stats)) stats.set(Number(node), pair);
    }
    return stats;
  }
  function grown(step) {
    const frame = data.frames[step], stats = statsAt(step);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "tree", style: isSideways ? `min-width:${width * 0.8}px;max-width:${width * 1.25}px` : `max-width:${width * 1.5}px`, role: "img", "aria-label": "the search tree" });
    const visible = nodes.filter((node) => node.parent === null || stats.has(node.id) || frame.path.includes(node.id));
    const most = Math.max(1, ...visible.map((node) => stats.get(node.id)?.[1] ?? 0));
    for (const node of visible) {
      if (node.parent === null) continue;
      const [x, y] = places.get(node.id), [px, py] = places.get(node.parent);
      picture.append(svg("line", { x1: px, y1: py, x2: x, y2: y, class: `tree-edge${frame.path.includes(node.id) ? " is-line" : ""}` }));
    }
    for (const node of visible) picture.append(grownNode(node, stats.get(node.id) ?? [0, 0], most, frame));
    return picture;
  }
  function grownNode(node, [wins, visits], most, frame) {
    const [x, y] = places.get(node.id);
    const radius = isSideways ? 6 + 8 * Math.sqrt(visits / most) : 22;
    const rate = visits ? wins / visits : 0;
    const bound = frame.bounds?.[node.id];
    const isPath = frame.path.includes(node.id);
    const group = svg("g", { class: `tree-node${isPath ? " is-path" : ""}`, "data-node": node.id, "data-visits": visits, tabindex: 0, role: "button",
      onclick: () => { pinned = pinned === node.id ? null : node.id; player.go(player.step); },
      "data-tip": `${node.parent === null ? "root" : `${node.mover} ${node.name}`}\n${number(wins)} of ${number(visits)} won by ${node.mover}${visits ? `, ${Math.round(100 * rate)}%` : ""}${bound === undefined ? "" : `\nbound ${bound.toFixed(3)}`}` });
    group.append(svg("circle", { cx: x, cy: y, r: radius, class: node.mover === "black" ? "tree-black" : "tree-white" }));
    if (isSideways) {
      const text = node.parent === null ? `${number(visits)}` : `${node.name} ${number(wins)}/${number(visits)}`;
      group.append(svg("text", { x: x + radius + 4, y: y + 4, class: "tree-small" }, text));
    } else {
      group.append(svg("text", { x, y: y + 5, class: `tree-text ${node.mover === "black" ? "on-black" : "on-white"}` }, node.name));
      group.append(svg("text", { x: x + 27, y: y - 4, class: "tree-small" }, visits ? `${number(wins)}/${number(visits)}` : ""));
      if (bound !== undefined) group.append(svg("text", { x: x + 27, y: y + 13, class: "tree-bound" }, bound.toFixed(2)));
    }
    return group;
  }
  function showBoard(id) {
    const node = nodes[id];
    const spec = { size: data.size, rows: node.rows, caption: node.parent === null ? "the position at the root" : `after ${node.mover} ${node.name}` };
    if (node.parent !== null && node.name !== "pass") spec.last = node.name;
    if (board) board.update(spec);
    else board = drawBoard(panel, spec);
  }
}

const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1));

const STYLE = `
.tree { display:block; width:100%; height:auto; margin:0 auto; }
.tree-scroll { overflow-x:auto; flex:1 1 22rem; min-width:0; }
.tree-edge { stroke:var(--pz-rule); stroke-width:2.5; }
.tree-edge.is-line { stroke:var(--pz-warm); stroke-width:4; }
.tree-edge.is-cut { stroke-dasharray:4 5; opacity:0.6; }
.tree-slash { stroke:var(--pz-bad); stroke-width:2.5; fill:none; }
.tree-node { cursor:pointer; outline:none; }
.tree-node.is-cut { opacity:0.4; }
.tree-black { fill:#22262b; stroke:#8a919c; stroke-width:1.5; }
.tree-white { fill:#f6f4ee; stroke:#8a919c; stroke-width:1.5; }
.tree-leaf { fill:var(--pz-fill); stroke:var(--pz-rule); stroke-width:1.5; }
.tree-leaf.is-seen { stroke:var(--pz-accent); stroke-width:2.5; }
.tree-node.is-now circle, .tree-node.is-now rect, .tree-node.is-path circle { stroke:var(--pz-warm); stroke-width:4; }
.tree-node.is-selected circle, .tree-node.is-selected rect, .tree-node:focus-visible circle, .tree-node:focus-visible rect { stroke:var(--pz-accent); stroke-width:4; }
.tree-text { font:600 16px system-ui,sans-serif; text-anchor:middle; fill:var(--pz-ink); pointer-events:none; }
.tree-text.on-black { fill:#ffffff; }
.tree-text.on-white { fill:#22262b; }
.tree-small { font:13px system-ui,sans-serif; fill:var(--pz-ink); paint-order:stroke; stroke:var(--pz-back); stroke-width:3; pointer-events:none; }
.tree-bound { font:600 14px system-ui,sans-serif; fill:var(--pz-warm); paint-order:stroke; stroke:var(--pz-back); stroke-width:3; pointer-events:none; }
.tree-window { font:13px system-ui,sans-serif; fill:var(--pz-warm); paint-order:stroke; stroke:var(--pz-back); stroke-width:3; pointer-events:none; }
.tree-summary { margin-top:0.3rem; font-weight:600; }
.tree-choices { display:flex; flex-wrap:wrap; gap:0 1.4rem; }
.tree-tools { display:flex; flex-wrap:wrap; gap:0.4rem; align-items:center; margin:0.2rem 0; font:14px system-ui,sans-serif; }
.tree-button { font:inherit; min-height:2.1rem; padding:0.3rem 0.7rem; border:1px solid #8a919c; border-radius:7px; background:transparent; color:inherit; cursor:pointer; }
.tree-button:disabled { opacity:0.4; cursor:default; }
.tree-number { width:4.5rem; font:inherit; padding:0.3rem; }
.tree-board { flex:0 0 15rem; max-width:15rem; }
.tree-columns { flex-wrap:wrap; }
`;

function addStyle() {
  if (document.getElementById("tree-style")) return;
  const style = el("style", { id: "tree-style" });
  style.textContent = STYLE;
  document.head.append(style);
}
