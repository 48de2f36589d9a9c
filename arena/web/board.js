/* Go boards in a page: positions, games to step through, and a choice of games. SVG, no dependency, no build step.

USE. Import it as a module, or paste the whole file into a page as an inline module script; any number of boards may be
on one page. Either describe the boards in the page, as JSON, and they appear by themselves (tags are in square brackets
here, so that this file may be pasted into a page):

    [div data-go="board"][script type="application/json"]{"size": 9, "black": ["E5"], "white": ["C3"]}[/script][/div]
    [div data-go="game"][script type="application/json"]{"size": 9, "moves": ["E5", "C3", "pass"]}[/script][/div]
    [div data-go="games"][script type="application/json"]{"games": [{...}, {...}]}[/script][/div]

(in such JSON, write every less-than sign as \u003c), or call the functions:

    board = drawBoard(element, spec)      board.update(spec)   board.spec   board.size
    player = playGame(element, game)      player.show(7)   player.at   player.length   player.play()   player.stop()
    browser = chooseGame(element, spec)   browser.choose(2)   browser.player
    mountAll(root)                        mounts the data-go elements below root, as this file does when it is loaded

Each function returns an object that is also `element.go`. A mistake in a description throws an Error; mountAll shows
its sentence in place of the board. Points are written as in GTP: "A1" is bottom left, there is no column I.

EVENTS, which bubble: `go-point` when a point is clicked (detail: {point, x, y}), `go-move` when a player shows another
move (detail: {at}).

A BOARD: {
  size,                             2 to 25
  black: ["E5"], white: ["C3"],     stones; or rows: ["..X", ".O.", "..."] from the top, X black, O white
  last: "E5",                       last-move mark
  labels: {"D4": "A"},              short texts: letters, move numbers
  quiet: ["D4"],                    labels that are small
  marks: {"D4": "circle"},          circle, square, triangle, cross, ring (blue, leaves room for a label), block
  ghosts: {"D4": "black"},          transparent stones
  heat: {                           a number per point
    values: {"D4": 0.31},           or rows of numbers from the top, null where there is none
    scale: "share",                 share: red, by the square root of v / max (max: 1)
                                    linear: red, from min (0) to max (the largest value)
                                    win: violet (0), white (0.5), green (1)
                                    signed: violet (-max), white (0), green (max; the largest absolute value)
                                    owner: squares, white (-1) to black (1)
    min, max,                       see scale
    format: "percent",              percent (31), percent1 (31.4), integer, number1, number2, number3; default percent
    numbers: true,                  write the numbers on the points (default; not for owner)
    least: 0.005,                   write no numbers whose absolute value is below it
    faint: ["A1"],                  points whose numbers say little: pale and small
    legend: "share of visits"       draws the colour scale under the board, with this text
  },
  tips: {"D4": "a text"},           what hovering shows, beside the point and its number
  coordinates: true, title: "", caption: "", note: "",     texts above, below and across the board
  region: ["A1", "E5"]              show this part of the board only
}

A GAME: {
  size, moves: ["E5", "pass"],      black and white in turn; or ["W E5", "W C3"] with colours
  first: "black",                   who begins, where moves have no colours
  setup: {black: [], white: []},    stones before the first move
  positions: [rows, ...],           the board after 0, 1, 2, ... moves, if captures shall not be computed here
  frames: {"12": {a board's labels, marks, heat, ghosts, tips, caption, note}},    shown after that many moves
  comments: {"12": "text"},         shown under the board after that many moves
  black: "name", white: "name", result: "B+3.5", title: "",
  curves: [{name, color: "black", values: [[move, value], ...]}],     color: black, white or any CSS colour
  curve: {title: "Black wins", min: 0, max: 1, middle: 0.5, format: "percent"},
  at: 0, numbers: false, coordinates: true, speed: 2       first move shown; numbers on stones; moves a second
}
Its controls: buttons, slider, the curve (click), swipes, and with the focus inside: arrows, Page Up and Down (10
moves), Home, End, space (autoplay), n (move numbers).

GAMES: {games: [game, ...], label: "Game"}

THEME. Light or dark by prefers-color-scheme, or by data-theme="light" or "dark" on the element or above it. Every
colour is a CSS variable (see LIGHT and DARK) that a page may set on .go. */

const COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
const CELL = 40;
const RADIUS = 0.475 * CELL;
const MARGIN = 0.72 * CELL; // from the outer lines to the edge of the wood
const LABELS = 0.55 * CELL; // further out, for the coordinates
const SPEEDS = [0.5, 1, 2, 4, 8]; // moves a second
const SWIPE = 28; // pixels that make a swipe of a touch
const HEAT = [196, 22, 28], LOSS = [153, 112, 171], EVEN = [247, 247, 247], WIN = [90, 174, 97];
const CONTRAST = 0.6; // below 1: most moves are not far from even, and should be told apart
const MARKS = ["circle", "square", "triangle", "cross", "ring", "block"];
const SCALES = ["share", "linear", "win", "signed", "owner"];
const FORMATS = {
  percent: (v) => (100 * v).toFixed(0),
  percent1: (v) => (100 * v).toFixed(1),
  integer: (v) => v.toFixed(0),
  number1: (v) => v.toFixed(1),
  number2: (v) => v.toFixed(2),
  number3: (v) => v.toFixed(3),
};

