"""The game as an SGF record, through sgfmill.

`data.record` reads what people really write, to learn from it; here a file that is not sound is refused.
"""

from sgfmill import sgf

from go.board import BLACK, WHITE
from go.coordinates import PASS, point_from_rowcol, rowcol_from_point
from go.position import Position

LETTERS = {BLACK: "b", WHITE: "w"}
COLORS = {letter: color for color, letter in LETTERS.items()}


def write_record(position: Position, result: str = "") -> str:
    """Write a game from its set-up to its last move."""
    start = position.copy()
    while start.history:
        start.undo()
    game = sgf.Sgf_game(size=position.size)
    root = game.get_root()
    root.set("KM", position.komi)
    if result:
        root.set("RE", result)
    black, white = (_places(start, color) for color in (BLACK, WHITE))
    if black or white:
        root.set_setup_stones(black, white)
        root.set("PL", LETTERS[start.to_move])
        if len(black) > 1 and not white:
            root.set("HA", len(black))
    for color, point in position.history:
        game.extend_main_sequence().set_move(LETTERS[color], None if point == PASS else _place(point, position.size))
    return game.serialise().decode("utf-8").strip()


def read_record(data: bytes, komi: float, before: int | None = None) -> Position:
    """Play a game up to the position before a move, counted from 1, or to its end; what is not sound is a ValueError.

    `komi` is for a record without one.
    """
    game = sgf.Sgf_game.from_bytes(data)
    nodes = game.get_main_sequence()
    if game.get_root().has_property("KM"):
        komi = game.get_komi()
    position = Position(game.get_size(), komi, superko=False)
    moves = 0
    for number, node in enumerate(nodes):
        if node.has_setup_stones():
            _set_up(position, nodes[number:])
        color, place = node.get_move()
        if color is not None:
            moves += 1
            if before is not None and moves >= before:
                break
            position.play(PASS if place is None else _point(place, position.size), COLORS[color])
    return position


def _set_up(position: Position, nodes: list[sgf.Tree_node]) -> None:
    """Do what the first of some nodes sets up; whose turn it is, it says itself, or the next move does."""
    black, white, empty = ({_point(place, position.size) for place in places} for places in nodes[0].get_setup_stones())
    to_move = next((COLORS[color] for color, _ in (node.get_move() for node in nodes) if color), None)
    if nodes[0].has_property("PL"):
        to_move = COLORS[nodes[0].get("PL")]
    elif to_move is None and len(black) > 1 and not white and not position.history:  # a handicap and nothing else
        to_move = WHITE
    position.set_up(black, white, empty, to_move)


def _places(position: Position, color: int) -> list[tuple[int, int]]:
    rows, columns = (position.colors == color).nonzero()
    return [(position.size - 1 - row, column) for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]


def _place(point: int, size: int) -> tuple[int, int]:
    row, column = rowcol_from_point(point, size)
    return size - 1 - row, column  # sgfmill counts rows from below


def _point(place: tuple[int, int], size: int) -> int:
    return point_from_rowcol(size - 1 - place[0], place[1], size)
