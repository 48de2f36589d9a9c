// A two-armed bandit, trial by trial: what is known of each arm, the bound that decides, and the table so far.
//
// data: { courses: [{ name, note, chances, formulas: [{ key, name, text }], trials: [trial, ...] }] }
// A trial: { arm, won, arms: { A: [wins, trials] }, <formula key>: { rates, bounds, next }, printed, remark }, where
// printed has the values of the slides by arm and the arm they try next. A bound of null is infinite.

import { el, play, svg } from "./player.js";
import { pause, tabs } from "./tabs.js";

const ROWS = 12; // of the table, the last ones
const WIDTH = 520, BAR = 30, LEFT = 34, RIGHT = 70;

export function start(element, data) {
  addStyle();
  const state = { formula: 0 };
  const frame = el("div");
  let player = null;

  function show(number, step) {
    const course = data.courses[number];
    pause(player);
    state.formula = 0;
    player = play(frame, {
      title: `${data.title}: ${course.name}`,
      count: course.trials.length + 1,
      unit: "trial",
      first: Math.min(step, course.trials.length),
      draw: (stage, at) => draw(stage, course, at, state, () => player.go(player.step)),
      caption: (at) => caption(course, at, state),
    });
  }
  const names = data.courses.map((course) => course.name);
  element.replaceChildren(tabs("which player", names, (number) => show(number, player.step)), frame);
  show(0, data.first ?? 0);
}

function draw(stage, course, step, state, again) {
  const formula = course.formulas[state.formula];
  const trial = course.trials[step - 1];
  const choices = tabs("formula", course.formulas.map((other) => other.name), (number) => { state.formula = number; again(); });
  choices.press(state.formula);
  stage.replaceChildren(
    course.formulas.length > 1 ? choices : "",
    el("div", { class: "bandit-formula" }, formula.text),
    bars(course, trial, formula),
    history(course, step),
    el("div", { class: "bandit-scroll" }, table(course, step, formula)));
}