const LIGHT = `--go-text:#24211c;--go-soft:#6d665b;--go-panel:#f6f3ec;--go-edge:#d8d1c3;--go-button:#ffffff;
--go-accent:#0b66a8;--go-wood:#e8c274;--go-line:#4a3413;--go-label:#7a6543;--go-black-line:#1c1a17;
--go-white-line:#c2571a;--go-error:#b3261e;--go-tip:#24211c;--go-tip-text:#ffffff;--go-ghost:0.5;color-scheme:light;`;
const DARK = `--go-text:#ece7dd;--go-soft:#a79f91;--go-panel:#26231f;--go-edge:#47423a;--go-button:#35312b;
--go-accent:#6db6ee;--go-wood:#cfa75e;--go-line:#3b2a10;--go-label:#b3a283;--go-black-line:#86c5f4;
--go-white-line:#ffb07c;--go-error:#ff9d94;--go-tip:#ece7dd;--go-tip-text:#1b1916;--go-ghost:0.55;color-scheme:dark;`;
const STYLE = `
.go{${LIGHT}}
@media (prefers-color-scheme:dark){.go{${DARK}}}
[data-theme=light] .go,.go[data-theme=light]{${LIGHT}}
[data-theme=dark] .go,.go[data-theme=dark]{${DARK}}
.go{color:var(--go-text);font:15px/1.45 system-ui,"Segoe UI",Helvetica,Arial,sans-serif;position:relative;
  width:100%;max-width:34rem;min-width:0;box-sizing:border-box}
.go *{box-sizing:border-box}
.go svg.go-wood{display:block;width:100%;height:auto;touch-action:pan-y;user-select:none;-webkit-user-select:none}
.go svg text{font-family:Helvetica,Arial,"DejaVu Sans",sans-serif}
.go-title{font-weight:600;margin:0 0 .3rem}
.go-caption{color:var(--go-soft);font-size:.9em;margin:.25rem 0 0;min-height:1.4em;overflow-wrap:anywhere}
.go-legend{margin:.3rem 0 0;font-size:.8em;color:var(--go-soft)}
.go-legend-bar{height:.6rem;border-radius:.3rem;border:1px solid var(--go-edge)}
.go-legend-ends{display:flex;justify-content:space-between;gap:.5rem}
.go-tip{position:absolute;z-index:5;pointer-events:none;background:var(--go-tip);color:var(--go-tip-text);
  padding:.2rem .5rem;border-radius:.35rem;font-size:.82em;max-width:16rem;white-space:pre-line;
  overflow-wrap:anywhere;width:max-content}
.go-tip[hidden]{display:none}
.go-player{outline-offset:4px;border-radius:.5rem}
.go-player:focus-visible{outline:2px solid var(--go-accent)}
.go-names{display:flex;flex-wrap:wrap;gap:.2rem 1rem;align-items:center;margin:0 0 .35rem}
.go-name{display:inline-flex;gap:.4rem;align-items:center;min-width:0;overflow-wrap:anywhere}
.go-name.go-turn{font-weight:600}
.go-stone{width:.95em;height:.95em;border-radius:50%;flex:none;border:1px solid var(--go-soft)}
.go-stone.black{background:#15130f}.go-stone.white{background:#fbfaf7}
.go-captures{color:var(--go-soft);font-size:.82em;font-weight:400}
.go-result{margin-left:auto;font-variant-numeric:tabular-nums}
.go-controls{display:flex;flex-wrap:wrap;gap:.3rem;align-items:center;margin:.45rem 0 0}
.go-controls button,.go-controls select,.go-choice select{font:inherit;color:inherit;background:var(--go-button);
  border:1px solid var(--go-edge);border-radius:.4rem;min-height:2.3rem;padding:0 .55rem;cursor:pointer}
.go-controls button{min-width:2.5rem;display:inline-flex;align-items:center;justify-content:center}
.go-controls button:hover{border-color:var(--go-accent)}
.go-controls button[aria-disabled=true]{opacity:.4;cursor:default;border-color:var(--go-edge)}
.go-controls button[aria-pressed=true]{background:var(--go-accent);border-color:var(--go-accent);color:var(--go-panel)}
.go-controls svg{width:1.05em;height:1.05em;fill:currentColor}
.go-counter{margin-left:auto;color:var(--go-soft);font-variant-numeric:tabular-nums;white-space:nowrap}
.go-slider{width:100%;margin:.5rem 0 0;accent-color:var(--go-accent);height:1.4rem;cursor:pointer}
.go-curve{margin:.3rem 0 0;background:var(--go-panel);border:1px solid var(--go-edge);border-radius:.5rem;
  padding:.4rem .5rem .3rem}
.go-curve svg{display:block;width:100%;cursor:pointer;touch-action:pan-y}
.go-curve-names{display:flex;flex-wrap:wrap;gap:.1rem 1rem;font-size:.82em;color:var(--go-soft)}
.go-curve-names span{display:inline-flex;align-items:center;gap:.35rem;overflow-wrap:anywhere}
.go-curve-names i{width:1.1rem;height:.2rem;border-radius:.1rem;flex:none}
.go-curve-names b{color:var(--go-text);font-variant-numeric:tabular-nums}
.go-comment{margin:.4rem 0 0;font-size:.9em;color:var(--go-soft);min-height:2.9em;white-space:pre-line;
  overflow-wrap:anywhere}
.go-choice{display:flex;gap:.5rem;align-items:center;margin:0 0 .6rem}
.go-choice select{flex:1;min-width:0;max-width:100%}
.go-error{border:1px solid var(--go-error);color:var(--go-error);padding:.5rem .7rem;border-radius:.4rem}
.go-grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));gap:1.2rem 1.4rem}
`;

/* The rules: just enough to replay a game. A board is a Map from points to "black" and "white". */

export function pointAt(x, y, size) {
  return COLUMNS[x] + (size - y);
}

export function placeOf(point, size) {
  const text = String(point).trim().toUpperCase();
  const x = COLUMNS.indexOf(text[0]), y = size - Number(text.slice(1));
  if (text.length < 2 || x < 0 || x >= size || !Number.isInteger(y) || y < 0 || y >= size) {
    throw new Error(`${JSON.stringify(point)} is no point of a ${size}x${size} board.`);
  }
  return [x, y];
}

const canonical = (point, size) => pointAt(...placeOf(point, size), size);
const otherColor = (color) => (color === "black" ? "white" : "black");

