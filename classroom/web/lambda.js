// Lambda as a slider: Q mixed of rollouts and value network, above the six boards of Figure 5. The data are those of
// `classroom/mixing.py`.

import { el, percent, play } from "./player.js";
import { drawBoard } from "./board.js";

const ROWS = 6; // moves in the table
const FAINT = 0.05; // of the most visited move's visits, as in `apv_mcts.player`

export function start(element, data) {
  addStyle();
  let lambda = 0.5;
  const slider = el("input", {
    type: "range", min: 0, max: 1, step: 0.05, value: lambda, class: "pl-slider", "aria-label": "lambda",
    oninput: () => show(Number(slider.value)),
  });
  const number = el("output", { class: "pl-number" });
  const best = el("p", { class: "pl-best", "aria-live": "polite" });
  const large = el("div"), ranking = el("div", { class: "pl-ranking" });
  const titles = {
    a: "a  Value network after each move", b: "b  Q by the value network (\u03bb = 0)", c: "c  Q by rollouts (\u03bb = 1)",
    d: "d  Priors: policy network", e: "e  Share of the simulations", f: "f  Expected continuation",
  };
  const small = Object.fromEntries(Object.keys(titles).map((letter) => [letter, el("div", { "data-board": letter })]));
  const boards = {};

  const player = play(element, {
    title: data.title, count: 1,
    draw(stage) {
      stage.append(
        el("div", { class: "pz-columns" },
          el("div", { class: "pl-large" }, large),
          el("div", { class: "pl-side" },
            el("label", { class: "pl-label" }, "\u03bb = ", number, slider),
            el("div", { class: "pl-ends" }, el("span", {}, "value network only"), el("span", {}, "rollouts only")), best, ranking)),
        el("div", { class: "pl-grid" }, ...Object.values(small)));
    },
  });

  function put(key, place, spec) {
    if (boards[key]) boards[key].update(spec);
    else boards[key] = drawBoard(place, spec);
  }

  function show(value) {
    lambda = value;
    number.textContent = lambda.toFixed(2);
    player.root.dataset.lambda = lambda.toFixed(2);
    const search = data.searches.reduce((near, one) => (distance(one) < distance(near) ? one : near));
    const total = search.moves.reduce((sum, move) => sum + move.N, 0), most = Math.max(...search.moves.map((move) => move.N));
    const faint = search.moves.filter((move) => move.N < FAINT * most && move.move !== "pass").map((move) => move.move);
    const on = (pick, more) => ({ ...data.board, heat: { values: valuesOf(search.moves, pick), faint, ...more } });
    const mixed = (move) => mixOf(move, lambda);
    put("large", large, { ...on(mixed, WIN), title: `Q = (1 \u2212 \u03bb) Q_v + \u03bb Q_r, winning chance in percent` });
    put("a", small.a, { ...on((move) => move.v, { ...WIN, faint: [] }), title: titles.a, coordinates: false });
    put("b", small.b, { ...on((move) => move.Q_v, WIN), title: titles.b, coordinates: false });
    put("c", small.c, { ...on((move) => move.Q_r, WIN), title: titles.c, coordinates: false });
    put("d", small.d, { ...on((move) => move.P, { ...SHARE, faint: [] }), title: titles.d, coordinates: false });
    put("e", small.e, { ...on((move) => move.N / total, { ...SHARE, faint: [] }), title: titles.e, coordinates: false });
    put("f", small.f, { ...line(data.board, search.variation), title: titles.f, coordinates: false });
    const sure = search.moves.filter((move) => !faint.includes(move.move) && mixed(move) !== null);
    const top = sure.reduce((one, two) => (mixed(two) > mixed(one) ? two : one));
    const ranked = [...sure].sort((one, two) => mixed(two) - mixed(one)).slice(0, ROWS);
    ranking.replaceChildren(el("table", {},
      el("thead", {}, el("tr", {}, ...["move", "Q", "value network", "rollouts", "visits"].map((one) => el("th", {}, one)))),
      el("tbody", {}, ...ranked.map((move) => el("tr", {}, el("td", {}, move.move), el("td", {}, el("b", {}, percent(mixed(move), 1))),
        el("td", {}, text(move.Q_v)), el("td", {}, text(move.Q_r)), el("td", {}, String(move.N)))))));
    best.textContent = `Best Q: ${top.move}, ${percent(mixed(top))}. ` +
      `Boards a to f are of the search with \u03bb = ${search.lambda}: it plays ${search.moves[0].move}, ` +
      `which got ${percent(search.moves[0].N / total)} of ${total} simulations.`;
  }

  const distance = (search) => Math.abs(search.lambda - lambda);
  show(lambda);
}

const WIN = { scale: "win", format: "percent" };
const SHARE = { scale: "share", format: "percent", least: 0.005 };
const text = (value) => (value === null ? "unknown" : percent(value));

// While one part is missing, Q is the other part.
function mixOf(move, lambda) {
  if (move.Q_r === null || move.Q_v === null) return move.Q_r ?? move.Q_v;
  return (1 - lambda) * move.Q_v + lambda * move.Q_r;
}

function valuesOf(moves, pick) {
  const known = moves.filter((move) => move.move !== "pass" && pick(move) !== null && pick(move) !== 0);
  return Object.fromEntries(known.map((move) => [move.move, pick(move)]));
}

function line(board, variation) {
  const labels = {}, ghosts = {};
  variation.forEach((move, i) => {
    if (move === "pass" || move in labels) return;
    labels[move] = String(i + 1);
    ghosts[move] = (i % 2 === 0) === (board.to_move === "black") ? "black" : "white";
  });
  return { ...board, labels, ghosts };
}

const STYLE = `
.pl-large { flex:1 1 20rem; min-width:min(100%,17rem); max-width:28rem; }
.pl-side { flex:1 1 15rem; min-width:min(100%,14rem); }
.pl-label { display:block; font-size:1.15em; }
.pl-number { font-weight:700; font-variant-numeric:tabular-nums; }
.pl-slider { display:block; width:100%; height:2rem; accent-color:var(--pz-accent); }
.pl-ends { display:flex; justify-content:space-between; color:var(--pz-faint); font-size:0.85em; }
.pl-best { margin:1rem 0 0.8rem; }
.pl-ranking { overflow-x:auto; font-size:0.92em; }
.pl-grid { display:grid; grid-template-columns:repeat(auto-fill,minmax(min(100%,15.5rem),1fr)); gap:1rem; margin-top:1.2rem; }
.pl-grid .go-title { font-size:0.85em; }
`;

function addStyle() {
  if (document.getElementById("pl-style")) return;
  const style = el("style", { id: "pl-style" });
  style.textContent = STYLE;
  document.head.append(style);
}
