"""The Candidate Generation System: the invariants of its quantities, its slow reference, candidates with reasons."""

import dataclasses

import cgs_reference as slow
import numpy as np
import pytest

from classics.cgs import DEFENCE, Cgs
from classics.experiments import CHOICES, POINTS, PRINTED_PM, from_paper, pm_of_lead
from classics.groups import ONE, TWO, boundary, groups_of
from classics.life import find_alive
from classics.player import CgsPlayer
from classics.settings import CgsSettings
from go.board import BLACK, EMPTY, WHITE, is_eye
from go.coordinates import PASS, gtp_from_point, symmetry_table
from go.coordinates import POINTS as ALL_POINTS
from go.match import play_game
from go.player import RandomPlayer, sensible_moves
from go.position import Position

OTHER = {  # each switch, set otherwise
    "links": "one",
    "safety": "liberties",
    "full_liberties": 8.0,
    "weights": "none",
    "reach": 2,
    "decay": 0.7,
    "blocked": False,
    "tau": 0.4,
    "source": "pv",
    "candidates": 3,
    "choice": "v",
    "ahead": "same",
    "contact": False,
    "least_gain": 2.0,
}


def random_position(size, plies, seed):
    rng = np.random.default_rng((size, plies, seed))
    position = Position(size)
    while len(position.history) < plies:
        moves = sensible_moves(position)
        position.play(int(rng.choice(moves)) if moves else PASS)
        if position.is_over:
            break
    return position


def positions(count=12, size=7):
    return [random_position(size, 3 + 4 * seed, seed) for seed in range(count)]


def other_colors(position):
    black, white = (np.flatnonzero(position.board["color"] == color).tolist() for color in (BLACK, WHITE))
    return Position(position.size).set_up(black=white, white=black, to_move=BLACK + WHITE - position.to_move)


def turned(position, symmetry):
    table = symmetry_table(position.size)[symmetry]
    black, white = (table[np.flatnonzero(position.board["color"] == color)].tolist() for color in (BLACK, WHITE))
    return Position(position.size).set_up(black=black, white=white, to_move=position.to_move)


@pytest.mark.parametrize("size", [2, 9, 19])
def test_an_empty_board_belongs_to_both(size):
    found = Cgs(size).analyse(Position(size))
    assert (found.ip == 0).all() and (found.pv == 0.5).all() and found.ips == 0
    assert found.pm_black == found.pm_white == found.pms == size**2 / 2 and found.pmd == 0


@pytest.mark.parametrize("switch", ["", *OTHER])
def test_shares_add_up_to_the_board_and_follow_influence(switch):
    cgs = Cgs(7, dataclasses.replace(CgsSettings(), **({switch: OTHER[switch]} if switch else {})))
    for position in positions(6):
        found = cgs.analyse(position)
        assert found.pm_black + found.pm_white == pytest.approx(49, abs=1e-12)
        assert found.pm_black == pytest.approx(found.pv.sum()) and found.pmd == pytest.approx(
            abs(2 * found.pm_black - 49)
        )
        assert ((found.pv > 0.5) == (found.ip > 0)).all() and ((found.pv < 0.5) == (found.ip < 0)).all()
        assert ((found.safety >= 0) & (found.safety <= 1)).all()
        swapped = cgs.analyse(other_colors(position))
        assert swapped.pm_black == pytest.approx(found.pm_white) and swapped.ip == pytest.approx(-found.ip)
        for symmetry in range(8):
            assert cgs.analyse(turned(position, symmetry)).pm_black == pytest.approx(found.pm_black)