function neighbours(point, size) {
  const [x, y] = placeOf(point, size);
  return [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]]
    .filter(([a, b]) => a >= 0 && b >= 0 && a < size && b < size)
    .map(([a, b]) => pointAt(a, b, size));
}

function chainAt(stones, point, size) {
  const color = stones.get(point), chain = new Set([point]), open = [point];
  let liberties = 0;
  while (open.length) {
    for (const next of neighbours(open.pop(), size)) {
      if (!stones.has(next)) liberties += 1;
      else if (stones.get(next) === color && !chain.has(next)) {
        chain.add(next);
        open.push(next);
      }
    }
  }
  return { chain, liberties };
}

/* Return {stones, captured} after a move. A suicide takes its own stones off, as some rules allow it. */
export function playMove(stones, point, color, size) {
  const after = new Map(stones);
  if (after.has(point)) throw new Error(`There is a stone on ${point} already.`);
  after.set(point, color);
  let captured = 0;
  for (const next of [...neighbours(point, size), point]) {
    if (after.get(next) === undefined || (next !== point && after.get(next) === color)) continue;
    const { chain, liberties } = chainAt(after, next, size);
    if (liberties) continue;
    for (const stone of chain) after.delete(stone);
    if (next !== point) captured += chain.size;
  }
  return { stones: after, captured };
}

function stonesFromRows(rows, size) {
  if (rows.length !== size) throw new Error(`A ${size}x${size} board has ${size} rows, not ${rows.length}.`);
  const stones = new Map();
  rows.forEach((row, y) => {
    const letters = [...row.replaceAll(" ", "")];
    if (letters.length !== size) throw new Error(`Row ${size - y} has ${letters.length} points instead of ${size}.`);
    letters.forEach((letter, x) => {
      if (letter === "X") stones.set(pointAt(x, y, size), "black");
      else if (letter === "O") stones.set(pointAt(x, y, size), "white");
    });
  });
  return stones;
}

function stonesOf(spec, size) {
  if (spec.stones instanceof Map) return spec.stones;
  if (spec.rows) return stonesFromRows(spec.rows, size);
  const stones = new Map();
  for (const color of ["black", "white"]) {
    for (const point of spec[color] ?? []) stones.set(canonical(point, size), color);
  }
  return stones;
}

function sizeOf(spec) {
  const size = spec.size ?? spec.rows?.length;
  if (!Number.isInteger(size) || size < 2 || size > 25) throw new Error(`${size} is no size of a board: 2 to 25 are.`);
  return size;
}

function starPoints(size) {
  if (size < 7) return [];
  const edge = size < 12 ? 2 : 3, middle = (size - 1) / 2, lines = [edge, size - 1 - edge];
  const stars = lines.flatMap((x) => lines.map((y) => [x, y]));
  if (size % 2 && size > 7) stars.push([middle, middle]);
  if (size % 2 && size > 11) for (const line of lines) stars.push([line, middle], [middle, line]);
  return stars;
}

/* Elements. */

const SVG = "http://www.w3.org/2000/svg";
let made = 0; // names of gradients, which are global in a page

function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function html(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function addStyle() {
  if (document.getElementById("go-style")) return;
  const style = html("style", { id: "go-style" });
  style.textContent = STYLE;
  document.head.prepend(style); // first, so that the page's own rules win
}

function write(x, y, text, fill, height, extra = {}) {
  return svg("text", { x, y, dy: "0.36em", fill, "font-size": height, "text-anchor": "middle", ...extra }, text);
}

const say = (element, name, detail) => element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));

/* Colours of heat maps. */

const mixed = (one, other, share) => one.map((part, i) => Math.round(part + share * (other[i] - part)));
const css = (color) => `rgb(${color.join(",")})`;

function heatOf(spec, size) {
  const { heat } = spec;
  if (!heat) return null;
  const scale = heat.scale ?? "linear", format = heat.format ?? "percent";
  if (!SCALES.includes(scale)) throw new Error(`${scale} is no scale of a heat map: there are ${SCALES.join(", ")}.`);
  if (!(format in FORMATS)) throw new Error(`${format} is no format: there are ${Object.keys(FORMATS).join(", ")}.`);
  const values = new Map();
  if (Array.isArray(heat.values)) {
    heat.values.forEach((row, y) => row.forEach((value, x) => {
      if (value !== null) values.set(canonical(pointAt(x, y, size), size), value);
    }));
  } else {
    for (const [point, value] of Object.entries(heat.values ?? {})) values.set(canonical(point, size), value);
  }
  const numbers = [...values.values()];
  if (!numbers.every(Number.isFinite)) throw new Error("A heat map has a value that is no number.");
  const largest = Math.max(1e-12, ...numbers.map(Math.abs));
  const max = heat.max ?? (scale === "share" || scale === "win" || scale === "owner" ? 1 : largest);
  const min = heat.min ?? (scale === "signed" ? -max : scale === "owner" ? -1 : 0);
  const faint = new Set((heat.faint ?? []).map((point) => canonical(point, size)));
  return {
    values, scale, min, max, faint, legend: heat.legend,
    writes: heat.numbers ?? scale !== "owner", least: heat.least ?? 0, text: FORMATS[format],
    unit: format.startsWith("percent") ? "%" : "",
  };
}

/* Return [colour, opacity] of a value. */
function shade(heat, value) {
  const part = Math.min(1, Math.max(0, (value - heat.min) / (heat.max - heat.min || 1)));
  if (heat.scale === "share") return [HEAT, 0.78 * Math.sqrt(part)];
  if (heat.scale === "linear") return [HEAT, 0.78 * part];
  const away = 2 * part - 1;
  return [mixed(EVEN, away > 0 ? WIN : LOSS, Math.abs(away) ** CONTRAST), 0.94];
}

