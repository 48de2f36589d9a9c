"""Games that programs played out to the end on the Computer Go Server: our score is the recorded result."""

import tarfile
from collections import Counter

from sgfmill import sgf

from go import BLACK, PASS, WHITE, Position
from go.coordinates import point_from_rowcol


def replay(game: sgf.Sgf_game) -> Position:
    """Play through a game with all our checks on, positional superko included."""
    size = game.get_size()
    position = Position(size, game.get_komi())
    for node in game.get_main_sequence():
        color, move = node.get_move()
        if color is not None:
            point = PASS if move is None else point_from_rowcol(size - 1 - move[0], move[1], size)
            position.play(point, BLACK if color == "b" else WHITE)
    return position


def test_area_score_gives_the_recorded_result(games_folder):
    """2,843 of the 5,072 games ended with two passes, and all of them agree, in the score too.

    The others say nothing of the score: 2,159 were resigned and 70 lost on time.
    """
    outcomes = Counter()
    with tarfile.open(games_folder / "cgos9.tar.xz") as archive:
        for member in archive:
            if not member.isfile():
                continue
            game = sgf.Sgf_game.from_bytes(archive.extractfile(member).read())
            recorded = game.get_root().get("RE")
            position = replay(game)
            if not position.is_over:
                outcomes["time" if recorded.endswith("Time") else "resigned"] += 1
                assert recorded[2:] in ("Time", "Resign"), member.name
                continue
            ours = position.result()
            agree = recorded in ("0", "Draw") if ours == "0" else recorded == f"{ours[:2]}{float(ours[2:])}"
            outcomes["agree" if agree else "differ"] += 1
    assert outcomes == {"agree": 2843, "resigned": 2159, "time": 70}