@pytest.mark.parametrize(
    "changes", [{}, {"links": "one"}, {"safety": "liberties", "blocked": False}, {"safety": "none", "weights": "none"}]
)
def test_fields_are_those_of_the_slow_reference(changes):
    settings = dataclasses.replace(CgsSettings(), **changes)
    cgs = Cgs(7, settings)
    for position in positions(14):
        board, found = slow.board_of(position), cgs.analyse(position)
        for block, safety in slow.safeties(board, settings).items():
            assert [found.safety[place] for place in block] == pytest.approx([safety] * len(block))
        records = sorted((b.color, b.stones, b.liberties, round(b.safety, 9)) for b in cgs.blocks(position))
        assert records == sorted(
            (".XO".index(slow.color_of(board, b)), len(b), len(slow.liberties(board, b)), round(safety, 9))
            for b, safety in slow.safeties(board, settings).items()
        )
        ip = slow.influence(board, settings)
        assert found.ip == pytest.approx(np.array([ip[place] for place in np.ndindex(7, 7)]).reshape(7, 7))
        pv = slow.probability(ip, settings)
        assert found.pv == pytest.approx(np.array([pv[place] for place in np.ndindex(7, 7)]).reshape(7, 7))


def test_a_lone_stone_never_lowers_the_share_of_its_colour_anywhere():
    """Equation 12: placing a friendly stone changes no point for the worse."""
    cgs, tried = Cgs(7), 0
    for position in positions(12):
        for color, sign in ((BLACK, 1), (WHITE, -1)):
            if position.to_move != color:
                continue
            for move in sensible_moves(position):
                near = [move - 1, move + 1, move - 21, move + 21]
                if any(position.board["color"][other] == color for other in near):
                    continue
                placed, _ = cgs.changes(position, move)
                assert (sign * placed >= -1e-12).all() and sign * placed.sum() > 0
                tried += 1
    assert tried > 100


def test_candidates_of_the_set_have_equal_v_and_keep_the_balance():
    """Equations 13 to 19: V one ply deep is V of the position after each move of the candidate set."""
    cgs = Cgs(7)
    for position in [Position(7), *positions(6)]:
        moves = cgs.candidate_set(position)
        v = cgs.probabilities(position, depth=1).sum()
        after = [cgs.probabilities(position.copy().play(move)).sum() for move in moves]
        assert moves and after == pytest.approx([v] * len(moves))
        best = max if position.to_move == BLACK else min
        others = [cgs.probabilities(position.copy().play(move)).sum() for move in sensible_moves(position)]
        assert best(others) == pytest.approx(v)
    assert len(Cgs(9).candidate_set(Position(9))) == 4  # points that are images of each other
    position = Position(7).play("C5")
    placed, turn = cgs.changes(position, position.point("E3"))
    assert placed.sum() < 0 < turn.sum()  # a white stone takes from black, and black's turn gives it back


def test_links_are_diagonals_with_both_cutting_points_open():
    position = Position.from_text(
        """
        X a X . .
        . X O . .
        . . . . X
        O . . X .
        . O . . .
        """
    )

    def shown(needed):
        return sorted(sorted(gtp_from_point(p, 5) for p in group) for group in groups_of(position.boards, needed))

    assert shown(TWO) == [["A2", "B1"], ["A5", "B4"], ["C4"], ["C5"], ["D2", "E3"]]
    assert shown(ONE) == [["A2", "B1"], ["A5", "B4", "C5"], ["C4"], ["D2", "E3"]]
    assert boundary(position.boards, position.point("A5"), position.point("C5")) == {position.at("a")}


def alive_points(position, color):
    alive = np.zeros(ALL_POINTS, np.uint8)
    find_alive(position.board, color, alive)
    stones = np.flatnonzero(position.board["color"] == color)
    return {int(p) for p in stones if alive[position.board["chain"][p]]}


def test_unconditional_life_on_drawn_boards():
    position = Position.from_text(
        """
        . X . X O . .
        X X X X O . .
        O O O O O . .
        . . . . . . .
        O O O O X X X
        . O . O X O .
        O O O O X . X
        """
    )
    assert {gtp_from_point(p, 7) for p in alive_points(position, BLACK)} == {"B7", "D7", "A6", "B6", "C6", "D6"}
    below = {gtp_from_point(p, 7) for p in alive_points(position, WHITE)}
    assert below == {f"{letter}{row}" for letter in "ABCD" for row in (1, 2, 3)} - {"A2", "C2"}