function legend(heat) {
  const steps = Array.from({ length: 21 }, (_, i) => {
    const value = heat.min + ((heat.max - heat.min) * i) / 20;
    if (heat.scale === "owner") return css(mixed([251, 250, 247], [21, 19, 15], i / 20));
    const [color, opacity] = shade(heat, value);
    return `rgba(${color.join(",")},${opacity})`;
  });
  const bar = html("div", { class: "go-legend-bar" });
  bar.style.background = `linear-gradient(to right, ${steps.join(",")}), var(--go-wood)`;
  const ends = html("div", { class: "go-legend-ends" },
    html("span", {}, heat.scale === "owner" ? "White" : heat.text(heat.min) + heat.unit),
    html("span", {}, heat.legend),
    html("span", {}, heat.scale === "owner" ? "Black" : heat.text(heat.max) + heat.unit));
  return html("div", { class: "go-legend" }, bar, ends);
}

/* A board. */

class Board {
  constructor(element, spec) {
    addStyle();
    this.element = element;
    element.classList.add("go", "go-board");
    element.go = this;
    this.update(spec);
  }

  update(spec) {
    const size = sizeOf(spec), stones = stonesOf(spec, size), heat = heatOf(spec, size);
    const by = (map) => new Map(Object.entries(map ?? {}).map(([point, what]) => [canonical(point, size), what]));
    Object.assign(this, { spec, size, stones, heat, tips: by(spec.tips), labels: by(spec.labels) });
    this.numbers ??= new Map();
    const parts = [], borders = spec.coordinates ?? true;
    if (spec.title) parts.push(html("div", { class: "go-title" }, spec.title));
    this.drawing = this.draw(by(spec.marks), by(spec.ghosts), borders);
    this.tip = html("div", { class: "go-tip", hidden: "" });
    parts.push(this.drawing, this.tip);
    if (heat?.legend !== undefined) parts.push(legend(heat));
    if (spec.caption !== undefined) parts.push(html("div", { class: "go-caption" }, spec.caption));
    this.element.replaceChildren(...parts);
    this.listen();
  }

  draw(marks, ghosts, borders) {
    const { spec, size, stones, heat } = this, name = `go-${(made += 1)}`, end = (size - 1) * CELL;
    const quiet = new Set((spec.quiet ?? []).map((point) => canonical(point, size)));
    const border = borders ? LABELS : 0, pad = MARGIN + border;
    let box = [-pad, -pad, end + 2 * pad, end + 2 * pad];
    if (spec.region) {
      const [[a, b], [c, d]] = spec.region.map((point) => placeOf(point, size));
      const left = Math.min(a, c), top = Math.min(b, d), right = Math.max(a, c), bottom = Math.max(b, d);
      const far = (place, edge) => (place === edge ? pad : CELL / 2); // whole borders, half points
      const x = left * CELL - far(left, 0), y = top * CELL - far(top, 0);
      box = [x, y, right * CELL + far(right, size - 1) - x, bottom * CELL + far(bottom, size - 1) - y];
    }
    const all = svg("svg", { class: "go-wood", viewBox: box.join(" "), role: "img", "aria-label": this.spoken() });
    all.append(svg("defs", {},
      svg("radialGradient", { id: `${name}-b`, cx: "35%", cy: "30%", r: "75%" },
        svg("stop", { offset: "0", "stop-color": "#5b5852" }), svg("stop", { offset: "0.55", "stop-color": "#201e1b" }),
        svg("stop", { offset: "1", "stop-color": "#0c0b0a" })),
      svg("radialGradient", { id: `${name}-w`, cx: "35%", cy: "30%", r: "80%" },
        svg("stop", { offset: "0", "stop-color": "#ffffff" }), svg("stop", { offset: "0.7", "stop-color": "#f5f3ee" }),
        svg("stop", { offset: "1", "stop-color": "#d8d4ca" }))));
    all.append(svg("rect", {
      x: -MARGIN, y: -MARGIN, width: end + 2 * MARGIN, height: end + 2 * MARGIN, rx: 6, fill: "var(--go-wood)",
    }));
    if (heat && heat.scale !== "owner") {
      for (const [point, value] of heat.values) {
        const [x, y] = placeOf(point, size), [color, opacity] = shade(heat, value);
        all.append(svg("rect", {
          x: (x - 0.5) * CELL, y: (y - 0.5) * CELL, width: CELL, height: CELL, class: "go-heat", "data-point": point,
          fill: css(color), "fill-opacity": (heat.faint.has(point) ? opacity / 3 : opacity).toFixed(3),
        }));
      }
    }
    let lines = "";
    for (let i = 0; i < size; i += 1) lines += `M0 ${i * CELL}H${end}M${i * CELL} 0V${end}`;
    all.append(svg("path", {
      d: lines, stroke: "var(--go-line)", "stroke-width": 1.2, fill: "none", "stroke-linecap": "square",
    }));
    for (const [x, y] of starPoints(size)) {
      all.append(svg("circle", { cx: x * CELL, cy: y * CELL, r: 3.6, fill: "var(--go-line)" }));
    }
    if (borders) {
      for (let i = 0; i < size; i += 1) {
        for (const side of [-MARGIN - LABELS / 2, end + MARGIN + LABELS / 2]) {
          all.append(write(i * CELL, side, COLUMNS[i], "var(--go-label)", 0.33 * CELL));
          all.append(write(side, i * CELL, String(size - i), "var(--go-label)", 0.33 * CELL));
        }
      }
    }
    const stone = (point, color, more = {}) => {
      const [x, y] = placeOf(point, size);
      return svg("circle", {
        cx: x * CELL, cy: y * CELL, r: RADIUS, fill: `url(#${name}-${color[0]})`, "stroke-width": 0.8,
        stroke: color === "black" ? "#000000" : "#6d675c", "data-point": point, class: `go-${color}`, ...more,
      });
    };
    for (const point of stones.keys()) {
      const [x, y] = placeOf(point, size);
      all.append(svg("circle", {
        cx: x * CELL + 1.2, cy: y * CELL + 1.8, r: RADIUS, fill: "#000000", "fill-opacity": 0.22,
      }));
    }
    for (const [point, color] of stones) all.append(stone(point, color));
    for (const [point, color] of ghosts) {
      if (color !== "black" && color !== "white") throw new Error(`${color} is no colour of a stone.`);
      all.append(stone(point, color, { class: `go-ghost go-${color}`, opacity: "var(--go-ghost)" }));
    }
    if (heat?.scale === "owner") this.drawOwners(all);
    if (spec.last && String(spec.last).toLowerCase() !== "pass") {
      const point = canonical(spec.last, size);
      if (!this.labels.has(point)) all.append(this.mark("circle", point, "go-last-move"));
    }
    for (const [point, mark] of marks) all.append(this.mark(mark, point, "go-mark"));
    if (heat?.writes) {
      for (const [point, value] of heat.values) {
        if (this.labels.has(point) || Math.abs(value) < heat.least) continue;
        this.label(all, heat.text(value), point, heat.faint.has(point), ghosts);
      }
    }
    for (const [point, text] of this.labels) this.label(all, String(text), point, quiet.has(point), ghosts);
    if (spec.note) {
      const [left, top, width, height] = box, x = left + width / 2, y = top + height / 2;
      all.append(svg("rect", {
        x: left + border, y: y - 0.6 * CELL, width: width - 2 * border, height: 1.2 * CELL, class: "go-note",
        fill: "#000000", "fill-opacity": 0.6,
      }), write(x, y, spec.note, "#ffffff", Math.min(0.6 * CELL, (1.5 * (width - 2 * border)) / spec.note.length)));
    }
    this.ring = svg("circle", {
      r: 0.44 * CELL, fill: "none", stroke: "var(--go-accent)", "stroke-width": 2, opacity: 0, "pointer-events": "none",
    });
    all.append(this.ring);
    return all;
  }