function bars(course, trial, formula) {
  const arms = Object.keys(course.chances);
  const values = course.trials.flatMap((other) => Object.values(other[formula.key].bounds)).filter((value) => value !== null);
  const most = Math.max(1, ...values) * 1.04;
  const wide = (value) => (WIDTH - LEFT - RIGHT) * Math.min(value / most, 1);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${arms.length * (BAR + 14) + 4}`, class: "bandit-bars", role: "img",
    "aria-label": "bound of each arm" });
  arms.forEach((arm, number) => {
    const y = 4 + number * (BAR + 14);
    const known = trial?.[formula.key];
    const [wins, tried] = trial?.arms[arm] ?? [0, 0];
    const rate = tried ? wins / tried : 0;
    const bound = known ? known.bounds[arm] : undefined;
    const isNext = known?.next === arm;
    const infinite = known && bound === null;
    picture.append(
      svg("text", { x: 0, y: y + 21, class: "bandit-arm" }, arm),
      svg("rect", { x: LEFT, y, width: WIDTH - LEFT - RIGHT, height: BAR, class: "bandit-track", rx: 4 }));
    if (known) {
      const end = infinite ? most : bound;
      picture.append(svg("rect", { x: LEFT, y, width: wide(end), height: BAR, rx: 4, class: `bandit-bias${isNext ? " is-next" : ""}`,
        "data-tip": `${arm}: ${wins} of ${tried} won\nw/n ${rate.toFixed(3)}\nwhat is added ${infinite ? "without end" : (bound - rate).toFixed(3)}` }));
      if (rate > 0) picture.append(svg("rect", { x: LEFT, y, width: wide(rate), height: BAR, rx: 4, class: "bandit-rate" }));
      picture.append(svg("text", { x: WIDTH - RIGHT + 8, y: y + 21, class: `bandit-value${isNext ? " is-next" : ""}`, "data-bound": arm },
        tried || formula.key !== "rate" ? (infinite ? "∞" : bound.toFixed(3)) : "untried"));
    }
    const chance = LEFT + wide(course.chances[arm]);
    picture.append(svg("line", { x1: chance, x2: chance, y1: y - 3, y2: y + BAR + 3, class: "bandit-truth",
      "data-tip": `${arm} really wins ${Math.round(100 * course.chances[arm])}%` }));
  });
  return picture;
}

function history(course, step) {
  const trials = course.trials.slice(0, step);
  const shown = trials.slice(-60);
  return el("div", { class: "bandit-history", "aria-label": "trials so far" }, ...shown.map((trial) =>
    el("span", { class: `bandit-coin ${trial.won ? "is-won" : "is-lost"}`, "data-tip": `${trial.arm} ${trial.won ? "won" : "lost"}` }, trial.arm)));
}

function table(course, step, formula) {
  const arms = Object.keys(course.chances);
  const hasPrinted = course.trials.some((trial) => trial.printed);
  const head = ["trial", "arm", "won", ...arms, ...arms.map((arm) => `value of ${arm}`), "next"];
  if (hasPrinted) head.push(...arms.filter((arm) => course.trials.some((trial) => trial.printed?.[arm])).map((arm) => `printed ${arm}`), "printed next");
  const rows = course.trials.slice(Math.max(0, step - ROWS), step).map((trial, place) => {
    const number = Math.max(0, step - ROWS) + place + 1;
    const known = trial[formula.key];
    const values = arms.map((arm) => {
      const bound = known.bounds[arm];
      return bound === null ? "∞" : formula.key === "rate" && !trial.arms[arm][1] ? "-" : bound.toFixed(3);
    });
    const cells = [number, trial.arm, trial.won ? "yes" : "no", ...arms.map((arm) => trial.arms[arm].join("/")), ...values, known.next];
    if (hasPrinted) cells.push(...head.filter((name) => name.startsWith("printed ") && name !== "printed next")
      .map((name) => trial.printed?.[name.slice(8)] ?? ""), trial.printed?.next ?? "");
    const differs = trial.printed && trial.printed.next !== known.next;
    return el("tr", { class: number === step ? "is-now" : null }, ...cells.map((cell, column) =>
      el("td", { class: differs && column === cells.length - 1 ? "is-slip" : null, "data-tip": differs && column === cells.length - 1 ? trial.remark || "another arm than by this formula" : null }, String(cell))));
  });
  return el("table", { class: "bandit-table" }, el("thead", {}, el("tr", {}, ...head.map((name) => el("th", {}, name)))), el("tbody", {}, ...rows));
}

function caption(course, step, state) {
  if (step === 0) return course.note || "Nothing is known yet.";
  const trial = course.trials[step - 1];
  const known = trial[course.formulas[state.formula].key];
  const said = `Trial ${step}: arm ${trial.arm} ${trial.won ? "wins" : "loses"}. Next by this formula: ${known.next}.`;
  return trial.remark ? `${said} Printed: ${trial.remark}.` : said;
}

const STYLE = `
.bandit-formula { font-family:ui-monospace,monospace; color:var(--pz-faint); margin:0.2rem 0 0.4rem; }
.bandit-bars { width:100%; max-width:640px; height:auto; display:block; }
.bandit-arm { font:600 18px system-ui,sans-serif; fill:var(--pz-ink); }
.bandit-value { font:15px system-ui,sans-serif; fill:var(--pz-ink); font-variant-numeric:tabular-nums; }
.bandit-value.is-next { font-weight:700; fill:var(--pz-warm); }
.bandit-track { fill:var(--pz-fill); }
.bandit-bias { fill:var(--pz-accent); opacity:0.35; }
.bandit-bias.is-next { fill:var(--pz-warm); opacity:0.45; }
.bandit-rate { fill:var(--pz-accent); }
.bandit-truth { stroke:var(--pz-ink); stroke-width:2; stroke-dasharray:3 3; }
.bandit-history { display:flex; flex-wrap:wrap; gap:4px; min-height:1.7rem; margin:0.6rem 0; }
.bandit-coin { width:1.5rem; height:1.5rem; line-height:1.5rem; border-radius:50%; text-align:center; font-size:0.8em; box-sizing:border-box; }
.bandit-coin.is-won { background:var(--pz-good); color:var(--pz-back); }
.bandit-coin.is-lost { border:1.5px solid var(--pz-bad); color:var(--pz-bad); line-height:1.3rem; }
.bandit-scroll { overflow-x:auto; }
.bandit-table { font-size:0.9em; white-space:nowrap; }
.bandit-table tr.is-now td { background:var(--pz-fill); font-weight:600; }
.bandit-table td.is-slip { color:var(--pz-bad); font-weight:700; text-decoration:underline wavy; }
`;

function addStyle() {
  if (document.getElementById("bandit-style")) return;
  const style = el("style", { id: "bandit-style" });
  style.textContent = STYLE;
  document.head.append(style);
}
