"""The exact solver: its rules are those of the board, its values those of brute force, superko included."""

import functools

import numpy as np
import pytest
from tiny_boards import after, area, black_wins

from classics.player import SolverPlayer
from classics.solver import Solver
from classics.tiny_rules import ILLEGAL, bit_margin, bit_play, bits_of, new_grid, sure_points
from go.board import BLACK, WHITE
from go.coordinates import PASS, action_from_point, gtp_from_point, point_from_action
from go.errors import GoError
from go.match import play_game
from go.player import RandomPlayer
from go.position import Position


def random_position(size, plies, seed, komi=0.0):
    rng = np.random.default_rng((size, plies, seed))
    position = Position(size, komi)
    for _ in range(plies):
        moves = position.legal_moves().tolist()
        position.play(int(rng.choice(moves)) if moves and rng.random() > 0.1 else PASS)
        if position.is_over:
            return random_position(size, plies, seed + 1000, komi)
    return position


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_bits_obey_the_rules_of_the_board(size):
    grid = new_grid(size)
    for seed in range(40):
        position = random_position(size, 2 + seed % 25, seed)
        position.superko = False
        position.board["ko"] = 0
        black, white = bits_of(position)
        assert bit_margin(black, white, grid) == position.score()
        own, other = (black, white) if position.to_move == BLACK else (white, black)
        for action in range(size * size):
            point = point_from_action(action, size)
            found = bit_play(own, other, 1 << action, grid)
            assert (found != (ILLEGAL, ILLEGAL)) == position.is_legal(point)
            if found != (ILLEGAL, ILLEGAL):
                stones = bits_of(position.copy().play(point))
                assert found == (stones if position.to_move == BLACK else stones[::-1])


def test_sure_points_stay_though_their_owner_passes():
    rng, found = np.random.default_rng(1), 0
    for size in (4, 5):
        grid = new_grid(size)
        for seed in range(150):
            position = random_position(size, 25 + seed % 10, seed)
            stones = bits_of(position)
            for own, color in ((0, BLACK), (1, WHITE)):
                sure = sure_points(stones[own], grid)
                if not sure:
                    continue
                found += 1
                attacked = position.copy().set_up(to_move=BLACK + WHITE - color)
                for _ in range(25):
                    moves = attacked.legal_moves().tolist()
                    attacked.play(int(rng.choice(moves)) if moves else PASS)
                    attacked.board["passes"] = 0
                    attacked.play(PASS)
                owned = attacked.owners().ravel()
                assert all(owned[i] == color for i in range(size * size) if sure >> i & 1)
    assert found > 20


def brute_force(position, target):
    """Tell if black scores at least `target`, trying everything; superko is kept with the set of all past boards."""
    size = position.size

    def drawn(at):
        return "".join(".XO"[color] for color in at.colors.ravel())

    past, seen = position.start(), []
    seen.append(drawn(past))
    for color, point in position.history:
        seen.append(drawn(past.play(point, color)))

    @functools.cache
    def wins(board, color, seen, passes):
        if passes == 2:
            return area(board, size) >= target
        other = "O" if color == "X" else "X"
        boards = [after(board, color, p, size) for p in range(size * size)]
        moves = [(new, seen | {new}, 0) for new in boards if new is not None and new not in seen]
        moves.append((board, seen, passes + 1))
        results = (wins(new, other, known, count) for new, known, count in reversed(moves))
        return any(results) if color == "X" else all(results)

    to_move = "X" if position.to_move == BLACK else "O"
    return wins(drawn(position), to_move, frozenset(seen), int(position.board["passes"]))


def test_on_2x2_every_answer_is_that_of_brute_force_with_the_history_of_the_game():
    solver, by_history = Solver(2), {}
    for seed in range(120):
        position = random_position(2, 3 + seed % 8, seed)
        value = solver.value(position)
        assert brute_force(position, value) and (value == 4 or not brute_force(position, value + 1))
        by_history.setdefault((*bits_of(position), position.to_move), set()).add(value)
    assert any(len(values) > 1 for values in by_history.values())  # equal stones, other games, other values