  drawOwners(all) {
    const { heat, size, stones } = this;
    for (const [point, value] of heat.values) {
      const owner = value > 0 ? "black" : "white", share = Math.min(1, Math.abs(value) / heat.max);
      if (share < 0.02 || stones.get(point) === owner) continue;
      const [x, y] = placeOf(point, size), side = 0.5 * CELL * Math.sqrt(share);
      all.append(svg("rect", {
        x: x * CELL - side / 2, y: y * CELL - side / 2, width: side, height: side, "data-point": point,
        class: "go-heat", fill: owner === "black" ? "#15130f" : "#fbfaf7", stroke: "#7a6a4a",
      }));
    }
  }

  ink(point) {
    const color = this.stones.get(point);
    return color === "black" ? "#ffffff" : color === "white" ? "#000000" : "#2b1200";
  }

  mark(mark, point, className) {
    if (!MARKS.includes(mark)) throw new Error(`${mark} is no mark: there are ${MARKS.join(", ")}.`);
    const [column, row] = placeOf(point, this.size), x = column * CELL, y = row * CELL, r = 0.24 * CELL;
    const look = {
      fill: "none", stroke: this.ink(point), "stroke-width": 2.6, class: `${className} go-${mark}`, "data-point": point,
    };
    if (mark === "ring") {
      return svg("circle", { ...look, cx: x, cy: y, r: 0.43 * CELL, stroke: "#1551d1", "stroke-width": 3.6 });
    }
    if (mark === "block") {
      return svg("rect", { ...look, x: x - 1.1 * r, y: y - 1.1 * r, width: 2.2 * r, height: 2.2 * r, stroke: "none",
        fill: css(HEAT) });
    }
    if (mark === "circle") return svg("circle", { ...look, cx: x, cy: y, r });
    if (mark === "square") return svg("rect", { ...look, x: x - r, y: y - r, width: 2 * r, height: 2 * r });
    const path = mark === "triangle"
      ? `M${x} ${y - 1.2 * r}l${1.1 * r} ${1.9 * r}h${-2.2 * r}z`
      : `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`;
    return svg("path", { ...look, d: path });
  }

  /* Write on a stone, or on an empty point over a patch of wood and shade that hides the lines. */
  label(all, text, point, isQuiet, ghosts) {
    const [column, row] = placeOf(point, this.size), x = column * CELL, y = row * CELL;
    const height = CELL * (isQuiet ? 0.3 : text.length < 3 ? 0.44 : text.length < 4 ? 0.36 : 0.29);
    if (!this.stones.has(point) && !ghosts.has(point)) {
      const patch = { cx: x, cy: y, r: 0.31 * CELL };
      all.append(svg("circle", { ...patch, fill: "var(--go-wood)" }));
      if (this.heat?.values.has(point) && this.heat.scale !== "owner") {
        const [color, opacity] = shade(this.heat, this.heat.values.get(point));
        const shown = this.heat.faint.has(point) ? opacity / 3 : opacity;
        all.append(svg("circle", { ...patch, fill: css(color), "fill-opacity": shown.toFixed(3) }));
      }
    }
    const ink = ghosts.get(point) === "black" ? "#ffffff" : this.ink(point);
    all.append(write(x, y, text, ink, height, { class: "go-label", "data-point": point }));
  }

  spoken() {
    const count = (color) => [...this.stones.values()].filter((found) => found === color).length;
    const last = this.spec.last ? `, last move ${this.spec.last}` : "";
    return `Go board ${this.size}x${this.size}: ${count("black")} black and ${count("white")} white stones${last}`;
  }

  /* Return the point under the pointer, with its place on the screen relative to the element. */
  under(event) {
    const matrix = this.drawing.getScreenCTM();
    if (!matrix) return null;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const column = Math.round(x / CELL), row = Math.round(y / CELL);
    if (column < 0 || row < 0 || column >= this.size || row >= this.size) return null;
    return { point: pointAt(column, row, this.size), x: column, y: row };
  }

