"""The boards of a report, as `web/board.js` takes them: games to click through, and the six views of Figure 5."""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from apv_mcts.player import SearchPlayer
from apv_mcts.search import Search
from apv_mcts.sheet import LETTERS, NUMBERED, caption
from apv_mcts.show import facts_of, think
from apv_mcts.views import NO_SIMULATIONS, View, numbered, views_of
from arena.game import Played, Slot
from arena.players import new_player, preset
from arena.report_data import Reading, moves_of, position_after
from go.board import BLACK, WHITE
from go.coordinates import PASS, gtp_from_point
from go.position import Position
from pipeline.errors import UserError

COLORS = {BLACK: "black", WHITE: "white"}
LETTER = {BLACK: "B", WHITE: "W"}


def sample_slots(reading: Reading, most: int) -> list[Slot]:
    """Choose games to show: the best player against other programs, everyone against the next in the ladder, the rest.

    Where not everyone has met everyone, pairs without games are left out.
    """
    names, engines = reading.names, reading.engines
    wanted = [(names[0], engine) for engine in engines if engine != names[0]]
    wanted += itertools.pairwise(names)
    wanted += sorted(itertools.combinations(names, 2), key=lambda pair: names.index(pair[0]) + names.index(pair[1]))
    pairs = [pair for pair in dict.fromkeys(wanted) if Slot(*pair, 1) in reading.games]
    return [Slot(*(pair if number % 2 else pair[::-1]), 1) for number, pair in enumerate(pairs[:most])]


def game_board(played: Played, data: bytes) -> dict[str, Any]:
    """Describe a game with both players' evaluations as a curve."""
    moves, (black, white, opening) = moves_of(data), played.slot
    names = {BLACK: black, WHITE: white}
    curves = []
    for color, name in names.items():
        said = [
            [number, round(move.black_wins, 4)]
            for number, move in enumerate(moves, 1)
            if move.color == color and move.black_wins is not None
        ]
        if said:
            curves.append({"name": name, "color": COLORS[color], "values": said})
    comments = {"0": f"Opening {opening}: the first moves are random."}
    comments |= {str(n): f"{names[move.color]}: {move.why}" for n, move in enumerate(moves, 1) if move.why}
    last = str(len(moves))
    comments[last] = "\n".join(filter(None, [comments.get(last, ""), f"{played.result}: {played.how}. {played.why}"]))
    return {
        "size": position_after(data, 0).size,
        "moves": [f"{LETTER[move.color]} {move.point}" for move in moves],
        "black": black,
        "white": white,
        "result": played.result,
        "name": f"{black} – {white}, {played.result}",
        "at": len(moves) // 2,
        "comments": comments,
        "curves": curves,
        "curve": {"title": "Black wins, in the eyes of each player that says so", "middle": 0.5},
    }


class Views(NamedTuple):
    """The six boards of a position: who searched it, where it comes from, and the boards."""

    title: str
    facts: list[str]
    boards: list[dict[str, Any]]


def six_views(reading: Reading, name: str, simulations: int) -> Views:
    """Search a position from the middle of a game of the ladder, and describe the six boards of Figure 5.

    The player searches with the weights of the run and one thread, so that the same run gives the same boards.
    """
    slot = next((slot for slot in sample_slots(reading, len(reading.games)) if name in slot[:2]), None)
    played, data = reading.games[slot] if slot else next(iter(reading.games.values()))
    position = middle_of(data)
    settings = preset(name)
    settings.run = reading.manifests["arena.ladder"]["metrics"]["chosen"].get("weights") or reading.run
    settings.simulations, settings.seconds, settings.search.threads = simulations, 0.0, 1
    player = new_player(settings)
    if not isinstance(player, SearchPlayer):
        raise UserError(f"searcher={name} does not search, so it has no six views; alpha_rvp does.")
    search = player.get_ready(position.size)
    search.set_position(position)
    facts = facts_of(search, settings, *think(search, simulations, 0.0))
    where = f"After move {len(position.history)} of {played.slot.black} – {played.slot.white}"
    return Views(where, facts, boards_of(search))


def middle_of(data: bytes) -> Position:
    """Return the position in the middle of a game, which is not over."""
    return position_after(data, len(moves_of(data)) // 2)


def boards_of(search: Search) -> list[dict[str, Any]]:
    """Describe boards a to f of the root of a search."""
    position = search.position
    boards = {view.letter: view_board(view, position) for view in views_of(search)}
    boards["f"] = variation_board(position, search.principal_variation())
    return [boards[letter] for letter in LETTERS]


def stones(position: Position) -> dict[str, Any]:
    """Describe the stones of a position."""
    last = position.last_move
    shown = {"last": gtp_from_point(last, position.size)} if last not in (None, PASS) else {}
    return {"size": position.size, "rows": rows(position.colors)} | shown


def rows(colors: Any) -> list[str]:
    return ["".join({BLACK: "X", WHITE: "O"}.get(int(color), ".") for color in row) for row in colors]


def view_board(view: View, position: Position) -> dict[str, Any]:
    """Describe a board of numbers."""
    board = stones(position) | {"title": f"{view.letter}  {view.title}"}
    if view.missing:
        return board | {"note": view.missing, "caption": ""}
    size, is_share = position.size, view.letter in "de"
    on_board = {move: number for move, number in view.numbers.items() if move != PASS}
    heat = {
        "values": {gtp_from_point(move, size): round(number, 5) for move, number in on_board.items()},
        "scale": "share" if is_share else "win",
        "least": NUMBERED if is_share else 0,
        "faint": [gtp_from_point(move, size) for move in view.faint if move != PASS],
        "legend": "share of the whole" if is_share else "wins of the side to move",
    }
    marks = {gtp_from_point(view.best, size): "ring"} if view.best in on_board else {}
    return board | {"heat": heat, "marks": marks, "caption": caption(view, size)}


def variation_board(position: Position, moves: Sequence[int]) -> dict[str, Any]:
    """Describe the principal variation."""
    board = stones(position) | {"title": "f  Principal variation"}
    if not moves:
        return board | {"note": NO_SIMULATIONS, "caption": ""}
    colors, numbers, said = numbered(position, moves)
    spelled = " ".join(gtp_from_point(move, position.size) for move in moves)
    labels = {gtp_from_point(move, position.size): str(number) for move, number in numbers.items()}
    return board | {"rows": rows(colors), "labels": labels, "caption": "; ".join([spelled, *said])}
