"""The six boards of Figure 5 on one sheet: what networks and rollouts say of each move, and its share of the visits."""

from collections.abc import Sequence

import numpy as np

from apv_mcts.search import Search
from apv_mcts.views import NO_SIMULATIONS, View, numbered, views_of
from go.coordinates import PASS, gtp_from_point
from go.draw import HEAT, WOOD, board_svg, board_width
from go.panels import Panel, Scale, sheet_svg
from go.position import Position

LOSS, EVEN, WIN = "#9970ab", "#f7f7f7", "#5aae61"  # light enough for dark numbers, and told apart by the colour-blind
CLEAR, FAINT = 0.92, 0.3  # opacities of a number that says much, and of one that does not
CONTRAST = 0.6  # below 1: most moves are not far from even, and should be told apart
STRONGEST = 0.75  # opacity of a share of all
NUMBERED = 0.005  # shares up to that round to no percent, and are coloured only
STEPS = 50  # of colour in a scale
LETTERS = "abcdef"  # of the boards in Figure 5


def draw_sheet(search: Search, title: str, facts: Sequence[str], letters: str = LETTERS) -> str:
    """Draw what is known of the root, with a title and lines of facts above; return the sheet as SVG.

    `letters` are the boards to draw, as the paper's figure names them.
    """
    position = search.position
    panels = {view.letter: _panel(view, position) for view in views_of(search)}
    panels["f"] = _variation(position, search.principal_variation())
    chosen = [panels[letter] for letter in letters]
    scales = [scale for scale in _scales() if any(letter in scale.title.partition(":")[0] for letter in letters)]
    return sheet_svg(title, facts, chosen, board_width(position.size), scales)


def _panel(view: View, position: Position) -> Panel:
    title = f"{view.letter}   {view.title}"
    if view.missing:
        return Panel(title, position.to_svg(), note=view.missing)
    on_board = {move: number for move, number in view.numbers.items() if move != PASS}
    is_share = view.letter in "de"
    labels = {move: f"{100 * n:.0f}" for move, n in on_board.items() if not is_share or n > NUMBERED}
    shades = {
        move: share_shade(number) if is_share else win_shade(number, move in view.faint)
        for move, number in on_board.items()
    }
    marks = {view.best: "ring"} if view.best in on_board else {}
    drawing = position.to_svg(labels=labels, quiet=view.faint, shades=shades, marks=marks)
    return Panel(title, drawing, (caption(view, position.size),))


def caption(view: View, size: int) -> str:
    """Say which move is best, and what the board has no point for."""
    said = []
    if view.best is not None:
        said.append(f"best {gtp_from_point(view.best, size)} {100 * view.numbers[view.best]:.1f}%")
    if PASS in view.numbers and view.best != PASS:
        said.append(f"pass {100 * view.numbers[PASS]:.1f}%")
    return ", ".join(said)


def _variation(position: Position, moves: list[int]) -> Panel:
    title = "f   Principal variation"
    if not moves:
        return Panel(title, position.to_svg(), note=NO_SIMULATIONS)
    colors, numbers, said = numbered(position, moves)
    drawing = board_svg(colors, labels=numbers, last_move=position.last_move or PASS)
    spelled = " ".join(gtp_from_point(move, position.size) for move in moves)
    return Panel(title, drawing, (spelled, ", ".join(said)) if said else (spelled,))


def win_shade(chance: float, is_faint: bool = False) -> tuple[str, float]:
    """Return colour and opacity of a chance to win: violet for a loss, white for an even game, green for a win."""
    color = _mixed(EVEN, WIN if chance > 0.5 else LOSS, abs(2 * chance - 1) ** CONTRAST)
    return color, FAINT if is_faint else CLEAR


def share_shade(share: float) -> tuple[str, float]:
    """Return colour and opacity of a share; they go by its root, so that small ones can be told apart."""
    return HEAT, STRONGEST * share**0.5


def _mixed(one: str, other: str, share: float) -> str:
    """Mix two colours, so much of the other."""
    first, second = (np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) for color in (one, other))
    return "#" + "".join(f"{round(part):02x}" for part in (1 - share) * first + share * second)


def _scales() -> list[Scale]:
    chances = np.linspace(0, 1, STEPS)
    wins = [_mixed(WOOD, *win_shade(chance)) for chance in chances]
    shares = [_mixed(WOOD, *share_shade(chance**2)) for chance in chances]
    percent = {0: "0%", 0.25: "25%", 0.5: "50%", 0.75: "75%", 1: "100%"}
    rooted = {(share / 100) ** 0.5: f"{share}%" for share in (0, 1, 5, 10, 25, 50, 75, 100)}
    return [
        Scale("a, b, c: wins of the side to move; small: hardly tried", wins, percent),
        Scale("d, e: share of the whole; blue ring: the best of a board", shares, rooted),
    ]