  textOf(point) {
    const lines = [point];
    if (this.numbers.has(point)) lines[0] += `, move ${this.numbers.get(point)}`;
    if (this.heat?.values.has(point)) lines[0] += `: ${precise(this.heat, this.heat.values.get(point))}`;
    if (this.tips.has(point)) lines.push(this.tips.get(point));
    return lines.join("\n");
  }

  listen() {
    const hide = () => {
      this.tip.hidden = true;
      this.ring.setAttribute("opacity", 0);
    };
    this.drawing.addEventListener("pointermove", (event) => {
      const found = this.under(event);
      if (!found) return hide();
      this.ring.setAttribute("cx", found.x * CELL);
      this.ring.setAttribute("cy", found.y * CELL);
      this.ring.setAttribute("opacity", 0.8);
      this.tip.textContent = this.textOf(found.point);
      this.tip.hidden = false;
      const box = this.element.getBoundingClientRect();
      const left = event.clientX - box.left + 14, top = event.clientY - box.top + 16;
      const widest = box.width - this.tip.offsetWidth;
      this.tip.style.left = `${Math.max(0, Math.min(left, widest))}px`;
      this.tip.style.top = `${top}px`;
    });
    this.drawing.addEventListener("pointerleave", hide);
    this.drawing.addEventListener("click", (event) => {
      const found = this.under(event);
      if (found) say(this.element, "go-point", found);
    });
  }
}

function precise(heat, value) {
  if (heat.unit) return `${(100 * value).toFixed(Math.abs(value) < 0.0995 ? 2 : 1)}%`;
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}

export function drawBoard(element, spec) {
  return new Board(element, spec);
}

/* A game. */

const ICONS = {
  first: "M2 2h2.4v12H2zM14 2v12L5 8z",
  back: "M10.2 2 12 3.8 7.8 8 12 12.2 10.2 14 4.2 8z",
  forward: "M5.8 2 4 3.8 8.2 8 4 12.2 5.8 14 11.8 8z",
  last: "M11.6 2H14v12h-2.4zM2 2v12l9-6z",
  play: "M3.5 1.5v13l10-6.5z",
  stop: "M3 2h3.6v12H3zM9.4 2H13v12H9.4z",
};
const icon = (name) => svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

function colorOf(word) {
  const color = { b: "black", w: "white" }[String(word).toLowerCase()[0]];
  if (!color) throw new Error(`${JSON.stringify(word)} is no colour.`);
  return color;
}

/* Return the moves as {color, point}; a pass has the point null. */
function movesOf(game, size) {
  let turn = game.first ?? "black";
  return (game.moves ?? []).map((text) => {
    const words = String(text).trim().split(/\s+/);
    const color = words.length > 1 ? colorOf(words[0]) : turn, where = words[words.length - 1];
    turn = otherColor(color);
    return { color, point: where.toLowerCase() === "pass" ? null : canonical(where, size) };
  });
}

/* Return what is on the board after 0, 1, 2, ... moves: stones, prisoners, and the number of each stone's move. */
function positionsOf(game, moves, size) {
  const recorded = game.positions;
  if (recorded && recorded.length !== moves.length + 1) {
    throw new Error(`A game of ${moves.length} moves has ${moves.length + 1} positions, not ${recorded.length}.`);
  }
  let stones = recorded ? stonesFromRows(recorded[0], size) : stonesOf(game.setup ?? {}, size);
  let numbers = new Map(), taken = { black: 0, white: 0 };
  const found = [{ stones, numbers, taken }];
  moves.forEach(({ color, point }, i) => {
    const before = stones;
    if (recorded) stones = stonesFromRows(recorded[i + 1], size);
    else if (point) {
      try {
        stones = playMove(stones, point, color, size).stones;
      } catch (error) {
        throw new Error(`Move ${i + 1}: ${error.message}`);
      }
    }
    const lost = [...before].filter(([place, owner]) => owner !== color && !stones.has(place)).length;
    taken = { ...taken, [color]: taken[color] + lost };
    numbers = new Map([...numbers].filter(([place]) => stones.has(place)));
    if (point && stones.has(point)) numbers.set(point, i + 1);
    found.push({ stones, numbers, taken });
  });
  return found;
}

class Player {
  constructor(element, game) {
    addStyle();
    this.size = sizeOf(game);
    this.moves = movesOf(game, this.size);
    this.positions = positionsOf(game, this.moves, this.size);
    Object.assign(this, { element, game, length: this.moves.length, timer: null, numbered: Boolean(game.numbers) });
    this.speed = game.speed ?? 2;
    element.go = this;
    element.classList.add("go", "go-player");
    element.tabIndex = 0;
    this.build();
    element.onkeydown = (event) => this.key(event);
    this.show(game.at ?? 0);
  }

  build() {
    const { game, element, length } = this, parts = [];
    if (game.title) parts.push(html("div", { class: "go-title" }, game.title));
    if (game.black || game.white || game.result) parts.push(this.names());
    this.place = html("div");
    const holder = html("div", { class: "go-holder" }, this.place);
    this.swipes(holder);
    const button = (name, title, act) => {
      const made = html("button", { type: "button", title, "aria-label": title, class: `go-${name}` }, icon(name));
      made.addEventListener("click", act);
      return made;
    };
    this.buttons = {
      first: button("first", "first position", () => this.jump(0)),
      back: button("back", "back one move", () => this.jump(this.at - 1)),
      play: button("play", "play", () => (this.timer ? this.stop() : this.play())),
      forward: button("forward", "forward one move", () => this.jump(this.at + 1)),
      last: button("last", "last position", () => this.jump(length)),
    };
    const speeds = [...new Set([...SPEEDS, this.speed])].sort((a, b) => a - b);
    this.pace = html("select", { class: "go-speed", "aria-label": "moves a second", title: "moves a second" },
      ...speeds.map((speed) => html("option", { value: speed }, `${speed}/s`)));
    this.pace.value = String(this.speed);
    this.pace.addEventListener("change", () => {
      this.speed = Number(this.pace.value);
      if (this.timer) this.play();
    });
    this.numbering = html("button", { type: "button", class: "go-numbers", title: "move numbers" }, "123");
    this.numbering.addEventListener("click", () => this.number(!this.numbered));
    this.counter = html("span", { class: "go-counter", role: "status" });
    const { first, back, play, forward, last } = this.buttons;
    parts.push(holder, html("div", { class: "go-controls" }, first, back, play, forward, last, this.pace,
      this.numbering, this.counter));
    this.slider = html("input", { type: "range", class: "go-slider", min: 0, max: length, "aria-label": "move" });
    this.slider.addEventListener("input", () => this.jump(Number(this.slider.value)));
    parts.push(this.slider);
    if (game.curves?.length) parts.push(this.curve());
    if (game.comments) parts.push((this.comment = html("div", { class: "go-comment" })));
    element.replaceChildren(...parts);
    if (this.plot) this.watchWidth();
  }

