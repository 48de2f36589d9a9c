// The stepping frame that every script of the classroom shares.
//
//   import { play } from "./player.js";
//
//   export function start(element, data) {       // data is what `lesson.interactive` was given, and data.title
//     play(element, {
//       title: data.title,
//       count: data.steps.length,                // number of steps; the first one is 0
//       unit: "move",                            // what a step is, for labels
//       draw(stage, step, player) { ... },       // fill or update the stage, any element, for a step
//       caption(step) { return "text"; },        // optional: a sentence below the stage, as text or a node
//     });
//   }
//
// `play` returns { root, stage, step, go(step) }. The root has `data-step`, which is the number of the step shown.
// The frame has buttons, a slider and a choice of speed. Keys while the frame has the focus: left and right, home and
// end, space to play, + and - for the speed. On a touch screen, swipe the stage to step.
// Any element inside the frame with an attribute `data-tip` shows that text when it is pointed at, touched or focused.
// `el(tag, attributes, ...children)` and `svg(tag, attributes, ...children)` make elements. The colours of the frame are
// the CSS variables at the end of this file; they follow the page, light or dark.

export const SPEEDS = [0.5, 1, 2, 4, 8]; // steps in a second
const SWIPE = 40; // pixels

export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function percent(share, digits = 0) {
  return `${(100 * share).toFixed(digits)}%`;
}

export function play(element, options) {
  addStyle();
  const { title = "", count, unit = "step", draw, caption } = options;
  const last = Math.max(count - 1, 0);
  let timer = null;
  let speed = options.speed ?? 2;

  const stage = el("div", { class: "pz-stage" });
  const said = el("div", { class: "pz-caption", "aria-live": "polite" });
  const counter = el("output", { class: "pz-counter" });
  const slider = el("input", {
    type: "range", min: 0, max: last, value: 0, class: "pz-slider", "aria-label": `${unit} to show`,
    oninput: () => player.go(Number(slider.value)),
  });
  const button = (name, label, action) =>
    el("button", { type: "button", class: "pz-button", "data-do": name, title: label, "aria-label": label, onclick: action },
      icon(name));
  const playing = button("play", "play or pause (space)", () => toggle());
  const speeds = el("select", { class: "pz-speed", "aria-label": "speed", onchange: () => setSpeed(Number(speeds.value)) },
    ...SPEEDS.map((value) => el("option", { value }, `${value}/s`)));
  const controls = el("div", { class: "pz-controls" },
    button("first", `to the start (home)`, () => stop(0)),
    button("back", `one ${unit} back (left)`, () => stop(player.step - 1)),
    playing,
    button("forward", `one ${unit} forward (right)`, () => stop(player.step + 1)),
    button("last", `to the end (end)`, () => stop(last)),
    slider, counter, speeds);
  const root = el("div", { class: "pz", tabindex: 0 },
    title ? el("div", { class: "pz-title" }, title) : null, stage, said, count > 1 ? controls : null);
  const tip = el("div", { class: "pz-tip", role: "tooltip", hidden: true });
  root.append(tip);

  const player = {
    root, stage, step: 0,
    go(step) {
      player.step = Math.min(Math.max(Math.round(step), 0), last);
      root.dataset.step = player.step;
      slider.value = player.step;
      counter.textContent = `${unit} ${player.step} of ${last}`;
      draw(stage, player.step, player);
      said.replaceChildren(...(caption ? [caption(player.step) ?? ""] : []));
      root.dispatchEvent(new CustomEvent("step", { detail: player.step }));
    },
  };

  function pause() {
    clearInterval(timer);
    timer = null;
    playing.replaceChildren(icon("play"));
    root.dataset.playing = "no";
  }
  function advance() {
    if (player.step >= last) pause();
    else player.go(player.step + 1);
  }
  function run() {
    if (player.step >= last) player.go(0);
    clearInterval(timer);
    timer = setInterval(advance, 1000 / speed);
    playing.replaceChildren(icon("pause"));
    root.dataset.playing = "yes";
  }
  function toggle() {
    if (timer === null) run();
    else pause();
  }
  function stop(step) {
    pause();
    player.go(step);
  }
  function setSpeed(value) {
    speed = value;
    speeds.value = value;
    if (timer !== null) run();
  }
  function faster(by) {
    setSpeed(SPEEDS[Math.min(Math.max(SPEEDS.indexOf(speed) + by, 0), SPEEDS.length - 1)]);
  }

  const keys = {
    ArrowRight: () => stop(player.step + 1), ArrowLeft: () => stop(player.step - 1),
    Home: () => stop(0), End: () => stop(last), " ": toggle, "+": () => faster(1), "-": () => faster(-1),
  };
  root.addEventListener("keydown", (event) => {
    const busy = event.target !== root && event.target.closest("input:not(.pz-slider), select, textarea, [contenteditable]");
    const pressed = event.key === " " && event.target.closest("button");
    if (busy || pressed || event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys) || count < 2) return;
    event.preventDefault();
    keys[event.key]();
  });

  let touched = null;
  stage.addEventListener("pointerdown", (event) => {
    touched = event.pointerType === "touch" ? [event.clientX, event.clientY] : null;
  });
  stage.addEventListener("pointerup", (event) => {
    if (touched === null) return;
    const [dx, dy] = [event.clientX - touched[0], event.clientY - touched[1]];
    touched = null;
    if (Math.abs(dx) > SWIPE && Math.abs(dx) > 2 * Math.abs(dy)) stop(player.step + (dx < 0 ? 1 : -1));
  });

  addTips(root, tip);
  setSpeed(SPEEDS.includes(speed) ? speed : 2);
  element.replaceChildren(root);
  player.go(options.first ?? 0);
  pause();
  return player;
}

