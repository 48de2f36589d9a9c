"""Games as SGF: the one writer of the project, and a strict reader of sound files.

`data.record` reads what people and servers really write, to learn from it. The reader here refuses what is not sound,
and bounds what it takes, because a GTP client can name any file.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from sgfmill import sgf, sgf_grammar

from go.board import BLACK, EMPTY, WHITE
from go.coordinates import PASS, point_from_rowcol, sgf_from_point
from go.dead_stones import stones
from go.errors import GoError
from go.position import Position

LARGEST = 4_000_000  # bytes of a file; the longest annotated games have a tenth of it
MOST_PARTS = 400_000  # nodes and values of a file, which take far more memory than their bytes
MOST_NODES = 10_000  # of a main line; far above any game
COLORS = {"b": BLACK, "w": WHITE}
MOVE = {BLACK: "B", WHITE: "W"}
SETUP = {BLACK: "AB", WHITE: "AW", EMPTY: "AE"}


def write_sgf(
    size: int,
    moves: Iterable[tuple[int, int]],
    header: Mapping[str, str],
    setup: Iterable[tuple[int, int, int]] = (),
    comments: Mapping[int, str] | None = None,
) -> bytes:
    """Write a game, given by its moves as (colour, point).

    `header` holds properties of the root as text; empty ones are left out. `setup` are stones as (ply, colour, point)
    that are set up before the move with that number, in the order of the game. `comments` are on moves, by their number
    from 0.
    """
    root = {"FF": [b"4"], "GM": [b"1"], "CA": [b"UTF-8"], "SZ": [b"%d" % size]}
    root |= {name: [sgf_grammar.escape_text(text.encode())] for name, text in header.items() if text}
    tree = sgf_grammar.Coarse_game_tree()
    tree.sequence = [root]
    waiting = list(setup)[::-1]
    for ply, (color, point) in enumerate([*moves, (EMPTY, PASS)]):  # the last one is for stones after the last move
        while waiting and waiting[-1][0] <= ply:
            _, stone, place = waiting.pop()
            if ply:
                tree.sequence.append({})
            tree.sequence[-1].setdefault(SETUP[stone], []).append(sgf_from_point(place, size).encode())
        if color != EMPTY:
            tree.sequence.append({MOVE[color]: [sgf_from_point(point, size).encode()]})
            if comments and ply in comments:
                tree.sequence[-1]["C"] = [sgf_grammar.escape_text(comments[ply].encode())]
    return sgf_grammar.serialise_game_tree(tree)


def position_sgf(
    position: Position, header: Mapping[str, str] | None = None, comments: Mapping[int, str] | None = None
) -> bytes:
    """Write the game that led to a position, from its set-up to its last move."""
    start = position.start()
    black, white = (stones(start, color) for color in (BLACK, WHITE))
    properties = {"KM": f"{position.komi:g}", **(header or {})}
    if black or white:
        properties["PL"] = MOVE[start.to_move]
        properties["HA"] = str(len(black)) if len(black) > 1 and not white else ""
    in_order = sorted(black | white, key=lambda point: sgf_from_point(point, position.size))
    setup = [(0, start.color_at(point), point) for point in in_order]
    return write_sgf(position.size, position.history, properties, setup, comments)


def read_sgf(path: Path, komi: float, before: int | None = None) -> Position:
    """Play the main line of a file, to its end or up to the position before a move, counted from 1.

    `komi` is for a file without one. A file that is not sound is a ValueError or an OSError.
    """
    if path.exists() and not path.is_file():
        raise GoError(f"{path} is not a file.")
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST or data.count(b";") + data.count(b"[") > MOST_PARTS:
        raise GoError(f"{path} is too large for a game record.")
    game = sgf.Sgf_game.from_bytes(data)
    nodes = game.get_main_sequence()
    if len(nodes) > MOST_NODES:
        raise GoError(f"{path} has more than {MOST_NODES:,} nodes in its main line.")
    if game.get_root().has_property("KM"):
        komi = game.get_komi()
    position = Position(game.get_size(), komi, superko=False)
    movers = _movers(nodes)
    moves = 0
    for node, mover in zip(nodes, movers, strict=True):
        if node.has_setup_stones():
            _set_up(position, node, mover)
        color, place = node.get_move()
        if color is not None:
            moves += 1
            if before is not None and moves >= before:
                break
            position.play(PASS if place is None else _point(place, position.size), COLORS[color])
    return position


def _movers(nodes: list[sgf.Tree_node]) -> list[int | None]:
    """Return for each node the colour of the next move, its own included; None after the last move."""
    movers, mover = [], None
    for node in reversed(nodes):
        mover = COLORS.get(node.get_move()[0], mover)
        movers.append(mover)
    return movers[::-1]


def _set_up(position: Position, node: sgf.Tree_node, mover: int | None) -> None:
    """Set up the stones of a node. The node itself says whose turn it is, or the next move does."""
    black, white, empty = ({_point(place, position.size) for place in places} for places in node.get_setup_stones())
    if node.has_property("PL"):
        mover = COLORS[node.get("PL")]
    elif mover is None and len(black) > 1 and not white and not position.history:  # a handicap and nothing else
        mover = WHITE
    position.set_up(black, white, empty, mover)


def _point(place: tuple[int, int], size: int) -> int:
    return point_from_rowcol(size - 1 - place[0], place[1], size)  # sgfmill counts rows from below
