// How n_thr follows the queue: requests that wait, the work of the network, and n_thr, look by look. The data are those
// of `classroom/queue_load.py`.

import { el, percent, play, svg } from "./player.js";

const WIDTH = 640, LEFT = 44, RIGHT = 12;
const UPPER = [22, 132], LOWER = [172, 282]; // top and bottom of the two plots
const MOST_DOTS = 64;

export function start(element, data) {
  addStyle();
  const looks = data.looks, end = looks[looks.length - 1].seconds;
  const most = Math.max(2 * data.batch + 4, ...looks.map((look) => look.waiting));
  const highest = Math.max(data.start, ...looks.map((look) => look.n_thr));
  const x = (seconds) => LEFT + ((WIDTH - LEFT - RIGHT) * seconds) / end;
  const y = ([top, bottom], share) => bottom - (bottom - top) * share;
  const now = svg("path", { stroke: "var(--pz-accent)", "stroke-width": 2 });
  const dots = el("div", { class: "pq-dots", "aria-hidden": "true" });
  const facts = el("div", { class: "pq-facts" });

  function plot() {
    const slow = svg("rect", {
      x: x(data.phase), y: UPPER[0], width: x(Math.min(2 * data.phase, end)) - x(data.phase), height: LOWER[1] - UPPER[0],
      fill: "var(--pz-warm)", "fill-opacity": 0.13,
    });
    const bars = looks.map((look, i) => svg("rect", {
      x: x(look.seconds) - 2, width: 4, y: y(UPPER, look.waiting / most), height: Math.max(UPPER[1] - y(UPPER, look.waiting / most), 0.5),
      fill: "var(--pz-bad)", "data-tip": `${look.seconds.toFixed(2)} s: ${look.waiting} requests wait`, "data-look": i,
    }));
    const limit = y(UPPER, (2 * data.batch) / most);
    const steps = looks.map((look, i) => `${i ? `H${x(look.seconds)}V` : `M${x(0)} ${y(LOWER, data.start / highest)}H${x(look.seconds)}V`}${y(LOWER, look.n_thr / highest)}`).join("");
    const text = (where, at, said, more = {}) => svg("text", { x: where, y: at, fill: "var(--pz-faint)", "font-size": 12, ...more }, said);
    const axis = ([top, bottom], largest) => [
      svg("path", { d: `M${LEFT} ${top}V${bottom}H${WIDTH - RIGHT}`, fill: "none", stroke: "var(--pz-rule)" }),
      text(LEFT - 6, top + 4, String(largest), { "text-anchor": "end" }), text(LEFT - 6, bottom + 4, "0", { "text-anchor": "end" })];
    const middle = (x(data.phase) + x(Math.min(2 * data.phase, end))) / 2;
    return svg("svg", { viewBox: `0 0 ${WIDTH} 306`, class: "pq-plot", role: "img", "aria-label": "requests that wait, and n_thr, against seconds" },
      slow, ...axis(UPPER, most), ...axis(LOWER, highest),
      svg("path", { d: `M${LEFT} ${limit}H${WIDTH - RIGHT}`, stroke: "var(--pz-faint)", "stroke-dasharray": "4 4" }),
      text(WIDTH - RIGHT, limit - 4, "two batches", { "text-anchor": "end", "font-size": 11 }), ...bars,
      svg("path", { d: steps, fill: "none", stroke: "var(--pz-accent)", "stroke-width": 2.2 }),
      text(LEFT, UPPER[0] - 8, "requests that wait", { fill: "var(--pz-bad)" }),
      text(LEFT, LOWER[0] - 8, "n_thr", { fill: "var(--pz-accent)" }),
      text(middle, UPPER[0] - 8, `network rests ${Math.round(1000 * data.pause)} ms before each answer`, { "text-anchor": "middle", fill: "var(--pz-warm)" }),
      text(LEFT, 302, "0 s"), text(WIDTH - RIGHT, 302, `${end.toFixed(1)} s`, { "text-anchor": "end" }), now);
  }

  play(element, {
    title: data.title, count: looks.length, unit: "look", speed: 4,
    draw(stage, at) {
      if (!stage.childElementCount) {
        stage.append(el("div", { class: "pq-row" }, el("div", { class: "pq-queue" }, el("div", { class: "pq-name" }, "queue"), dots), facts), plot());
      }
      const look = looks[at];
      now.setAttribute("d", `M${x(look.seconds)} ${UPPER[0]}V${LOWER[1]}`);
      dots.replaceChildren(...Array.from({ length: Math.min(look.waiting, MOST_DOTS) }, () => el("i")));
      const arrow = look.change > 0 ? "\u2191" : look.change < 0 ? "\u2193" : "=";
      facts.replaceChildren(
        el("div", {}, el("span", {}, "network at work"), el("meter", { min: 0, max: 1, value: look.busy }), el("b", {}, percent(look.busy))),
        el("div", {}, el("span", {}, "n_thr"), el("b", { class: "pq-thr" }, `${look.n_thr} ${arrow}`)));
    },
    caption: (at) => told(data, looks[at]),
  });
}

function told(data, look) {
  if (look.change > 0) return `${look.waiting} requests wait, more than two batches of ${data.batch}: n_thr rises, so fewer new nodes ask.`;
  if (look.change < 0) return `The network worked ${percent(look.busy)} of the time and could answer more: n_thr falls.`;
  return "The network is busy and the queue is short: n_thr stays as it is.";
}

const STYLE = `
.pq-row { display:flex; flex-wrap:wrap; gap:0.8rem 2rem; margin-bottom:0.8rem; align-items:flex-start; }
.pq-queue { flex:1 1 16rem; min-height:3.4rem; }
.pq-name { font-size:0.85em; color:var(--pz-faint); }
.pq-dots { display:flex; flex-wrap:wrap; gap:3px; max-width:24rem; }
.pq-dots i { width:0.75rem; height:0.75rem; border-radius:3px; background:var(--pz-bad); }
.pq-facts { display:flex; flex-direction:column; gap:0.3rem; min-width:15rem; }
.pq-facts div { display:flex; gap:0.6rem; align-items:center; }
.pq-facts span { min-width:8em; color:var(--pz-faint); font-size:0.9em; }
.pq-facts meter { width:5rem; }
.pq-facts b { font-variant-numeric:tabular-nums; }
.pq-thr { font-size:1.3em; color:var(--pz-accent); }
.pq-plot { display:block; width:100%; max-width:52rem; height:auto; font-family:system-ui,sans-serif; }
`;

function addStyle() {
  if (document.getElementById("pq-style")) return;
  const style = el("style", { id: "pq-style" });
  style.textContent = STYLE;
  document.head.append(style);
}
