// The 17 planes of AlphaGo Zero, move by move: own and opponent's stones in the last eight positions, and the colour.
// The data are those of `classroom/zero_planes.py`.

import { el, play, svg } from "./player.js";
import { drawBoard } from "./board.js";

const CELL = 10;

export function start(element, data) {
  addStyle();
  const place = el("div"), grid = el("div", { class: "ph-grid" });
  let board = null;
  play(element, {
    title: data.title, count: data.steps.length, unit: "move", speed: 1, first: data.steps.length - 1,
    draw(stage, at) {
      if (!stage.childElementCount) stage.append(el("div", { class: "pz-columns" }, el("div", { class: "ph-board" }, place), grid));
      const step = data.steps[at];
      if (board) board.update(step.board);
      else board = drawBoard(place, step.board);
      grid.replaceChildren(...AGES.map((age) => el("div", { class: "ph-pair" },
        ...step.planes.map((plane, i) => (ageOf(i) === age ? el("figure", { class: "ph-plane", "data-plane": i, "data-tip": tip(i) },
          drawn(plane, data.size), el("figcaption", {}, name(i))) : null)).filter(Boolean))));
    },
    caption: (at) => `${data.steps[at].board.to_move === "black" ? "Black" : "White"} is to move, so X are ` +
      `${data.steps[at].board.to_move === "black" ? "black" : "white"} stones. With every move the planes change places and grow older.`,
  });
}

const COLOR = 16; // the last plane
const AGES = [0, 1, 2, 3, 4, 5, 6, 7, null]; // moves ago; none for the plane of the colour
const ageOf = (i) => (i === COLOR ? null : Math.floor(i / 2));
const name = (i) => (i === COLOR ? "C" : `${i % 2 ? "Y" : "X"}${i < 2 ? " now" : ` \u2212${ageOf(i)}`}`);
const tip = (i) => `plane ${i}: ` + (i === COLOR ? "1 everywhere if Black is to move" :
  `${i % 2 ? "opponent's" : "own"} stones ${i < 2 ? "now" : `${Math.floor(i / 2)} move${i < 4 ? "" : "s"} ago`}`);

function drawn(plane, size) {
  const cells = [...plane].map((bit, i) => (bit === "1" ? svg("rect", {
    x: (i % size) * CELL, y: Math.floor(i / size) * CELL, width: CELL - 1, height: CELL - 1, rx: 1.5, fill: "var(--pz-accent)",
  }) : null));
  return svg("svg", { viewBox: `-1 -1 ${size * CELL + 1} ${size * CELL + 1}`, role: "img", "aria-label": `${cells.filter(Boolean).length} ones` },
    svg("rect", { x: -1, y: -1, width: size * CELL + 1, height: size * CELL + 1, fill: "var(--pz-fill)" }), ...cells);
}

const STYLE = `
.ph-board { flex:1 1 15rem; max-width:20rem; min-width:min(100%,14rem); }
.ph-grid { flex:2 1 20rem; display:grid; grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr)); gap:0.7rem 1.1rem;
  min-width:min(100%,16rem); align-content:start; }
.ph-pair { display:grid; grid-template-columns:1fr 1fr; gap:0.35rem; }
.ph-plane { margin:0; text-align:center; }
.ph-plane svg { display:block; width:100%; border-radius:4px; }
.ph-plane figcaption { font-size:0.8em; color:var(--pz-faint); }
`;

function addStyle() {
  if (document.getElementById("ph-style")) return;
  const style = el("style", { id: "ph-style" });
  style.textContent = STYLE;
  document.head.append(style);
}
