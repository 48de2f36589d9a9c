"""When to resign: thresholds counted on games with planted evaluations."""

from conftest import prezero

from arena.game import Played, Record, Slot, Thought
from arena.game_file import write_game
from arena.resignation import Seat, Settings, row_of, seats_of
from go.match import COUNTED, RESIGNED
from go.position import Position

WHO = "alpha resign=-1"


def write(path, black: str, white: str, result: str, rates: list[int], how: str = COUNTED) -> None:
    """Write a game of the arena whose moves have these win rates, in percent, black's first."""
    position, comments = Position(9), {}
    for ply, rate in enumerate(rates):
        position = position.play(f"{'ABCDEFGHJ'[ply % 9]}{2 + 2 * (ply // 9)}")
        comments[ply] = f"win rate: {rate}%\nsome reason"
    played = Played(Slot(black, white, 1), result, how, "", "", len(rates), (Thought(3, 1.0, 0.5),) * 2)
    path.write_bytes(write_game(Record(played, position, comments)))


def test_a_threshold_counts_from_the_first_value_below_it():
    seats = [
        Seat([(0, 0.1), (2, -0.85), (4, -0.95)], moves=10, is_won=False),
        Seat([(1, -0.6), (3, -0.82), (5, 0.9)], moves=8, is_won=True),
        Seat([(0, 0.0), (2, -0.8)], moves=6, is_won=False),
        Seat([], moves=5, is_won=True),
    ]
    assert row_of(seats, -0.9) == (-0.9, 1, 0, 6.0)
    assert row_of(seats, -0.8) == (-0.8, 2, 1, (8 + 5) / 2)
    assert row_of(seats, -0.5) == (-0.5, 3, 1, (8 + 7 + 4) / 3)
    assert row_of(seats, -1.0) == (-1.0, 0, 0, 0.0)


def test_only_games_played_to_their_end_are_read_from_the_side_of_the_player(tmp_path):
    write(tmp_path / "1.sgf", WHO, "other", "B+3.5", [50, 99, 4, 99])
    write(tmp_path / "2.sgf", "other", WHO, "B+0.5", [99, 30, 99, 6])
    write(tmp_path / "3.sgf", WHO, "other", "W+R", [50, 99, 4, 99], RESIGNED)
    write(tmp_path / "4.sgf", "another", "other", "W+1.5", [50, 50])
    seats, resigned = seats_of(Settings(sources=str(tmp_path), who=WHO))
    assert resigned == 1
    assert [(seat.moves, seat.is_won) for seat in seats] == [(4, True), (4, False)]
    assert [[(ply, round(value, 2)) for ply, value in seat.values] for seat in seats] == [
        [(0, 0.0), (2, -0.92)],
        [(1, -0.4), (3, -0.88)],
    ]
    done = prezero("arena.resignation", f"sources={tmp_path}", f"who='{WHO}'", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 games of alpha resign=-1 that were played to their end, 1 of them lost." in done.stdout
    assert "Left out, because somebody resigned: 1." in done.stdout
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if "|" in line]
    found = {row[0]: row[1:] for row in rows}
    assert found["-0.9"][:2] == ["1", "1"] and found["-0.9"][3] == "2.0"
    assert found["-0.8"][:2] == ["2", "1"] and found["-0.8"][3] == "1.5"
    assert found["-0.95"] == ["0", "0", "-", "-"]


def test_refusals(tmp_path):
    assert "Say whose resignations to calibrate" in prezero("arena.resignation", runs=tmp_path).stderr
    write(tmp_path / "3.sgf", WHO, "other", "W+R", [50, 99, 4, 99], RESIGNED)
    done = prezero("arena.resignation", f"sources={tmp_path}", f"who='{WHO}'", runs=tmp_path)
    assert done.returncode == 2 and "There is no game that was played to its end" in done.stderr
