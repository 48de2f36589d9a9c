// A row of buttons of which one is pressed, for scripts that show one of several things.
//
//   const row = tabs("which player", ["greedy", "UCB"], (number) => { ... });
//   row.press(1);           // presses a button without calling back
//
// `pause(player)` stops a player of player.js that is about to be replaced.

import { el } from "./player.js";

export function tabs(label, names, chosen) {
  addStyle();
  const row = el("div", { class: "pz-tabs", role: "group", "aria-label": label });
  const buttons = names.map((name, number) =>
    el("button", { type: "button", class: "pz-tab", "data-tab": name, onclick: () => { row.press(number); chosen(number); } }, name));
  row.press = (pressed) => buttons.forEach((button, number) => button.setAttribute("aria-pressed", String(number === pressed)));
  row.append(...buttons);
  row.press(0);
  return row;
}

export function pause(player) {
  if (player?.root.dataset.playing === "yes") player.root.querySelector("[data-do=play]").click();
}

const STYLE = `
.pz-tabs { display:flex; flex-wrap:wrap; gap:0.35rem; margin:0.35rem 0; }
.pz-tab { font:14px/1.3 system-ui,sans-serif; min-height:2.1rem; padding:0.3rem 0.85rem; border:1px solid #8a919c; border-radius:999px;
  background:transparent; color:inherit; cursor:pointer; }
.pz-tab:hover { border-color:#3c8fd0; }
.pz-tab:focus-visible { outline:2px solid #3c8fd0; outline-offset:2px; }
.pz-tab[aria-pressed="true"] { background:#0b62a8; border-color:#0b62a8; color:#ffffff; }
`;

function addStyle() {
  if (document.getElementById("tabs-style")) return;
  const style = el("style", { id: "tabs-style" });
  style.textContent = STYLE;
  document.head.append(style);
}
