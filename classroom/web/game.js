// A game to step through on the board of the report. The data is a game as `arena/web/board.js` describes it.

import { playGame } from "./board.js";

export function start(element, data) {
  const place = document.createElement("div");
  element.replaceChildren(place);
  playGame(place, data);
}