  names() {
    const { game } = this, row = html("div", { class: "go-names" });
    this.who = {};
    for (const color of ["black", "white"]) {
      const captures = html("span", { class: "go-captures" });
      const name = html("span", { class: "go-name" }, html("span", { class: `go-stone ${color}` }),
        html("span", {}, game[color] ?? (color === "black" ? "Black" : "White")), captures);
      this.who[color] = { name, captures };
      row.append(name);
    }
    if (game.result) row.append(html("span", { class: "go-result" }, game.result));
    return row;
  }

  /* Show the board after so many moves. */
  show(at) {
    const { game, size } = this;
    this.at = Math.max(0, Math.min(this.length, Math.round(at)));
    const { stones, numbers, taken } = this.positions[this.at], played = this.moves[this.at - 1];
    const frame = game.frames?.[this.at] ?? {};
    const labels = this.numbered ? Object.fromEntries(numbers) : {};
    const spec = {
      coordinates: game.coordinates, caption: hasCaptions(game) ? "" : undefined, ...frame, size, stones,
      last: played?.point && stones.has(played.point) ? played.point : undefined,
      labels: { ...labels, ...(frame.labels ?? {}) },
    };
    if (this.board) {
      this.board.numbers = numbers;
      this.board.update(spec);
    } else {
      this.board = new Board(this.place, spec);
      this.board.numbers = numbers;
    }
    this.slider.value = this.at;
    // not `disabled`, which would take the focus away, and with it the keys
    for (const name of ["first", "back"]) this.buttons[name].ariaDisabled = this.at === 0;
    for (const name of ["forward", "last"]) this.buttons[name].ariaDisabled = this.at === this.length;
    const what = played ? ` · ${played.color === "black" ? "Black" : "White"} ${played.point ?? "pass"}` : "";
    this.counter.textContent = `${this.at} / ${this.length}${what}`;
    this.numbering.setAttribute("aria-pressed", this.numbered);
    if (this.comment) this.comment.textContent = game.comments[this.at] ?? "";
    if (this.who) {
      const next = this.moves[this.at]?.color;
      for (const [color, { name, captures }] of Object.entries(this.who)) {
        name.classList.toggle("go-turn", color === next);
        captures.textContent = taken[color] ? `+${taken[color]}` : "";
        captures.title = taken[color] ? `${taken[color]} stones captured` : "";
      }
    }
    if (this.plot) this.drawCurve();
    say(this.element, "go-move", { at: this.at });
  }

  /* Show another position because the user asked for it. */
  jump(at) {
    this.stop();
    this.show(at);
  }

  play() {
    clearInterval(this.timer);
    if (this.at === this.length) this.show(0);
    this.timer = setInterval(() => {
      if (!this.element.isConnected) return this.stop();
      this.show(this.at + 1);
      if (this.at === this.length) this.stop();
    }, 1000 / this.speed);
    this.dress("stop");
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.dress("play");
  }

  dress(name) {
    this.buttons.play.replaceChildren(icon(name));
    this.buttons.play.setAttribute("aria-label", name);
    this.buttons.play.title = name;
  }

  number(isWanted) {
    this.numbered = isWanted;
    this.show(this.at);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
    const act = {
      ArrowLeft: () => this.jump(this.at - 1),
      ArrowRight: () => this.jump(this.at + 1),
      ArrowDown: () => this.jump(this.at - 1),
      ArrowUp: () => this.jump(this.at + 1),
      PageUp: () => this.jump(this.at - 10),
      PageDown: () => this.jump(this.at + 10),
      Home: () => this.jump(0),
      End: () => this.jump(this.length),
      " ": () => (this.timer ? this.stop() : this.play()),
      n: () => this.number(!this.numbered),
    }[event.key];
    if (!act || (event.key === " " && event.target.matches("button"))) return;
    event.preventDefault();
    act();
  }

  swipes(holder) {
    let from = null;
    holder.addEventListener("pointerdown", (event) => {
      from = event.pointerType === "mouse" ? null : event;
    });
    holder.addEventListener("pointerup", (event) => {
      if (!from) return;
      const across = event.clientX - from.clientX, down = event.clientY - from.clientY;
      if (Math.abs(across) > SWIPE && Math.abs(across) > Math.abs(down)) this.jump(this.at + (across < 0 ? 1 : -1));
      from = null;
    });
    holder.addEventListener("pointercancel", () => {
      from = null;
    });
  }

  /* The curve: what was thought of the position, by move. */