def test_what_lives_unconditionally_is_never_captured_though_its_owner_passes():
    rng, found = np.random.default_rng(3), 0
    for seed in range(60):
        position = random_position(7, 60 + seed % 30, seed)
        for color in (BLACK, WHITE):
            living = alive_points(position, color)
            if not living or len(living) == 49:
                continue
            found += 1
            attacked = position.copy().set_up(to_move=BLACK + WHITE - color)
            for _ in range(60):
                moves = attacked.legal_moves().tolist()
                attacked.play(int(rng.choice(moves)) if moves else PASS)
                attacked.board["passes"] = 0
                attacked.play(PASS)
                assert all(attacked.color_at(p) == color for p in living)
    assert found > 20


def test_safety_is_one_only_for_unconditional_life():
    for position in positions(20):
        found = Cgs(7).analyse(position)
        for color in (BLACK, WHITE):
            living = np.zeros(ALL_POINTS)
            living[list(alive_points(position, color))] = 1
            ours = position.colors == color
            assert ((found.safety[ours] == 1) == (position.by_row_and_column(living)[ours] == 1)).all()


@pytest.mark.parametrize(
    ("drawing", "move", "kind"),
    [
        (". . . . .\n. O X . .\n. X a . .\n. . O . .\n. . . . .", "a", "link"),
        (". . O . .\n. O X O .\n. O a . .\n. . . . .\n. . . . .", "a", "save"),
        (". O . . .\nO X O . .\n. a . . .\n. . . . .\n. . X . .", "a", "save"),
        (". X O . .\n. O X X .\n. a O X .\n. . O . .\n. . . . .", None, "capture"),
        (". X . a .\nX X X X .\nO O O . .\n. . . . .\n. . . . .", "a", "eye"),
    ],
)
def test_candidates_say_what_they_are_good_for(drawing, move, kind):
    position = Position.from_text(drawing, to_move=BLACK)
    cgs = Cgs(5, CgsSettings(candidates=25, least_gain=0.0, contact=False))
    kinds = {found.point: found.types for found in cgs.analyse(position).candidates}
    if move is None:
        assert any(kind in types for types in kinds.values())
    else:
        assert kind in kinds[position.at(move)], kinds[position.at(move)]


def test_there_are_five_candidates_and_the_one_with_the_highest_pv_is_played():
    for seed in range(6):
        position = random_position(9, 6 + seed, seed)
        found = Cgs(9, CgsSettings(ahead="same")).analyse(position)
        pv = found.pv if position.to_move == BLACK else 1 - found.pv
        shares = [candidate.pv for candidate in found.candidates]
        assert len(shares) == 5 and shares == sorted(shares, reverse=True)
        for candidate in found.candidates:
            row, column = divmod(candidate.point - 44, 21)
            assert candidate.pv == pytest.approx(pv[row, column]) and position.is_legal(candidate.point)
            after = Cgs(9).analyse(position.copy().play(candidate.point))
            assert candidate.v == pytest.approx(after.pm_black) and candidate.gain > 0
        by_v = Cgs(9, CgsSettings(choice="v", ahead="same")).analyse(position).candidates
        assert {c.point for c in by_v} == {c.point for c in found.candidates}
        assert by_v[0].gain == max(c.gain for c in found.candidates)


def test_who_is_ahead_prefers_to_defend():
    seen = 0
    for seed in range(40):
        position = random_position(9, 10 + seed % 20, seed)
        found, same = (Cgs(9, CgsSettings(ahead=ahead)).analyse(position) for ahead in ("defend", "same"))
        if found.pms <= 40.5:
            assert found.candidates == same.candidates
        elif found.candidates:
            defends = [bool(set(candidate.types) & set(DEFENCE)) for candidate in found.candidates]
            assert defends == sorted(defends, reverse=True)
            seen += found.candidates != same.candidates
    assert seen > 3