def test_late_positions_on_3x3_are_those_of_brute_force():
    solver, tried = Solver(3), 0
    for seed in range(400):
        position = random_position(3, 14 + seed % 12, seed)
        black, white = bits_of(position)
        if bin(black | white).count("1") < 6:
            continue
        value = solver.value(position)
        try:
            assert brute_force(position, value) and (value == 9 or not brute_force(position, value + 1))
        except RecursionError:
            continue
        tried += 1
        if tried == 12:
            return
    pytest.fail(f"only {tried} positions were tried")


def test_known_boards():
    """Black wins by 1 on 2x2 and by 9 on 3x3 with the centre; the side wins by 3, the corner loses all."""
    assert Solver(2).value(Position(2)) == 1
    solver = Solver(3)
    move, value = solver.best_move(Position(3))
    assert gtp_from_point(move, 3) == "B2" and value == 9
    assert {opening: solver.value(Position(3).play(opening)) for opening in ("B2", "B3", "A3")} == {
        "B2": 9,
        "B3": 3,
        "A3": -9,
    }
    assert solver.winner(Position(3).play("B3"), 3) == BLACK == (BLACK if black_wins(3, 2.5, 1, 16, False) else WHITE)
    assert solver.winner(Position(3), 9) == BLACK == (BLACK if black_wins(3, 8.5, 4, 16, False) else WHITE)


def test_on_4x4_a_value_is_that_of_the_best_move():
    """A minimax step over all moves agrees with the value, for both sides."""
    for moves in ("B2 C3 B3 C2 B4 C4 A1 C1 D1", "B2 C2 C3 B3 D2 B1 C4 A2 D3 B4"):
        position = Position(4)
        for move in moves.split():
            position.play(move)
        solver = Solver(4)
        move, value = solver.best_move(position)
        children = [*position.legal_moves().tolist(), PASS]
        values = {child: solver.value(position.copy().play(child)) for child in children}
        best = (max if position.to_move == BLACK else min)(values.values())
        assert value == best == values[move]


def test_the_player_reaches_the_value_against_any_opponent():
    for seed in range(8):
        color = (BLACK, WHITE)[seed % 2]
        position = Position(3, komi=0)
        player = SolverPlayer(3)
        play_game({color: player, BLACK + WHITE - color: RandomPlayer(seed)}, position)
        assert position.score() == 9 if color == BLACK else position.score() <= 9
    decision = SolverPlayer(3).decide(Position(3, komi=8.5))
    assert decision.why.startswith("B+0.5 with best play") and decision.candidates[0].point == decision.move
    assert SolverPlayer(2).decide(Position(2, komi=1.0)).why.startswith("a draw")


def test_what_cannot_be_solved_is_refused():
    with pytest.raises(GoError, match="from 2x2 to 4x4"):
        Solver(5)
    with pytest.raises(GoError, match="not for 2x2"):
        Solver(3).value(Position(2))
    with pytest.raises(GoError, match="superko"):
        Solver(2).value(Position(2, superko=False))
    assert action_from_point(PASS, 3) == 9


def test_a_game_in_which_others_have_repeated_a_position_is_solved():
    position = Position(2, komi=0, superko=False)
    for move in ("A1", "B2", "A2", "B1", "A1", "A2"):  # black's stones on A1 and A2 are taken, and it starts anew
        if position.is_legal(position.point(move)):
            position.play(position.point(move))
    for _ in range(2):
        position.play(PASS)
        for move in ("A1", "B2", "B1", "A2"):
            if position.is_legal(position.point(move)):
                position.play(position.point(move))
    stones = [position.start().colors.tobytes()]
    past = position.start()
    for color, point in position.history:
        past.play(point, color)
        stones.append(past.colors.tobytes())
    played = [after for after, (_, point) in zip(stones[1:], position.history, strict=True) if point != PASS]
    assert len(set(played)) < len(played)  # what superko forbids has happened
    position.superko = True
    move, value = Solver(2).best_move(position)
    assert -4 <= value <= 4 and position.why_illegal(move) is None