  curve() {
    const look = { min: 0, max: 1, format: "percent", title: "", ...(this.game.curve ?? {}) };
    if (!(look.format in FORMATS)) throw new Error(`${look.format} is no format of a curve.`);
    const unit = look.format.startsWith("percent") ? "%" : "";
    this.plot = svg("svg", { class: "go-plot", role: "img", "aria-label": look.title || "curve" });
    this.legend = html("div", { class: "go-curve-names" });
    this.look = { ...look, text: (value) => FORMATS[look.format](value) + unit };
    this.lines = this.game.curves.map(({ name, color, values }) => ({
      name, values: values.filter(([, value]) => value !== null),
      color: color === "black" || color === "white" ? `var(--go-${color}-line)` : color,
    }));
    const pick = (event) => {
      const box = this.plot.getBoundingClientRect(), inner = box.width - this.left - this.right;
      return Math.round(((event.clientX - box.left - this.left) / Math.max(1, inner)) * this.length);
    };
    this.plot.addEventListener("click", (event) => this.jump(pick(event)));
    this.plot.addEventListener("pointermove", (event) => {
      this.drawCurve(Math.max(0, Math.min(this.length, pick(event))));
    });
    this.plot.addEventListener("pointerleave", () => this.drawCurve());
    const title = look.title ? [html("div", { class: "go-curve-names" }, look.title)] : [];
    return html("div", { class: "go-curve" }, ...title, this.plot, this.legend);
  }

  watchWidth() {
    new ResizeObserver(() => this.drawCurve()).observe(this.plot.parentElement);
  }

  drawCurve(hovered) {
    const width = this.plot.clientWidth || 480, height = 120, { look } = this;
    this.left = 38;
    this.right = 8;
    const top = 8, bottom = height - 18, inner = width - this.left - this.right;
    const x = (move) => this.left + (inner * move) / Math.max(1, this.length);
    const y = (value) => bottom - ((bottom - top) * (value - look.min)) / (look.max - look.min);
    const parts = [], ticks = [look.min, look.middle ?? (look.min + look.max) / 2, look.max];
    for (const tick of ticks) {
      parts.push(svg("path", {
        d: `M${this.left} ${y(tick)}H${width - this.right}`, stroke: "var(--go-edge)", "stroke-width": 1,
        "stroke-dasharray": tick === ticks[1] ? "4 4" : undefined,
      }), write(this.left - 6, y(tick), look.text(tick), "var(--go-soft)", 11, { "text-anchor": "end" }));
    }
    const step = [1, 2, 5, 10, 20, 25, 50, 100, 200].find((each) => this.length / each <= width / 60) ?? 500;
    for (let move = 0; move <= this.length; move += step) {
      parts.push(write(x(move), height - 7, String(move), "var(--go-soft)", 11));
    }
    parts.push(svg("path", {
      d: `M${x(this.at)} ${top}V${bottom}`, stroke: "var(--go-accent)", "stroke-width": 2, class: "go-now",
    }));
    if (hovered !== undefined) {
      parts.push(svg("path", { d: `M${x(hovered)} ${top}V${bottom}`, stroke: "var(--go-soft)", "stroke-width": 1 }));
    }
    for (const { values, color, name } of this.lines) {
      const bounded = (value) => Math.max(look.min, Math.min(look.max, value));
      const inside = ([move, value]) => `${x(move).toFixed(1)} ${y(bounded(value)).toFixed(1)}`;
      const d = values.map((pair, i) => (i ? "L" : "M") + inside(pair)).join("");
      parts.push(svg("path", {
        d, fill: "none", stroke: color, "stroke-width": 2, "stroke-linejoin": "round", "data-curve": name,
      }));
      for (const pair of values.length <= 60 ? values : []) {
        const [cx, cy] = inside(pair).split(" ");
        parts.push(svg("circle", { cx, cy, r: 2.4, fill: color }));
      }
    }
    this.plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.plot.setAttribute("height", height);
    this.plot.replaceChildren(...parts);
    const at = hovered ?? this.at;
    this.legend.replaceChildren(html("span", {}, hovered === undefined ? "now" : `move ${hovered}`),
      ...this.lines.map(({ values, color, name }) => {
        const dash = html("i"), known = values.filter(([move]) => move <= at).pop();
        dash.style.background = color;
        return html("span", {}, dash, name, html("b", {}, known ? look.text(known[1]) : "–"));
      }));
  }
}

/* Room for captions is kept in every position, if any position has one. */
const hasCaptions = (game) => Object.values(game.frames ?? {}).some((frame) => frame.caption !== undefined);

export function playGame(element, game) {
  return new Player(element, game);
}

/* A choice of games. */

class Chooser {
  constructor(element, { games, label = "Game" }) {
    if (!games?.length) throw new Error("There is no game to choose.");
    addStyle();
    Object.assign(this, { element, games });
    element.go = this;
    element.classList.add("go", "go-games");
    this.select = html("select", { "aria-label": label },
      ...games.map((game, i) => html("option", { value: i }, game.name ?? game.title ?? describe(game))));
    this.select.addEventListener("change", () => this.choose(Number(this.select.value)));
    this.place = html("div");
    element.replaceChildren(html("label", { class: "go-choice" }, label, this.select), this.place);
    this.choose(0);
  }

  choose(number) {
    this.player?.stop();
    this.select.value = String(number);
    const place = html("div");
    this.place.replaceWith(place);
    this.place = place;
    this.player = new Player(place, this.games[number]);
  }
}

const describe = ({ black = "Black", white = "White", result = "" }) => `${black} – ${white} ${result}`.trim();

export function chooseGame(element, spec) {
  return new Chooser(element, spec);
}

/* Boards that are described in the page. */

const KINDS = { board: drawBoard, game: playGame, games: chooseGame };

export function mountAll(root = document) {
  for (const element of root.querySelectorAll("[data-go]")) {
    if (element.go) continue;
    try {
      const make = KINDS[element.dataset.go], source = element.querySelector('script[type="application/json"]');
      if (!make) throw new Error(`data-go is ${element.dataset.go}, not one of ${Object.keys(KINDS).join(", ")}.`);
      make(element, JSON.parse(source.textContent));
    } catch (error) {
      addStyle();
      element.replaceChildren(html("div", { class: "go go-error", role: "alert" }, `No board: ${error.message}`));
      console.error(error);
    }
  }
}

if (typeof document !== "undefined") mountAll();