def test_contact_with_safer_blocks_and_own_eyes_are_left_out():
    position = Position.from_text(
        """
        . X . X . . .
        X X X X . . .
        . . . . . . .
        . . . . O . .
        . . . O O O .
        . . . . O . .
        . . . . . . .
        """
    )
    everything = Cgs(7, CgsSettings(candidates=49, least_gain=0.0)).analyse(position).candidates
    points = {gtp_from_point(candidate.point, 7) for candidate in everything}
    assert not points & {"A7", "C7"}  # eyes
    assert not points & {"D4", "F4", "C3", "G3", "D2", "F2", "E1"}  # beside the white block
    loose = Cgs(7, CgsSettings(candidates=49, least_gain=0.0, contact=False)).analyse(position).candidates
    assert "E5" in points  # linked to the black block, which is as safe
    assert {"F4", "D4"} <= {gtp_from_point(candidate.point, 7) for candidate in loose}


@pytest.mark.parametrize("switch", OTHER)
def test_every_switch_changes_something(switch):
    assert set(OTHER) == {field.name for field in dataclasses.fields(CgsSettings)}
    usual, other = Cgs(9), Cgs(9, dataclasses.replace(CgsSettings(), **{switch: OTHER[switch]}))
    for seed in range(40):
        position = random_position(9, 10 + seed, seed)
        one, two = usual.analyse(position), other.analyse(position)
        if one.pm_black != two.pm_black or [c.point for c in one.candidates] != [c.point for c in two.candidates]:
            return
    pytest.fail(f"{switch} changes nothing")


def test_a_player_without_a_candidate_passes_and_says_how_it_stands():
    full = Position.from_text(". X X X .\nX X X X X\nX X . X X\nX X X X X\n. X X X .")
    decision = CgsPlayer(5, CgsSettings()).decide(full)
    assert decision.move == PASS and "no candidate is left; PM_B" in decision.why
    opening = CgsPlayer(9, CgsSettings()).decide(Position(9))
    assert opening.move != PASS and opening.candidates[0].point == opening.move and "PM_B 40.5" in opening.why
    assert sum(candidate.probability for candidate in opening.candidates) == pytest.approx(1)


def test_on_19x19_the_first_stones_take_the_corners():
    position, cgs = Position(19), Cgs(19)
    corners = set()
    for _ in range(4):
        best = cgs.analyse(position).candidates[0]
        row, column = divmod(best.point - 44, 21)
        corners.add((row < 9, column < 9))
        assert min(row, 18 - row) in (2, 3) and min(column, 18 - column) in (2, 3)
        position.play(best.point)
    assert len(corners) >= 3


def test_it_beats_random_play():
    won = 0
    for seed in range(6):
        position, color = Position(7, komi=0), (BLACK, WHITE)[seed % 2]
        players = {color: CgsPlayer(7, CgsSettings()), BLACK + WHITE - color: RandomPlayer(seed)}
        result = play_game(players, position).result
        won += result[0] == ("B" if color == BLACK else "W")
    assert won >= 5


def test_every_move_is_legal_on_every_board():
    for size in (2, 3, 5, 13):
        position, player = Position(size), CgsPlayer(size, CgsSettings())
        while not position.is_over and len(position.history) < 40:
            move = player.decide(position.copy()).move
            assert move == PASS or not is_eye(position.board, move, position.to_move)
            position.play(move)
        assert (position.colors != EMPTY).any() or size == 2


def test_the_printed_numbers_of_the_paper_and_what_they_imply():
    assert pm_of_lead(7) == (184.0, 177.0) and min(pm_of_lead(7)[0], 180.5) == 180.5
    assert pm_of_lead(16.5) == (188.75, 172.25)
    assert sum(PRINTED_PM) == pytest.approx(353) and POINTS - sum(PRINTED_PM) == pytest.approx(8)  # a misprint by 8
    first, second = CHOICES
    assert first.chosen == "O5" and second.chosen == "Q9"
    assert all(len(choice.candidates) == 5 and choice.chosen in choice.candidates for choice in CHOICES)
    assert [gtp_from_point(from_paper(vertex), 19) for vertex in ("O5", "F6", "P13", "T16")] == [
        "O15",
        "F14",
        "P7",
        "T4",
    ]