function addTips(root, tip) {
  const show = (event) => {
    const target = event.target.closest?.("[data-tip]");
    tip.hidden = !target;
    if (!target) return;
    tip.textContent = target.dataset.tip;
    const place = target.getBoundingClientRect();
    const frame = root.getBoundingClientRect();
    const half = tip.offsetWidth / 2;
    const middle = place.left + place.width / 2 - frame.left;
    tip.style.left = `${Math.min(Math.max(middle, half + 4), Math.max(frame.width - half - 4, half + 4))}px`;
    const above = place.top - frame.top - tip.offsetHeight - 6;
    tip.style.top = `${above > 0 ? above : place.bottom - frame.top + 6}px`;
  };
  for (const name of ["pointerover", "pointerdown", "focusin"]) root.addEventListener(name, show);
  for (const name of ["pointerleave", "focusout", "step"]) root.addEventListener(name, () => (tip.hidden = true));
}

const ICONS = {
  first: "M3 3v10M13 3l-7 5 7 5z", back: "M11 3l-7 5 7 5z", play: "M4 2l10 6-10 6z", pause: "M4 3v10M12 3v10",
  forward: "M5 3l7 5-7 5z", last: "M13 3v10M3 3l7 5-7 5z",
};

function icon(name) {
  return svg("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" },
    svg("path", {
      d: ICONS[name], fill: "currentColor", stroke: "currentColor", "stroke-width": name === "pause" ? 3 : 1.5,
      "stroke-linejoin": "round",
    }));
}

const LIGHT = `--pz-back:#fbfaf7; --pz-ink:#1f2328; --pz-faint:#5f6670; --pz-rule:#d8d4ca; --pz-accent:#0b62a8;
  --pz-fill:#e9eef3; --pz-good:#1b7f4d; --pz-bad:#b3261e; --pz-warm:#d55e00;`;
const DARK = `--pz-back:#1d2127; --pz-ink:#e8e6e1; --pz-faint:#a3a9b3; --pz-rule:#3a4049; --pz-accent:#79bdf2;
  --pz-fill:#2a3038; --pz-good:#5cc48f; --pz-bad:#ff8a80; --pz-warm:#f2a154;`;
const STYLE = `
.pz { ${LIGHT} position:relative; box-sizing:border-box; max-width:100%; margin:1rem 0; padding:0.9rem 1rem; color:var(--pz-ink);
  background:var(--pz-back); border:1px solid var(--pz-rule); border-radius:10px; font:15px/1.45 system-ui,sans-serif; }
@media (prefers-color-scheme: dark) { .pz { ${DARK} } }
:root[data-theme="light"] .pz { ${LIGHT} }
:root[data-theme="dark"] .pz { ${DARK} }
.pz:focus-visible { outline:2px solid var(--pz-accent); outline-offset:2px; }
.pz-title { font-weight:600; margin-bottom:0.6rem; }
.pz-stage { touch-action:pan-y; }
.pz-caption { min-height:1.5em; margin:0.5rem 0; color:var(--pz-faint); }
.pz-controls { display:flex; flex-wrap:wrap; align-items:center; gap:0.35rem; }
.pz-button { display:inline-flex; align-items:center; justify-content:center; width:2.5rem; height:2.3rem; padding:0;
  color:var(--pz-ink); background:var(--pz-fill); border:1px solid var(--pz-rule); border-radius:7px; cursor:pointer; }
.pz-button:hover { border-color:var(--pz-accent); color:var(--pz-accent); }
.pz-slider { flex:1 1 8rem; min-width:6rem; accent-color:var(--pz-accent); }
.pz-counter { min-width:7.5em; font-variant-numeric:tabular-nums; color:var(--pz-faint); font-size:0.9em; }
.pz-speed { color:var(--pz-ink); background:var(--pz-fill); border:1px solid var(--pz-rule); border-radius:7px; height:2.3rem; }
.pz-tip { position:absolute; z-index:5; transform:translateX(-50%); max-width:18rem; padding:0.25rem 0.55rem; border-radius:6px;
  background:var(--pz-ink); color:var(--pz-back); font-size:0.85em; white-space:pre-line; pointer-events:none; }
.pz-tip[hidden] { display:none; }
.pz table { border-collapse:collapse; margin:0; font:inherit; font-variant-numeric:tabular-nums; }
.pz th, .pz td { padding:0.15rem 0.6rem; text-align:left; border-bottom:1px solid var(--pz-rule); }
.pz th { font-weight:600; color:var(--pz-faint); }
.pz-columns { display:flex; flex-wrap:wrap; gap:1.2rem; align-items:flex-start; }
`;

function addStyle() {
  if (document.getElementById("pz-style")) return;
  const style = el("style", { id: "pz-style" });
  style.textContent = STYLE;
  document.head.append(style);
}
