"""The player that searches: budgets, resigning and passing, dead stones, maps, watching, pondering, and boards."""

import io
import threading
import time

import numpy as np
import pytest
from small_searches import SEARCHES, random_position, root_visits, small_player, small_search

from apv_mcts.player import SearchPlayer
from apv_mcts.tree import UNIT
from features48.encoder import Encoder
from features48.groups import GROUPS
from go.board import BLACK, EMPTY, WHITE
from go.coordinates import PASS, gtp_from_point
from go.dead_stones import judged_result, result_without, stones
from go.player import RESIGN, sensible_moves
from go.position import Position
from gtp.server import serve
from rollout import judge
from rollout.playout import policy_games

# Black has the upper side and can take the stone in it, white the lower one.
SETTLED = """
. X . O .
X X X X X
. X X X X
O O O O O
. O . O .
"""
SEKI = ". X X O .\nX X X O O\nX X . O O\nX X X O O\nX X X O O\n"
WALLS = ". X X O .\nX X X O O\n. X X O .\nX X X O O\n. X X O .\n"  # nothing is left to do
LOST = ". X X . X\nX X X X X\nX . X X .\nX X O X X\nX X . . .\n"  # for white


def passed(text, to_move, komi):
    """Set up a board on which the opponent of a colour has just passed."""
    return Position.from_text(text, BLACK + WHITE - to_move, komi).play(PASS)


def test_simulations_are_a_budget_to_the_last_one():
    player = small_player("alpha_r", simulations=123)
    decision = player.decide(Position(9))
    assert root_visits(player.search) == 123
    assert sum(candidate.probability for candidate in decision.candidates) == pytest.approx(1, abs=0.02)
    assert decision.move == decision.candidates[0].point and "visits" in decision.why


@pytest.mark.parametrize("threads", [1, 2])
def test_seconds_are_a_budget_too_and_what_comes_first_counts(threads):
    player = small_player("alpha_r", seconds=0.3, threads=threads)
    player.get_ready(9)
    began = time.monotonic()
    player.decide(Position(9))
    assert 0.25 < time.monotonic() - began < 30
    assert root_visits(player.search) > 10
    few = small_player("alpha_r", simulations=20, seconds=600.0, threads=threads)
    few.decide(Position(9))
    assert root_visits(few.search) == 20
    many = small_player("alpha_r", simulations=10**9, seconds=0.05, threads=threads)
    many.decide(Position(9))
    assert 0 < root_visits(many.search) < 10**9


@pytest.mark.parametrize("name", ["uct", "alpha_r"])
def test_a_lost_game_is_resigned_unless_nobody_wants_that(name):
    position = Position.from_text(LOST, WHITE, komi=0.5)
    decision = small_player(name, simulations=600, resign=-0.8).decide(position)
    assert decision.move == RESIGN and "no move wins more than" in decision.why
    assert small_player(name, simulations=600, resign=-1.0).decide(position).move != RESIGN
    assert small_player(name, simulations=600, resign=-0.8).decide(Position(5, 0.5)).move != RESIGN
    won = Position.from_text(LOST, BLACK, komi=0.5)
    assert small_player(name, simulations=600, resign=-0.8).decide(won).move != RESIGN


@pytest.mark.parametrize("simulations", [1, 2, 5])
def test_a_few_lost_rollouts_are_no_reason_to_resign(simulations):
    for seed in range(20):
        player = small_player("alpha_r", simulations=simulations, resign=-0.8, seed=seed, nodes=10)
        assert player.decide(Position(9)).move != RESIGN


@pytest.mark.parametrize(("name", "size"), [("uct", 19), ("uct", 9), ("alpha_r", 13), ("alpha_p", 9)])
def test_without_a_search_the_best_prior_is_played_and_that_is_no_pass(name, size):
    """A pass has a prior of 1%, which on a large board can be more than any move has."""
    player = small_player(name, simulations=0, seconds=0.0)
    decision = player.decide(Position(size))
    best = max((edge for edge in player.search.statistics() if edge.move != PASS), key=lambda edge: edge.prior)
    assert decision.move == best.move and root_visits(player.search) == 0
    assert decision.why.startswith("prior")


def test_a_pass_is_answered_by_a_pass_when_that_wins():
    decision = small_player("alpha_r", simulations=300).decide(passed(SETTLED, BLACK, komi=-3.5))
    assert decision.move == PASS and "won as it stands" in decision.why


def test_a_pass_is_not_answered_by_a_pass_when_there_is_still_something_to_win():
    """As it stands black has lost, but the stone in the corner can be taken."""
    position = passed(SETTLED, BLACK, komi=0.5)
    assert position.score() < 0
    decision = small_player("alpha_r", simulations=600, n_thr=1).decide(position)
    assert gtp_from_point(decision.move, 5) in ("C5", "E5", "A3")
    for _ in range(12):  # and a whole game against one who passes is won
        if position.is_over:
            break
        move = small_player("alpha_r", simulations=300, n_thr=1).decide(position).move
        position.play(move)
        if not position.is_over:
            position.play(PASS)
    assert position.is_over and position.score() > 0


def test_nobody_relies_on_a_win_with_dead_stones():
    """White is ahead as it stands, with a stone that is dead: that is not the reason to pass."""
    position = passed(SETTLED, WHITE, komi=0.5)
    assert position.score() < 0
    assert "won as it stands" not in small_player("alpha_r", simulations=200, resign=-1.0).decide(position).why
    clean = passed(SETTLED.replace(". X . O .", ". X . . ."), WHITE, komi=9.5)
    assert "won as it stands" in small_player("alpha_r", simulations=200).decide(clean).why


def test_a_pass_that_the_guard_declines_is_not_played_as_the_most_visited_move():
    """White is ahead by a dead stone. To pass is the most visited move, for it wins as the stones stand."""
    position = passed(SETTLED, WHITE, komi=0.5)
    player = small_player("alpha_r", simulations=400, resign=-1.0, n_thr=1)
    decision = player.decide(position)
    assert player.search.statistics()[0].move == PASS
    assert decision.move == decision.candidates[0].point != PASS and "visits" in decision.why


@pytest.mark.parametrize("name", ["flat", "uct", "alpha_r"])
@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_a_pass_is_played_where_every_move_loses(name, to_move):
    """Whoever begins in a seki loses it. The opponent has not passed, so this is for the search to find."""
    komi = 3.5 if to_move == BLACK else 4.5
    position = Position.from_text(SEKI, to_move, komi)
    decision = small_player(name, simulations=3_000, resign=-1.0).decide(position)
    assert sensible_moves(position) == [position.point("C3")] and decision.move == PASS and "visits" in decision.why


def counted(boards, history, symmetries):
    """Value a position by its stones, so that a move is better than none."""
    own = (boards["color"] == boards["to_move"][:, None]).sum(axis=1)
    enemies = (boards["color"] == BLACK + WHITE - boards["to_move"][:, None]).sum(axis=1)
    return (own - enemies) / boards["rows"] ** 2


@pytest.mark.parametrize("size", [9, 13, 19])
@pytest.mark.parametrize("name", SEARCHES)
def test_nobody_passes_in_the_first_half_of_a_game(name, size):
    """With fewer simulations than moves, a pass used to be as good as any move."""
    points, rng = size * size, np.random.default_rng(size)
    search = small_search(name, size, counted, nodes=200)
    player = SearchPlayer(name, (size,), lambda size: search, resign=-1.0)
    for simulations, positions in ((1, 8), (2, 4), (10, 4), (100, 2), (1_000, 1)):
        player.simulations = simulations
        for plies in rng.integers(0, points // 2, positions).tolist():
            position = random_position(size, plies, rng, passes=0.0)
            assert player.decide(position).move not in (PASS, RESIGN)
    player.simulations, player.seconds, position = 0, 0.001, Position(size)
    for _ in range(6):
        move = player.decide(position).move
        assert move != PASS
        position.play(move)


def test_where_nothing_is_left_to_do_there_is_a_pass_and_a_game_that_is_over_can_be_looked_at():
    for to_move, simulations in ((BLACK, 50), (WHITE, 50), (BLACK, 0)):
        player = small_player("alpha_r", simulations=simulations, resign=-1.0)
        decision = player.decide(Position.from_text(WALLS, to_move, komi=0.5))
        assert decision.move == PASS and decision.candidates == []
    for text in (WALLS, SETTLED, ". . .\n. . .\n. . .\n"):
        over = Position.from_text(text, komi=0.0).play(PASS).play(PASS)
        player = small_player("alpha_r", simulations=50, resign=-1.0)
        assert player.decide(over).move in {*sensible_moves(over), PASS} and root_visits(player.search) == 50


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
@pytest.mark.parametrize("passes", [0, 1, 2])
def test_stones_without_a_hope_are_dead_and_others_are_not(to_move, passes):
    position = Position.from_text(SETTLED, to_move)
    for _ in range(passes):
        position.play(PASS)
    player = small_player("alpha_r", simulations=10)
    assert {gtp_from_point(point, 5) for point in player.dead_stones(position)} == {"D5"}
    for text in (SEKI, WALLS):
        assert player.dead_stones(Position.from_text(text, to_move)) == set()
    everything = Position.from_text(LOST, to_move)
    assert {gtp_from_point(point, 5) for point in player.dead_stones(everything)} == {"C2"}


# White's corner: a bent four, of which black has three stones; or nothing but its eye space.
BENT_FOUR = """
X X O X . X O . O
X O O X X X O O .
. O X X . X O O O
. O X . X X X O .
X X X X X X O O O
. X . X . X O . O
X X X X X X O O O
. X X . X O O . O
X . X X X O . O .
"""
EYE_SPACE = BENT_FOUR.replace("\nX X O X", "\n. . O X").replace("\nX O O X", "\n. O O X")


@pytest.mark.parametrize(("name", "text", "replies"), [("uct", EYE_SPACE, 0.0), ("alpha_r", BENT_FOUR, 0.5)])
def test_equal_stones_get_one_judgement(name, text, replies):
    """The corner is a close call. The winner used to change from call to call, and with it the score."""
    player = small_player(name, simulations=200, replies=replies)
    position = Position.from_text(text, komi=16.5)
    dead = player.dead_stones(position)
    corner = {position.point(move) for move in ("C9", "B8", "C8", "B7", "B6")}
    assert dead in (set(), corner)
    for number in range(12):
        if number == 4:
            player.decide(position)  # which stores replies
        asked = Position.from_text(text, (BLACK, WHITE)[number % 2], komi=7.5)
        for _ in range(number % 3):
            asked.play(PASS)
        player.dead_stones(Position(9))  # so that nothing is kept
        assert player.dead_stones(asked) == small_player(name).dead_stones(asked) == dead


def test_a_close_call_gets_more_rollouts(monkeypatch):
    counts = []

    def counted(position, count, *arguments):
        counts.append(count)
        return policy_games(position, count, *arguments)

    monkeypatch.setattr(judge, "policy_games", counted)
    player = small_player("alpha_r")
    for text, is_close in ((SETTLED, False), (BENT_FOUR, True)):
        counts.clear()
        player.dead_stones(Position.from_text(text))
        player.dead_stones(Position.from_text(text, WHITE).play(PASS))  # which is kept
        assert judge.ROLLOUTS <= sum(counts) <= judge.MOST_ROLLOUTS and (sum(counts) > judge.ROLLOUTS) == is_close


def test_all_commands_and_matches_share_a_judgement():
    player = small_player("alpha_r", simulations=1)
    position = Position.from_text(BENT_FOUR, komi=16.5).play(PASS).play(PASS)
    plays = [
        f"play {'b' if position.board['color'][point] == BLACK else 'w'} {gtp_from_point(point, 9)}"
        for point in sorted(stones(position))
    ]
    asked = ["final_score", "final_status_list dead"] * 6
    answers = session(player, "boardsize 9", "komi 16.5", *plays, "play b pass", "play w pass", *asked)[-12:]
    dead = {position.point(move) for move in answers[1].split()[1:]}
    assert set(answers[::2]) == {f"= {judged_result(player, position)}"} == {f"= {result_without(position, dead)}"}
    assert len(set(answers[1::2])) == 1


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_ownership_is_black_above_zero_whoever_is_to_move(to_move):
    player = small_player("alpha_r", simulations=10)
    player.decide(Position.from_text(WALLS, to_move))
    owned = player.findings(ownership=True).ownership
    assert owned.tolist() == [[1, 1, 1, -1, -1]] * 5
    player.decide(Position.from_text(SETTLED, to_move))
    owned = player.findings(ownership=True).ownership
    assert (owned[0] > 0.5).all() and (owned[3:] < -0.9).all()


def test_maps_show_what_the_search_knows():
    player = small_player("alpha_r", simulations=300)
    position = Position(9).play("C3").play("D3").play("D4")
    player.decide(position)
    edges = {edge.move: edge for edge in player.search.statistics()}
    maps = player.heat_maps()
    prior, visits, value = (maps[name](position) for name in ("prior", "visits", "value"))
    assert prior.sum() == pytest.approx(1 - edges[PASS].prior, abs=1e-4) and prior.min() >= 0
    assert visits.sum() == 300 - edges[PASS].visits
    by_name = {gtp_from_point(move, 9): edge for move, edge in edges.items() if move != PASS}
    for row, column in np.ndindex(9, 9):
        edge = by_name.get(f"{'ABCDEFGHJ'[column]}{9 - row}")
        shown = (prior[row, column], visits[row, column], value[row, column])
        assert shown == ((edge.prior, edge.visits, edge.q if edge.visits else 0) if edge else (0, 0, 0))
    assert position.colors[visits > 0].max() == EMPTY


def test_a_map_of_a_position_that_nobody_has_searched_is_searched_for_it():
    player = small_player("uct", simulations=10)
    visits = player.heat_maps()["visits"](Position(5))
    assert visits.sum() + next(e.visits for e in player.search.statistics() if e.move == PASS) == 1_000


def test_maps_of_planes_show_the_planes():
    position = Position.from_text("X O . . .\nX O . . .\nX . . . .\n. . . O O\n. . . . .\n").play("E1").play("E3")
    maps = small_player("uct", simulations=10).heat_maps()
    mover = position.to_move
    color = maps["plane stone_color"](position)
    assert (color == np.select([position.colors == mover, position.colors == EMPTY], [1, 3], 2)).all()
    liberties = maps["plane liberties"](position)
    for row, column in np.ndindex(5, 5):
        name = f"{'ABCDE'[column]}{5 - row}"
        assert liberties[row, column] == min(position.liberties(name), 8)
    turns = maps["plane turns_since"](position)
    assert turns[2, 4] == 1 and turns[4, 4] == 2 and turns[0, 0] == 8 and turns[0, 4] == 0
    planes = Encoder(48).position(position)
    for name, part in (("capture_size", slice(20, 28)), ("liberties_after", slice(36, 44))):
        shown = maps[f"plane {name}"](position)
        for number in range(8):
            assert ((shown == number + 1) == (planes[part][number] > 0)).all()
    constant = {"ones", "zeros", "color"}
    assert set(maps) == {"prior", "visits", "value"} | {f"plane {name}" for name in GROUPS if name not in constant}


@pytest.mark.parametrize("name", ["uct", "alpha_r", "alpha_rp"])
def test_findings_make_sense_while_a_move_is_decided(name):
    player = small_player(name, seconds=0.6, threads=2)
    position = Position(9).play("C3")
    legal = {*sensible_moves(position), PASS}
    thread = threading.Thread(target=player.decide, args=(position,))
    thread.start()
    visits, looks = 0, 0
    while thread.is_alive():
        found = player.findings(ownership=looks % 5 == 0)
        for finding in found.moves:
            assert finding.move in legal and finding.visits > 0 and finding.pv[0] == finding.move
            assert 0 <= finding.winrate <= 1 and 0 <= finding.prior <= 1
        if found.moves:
            looks += 1
            assert found.visits == sum(finding.visits for finding in found.moves)
            assert [f.visits for f in found.moves] == sorted((f.visits for f in found.moves), reverse=True)
            assert visits < 100 or found.visits > 0.5 * visits  # virtual losses come and go, visits stay
            visits = found.visits
    thread.join()
    assert looks > 0 and player.findings().visits == root_visits(player.search) >= 1


def test_a_value_whose_sum_is_younger_than_its_count_stays_within_its_range():
    search = small_search("alpha_rvp", 5)
    search.set_position(Position(5))
    search.run(simulations=20)
    first = search.statistics()[0].edge
    search.tree.w_r[first], search.tree.w_v[first] = 10**6 * UNIT, -(10**6) * UNIT
    seen = next(edge for edge in search.statistics() if edge.edge == first)
    assert seen.q_rollouts == 1 and seen.q_value == -1 and -1 <= seen.q <= 1


def test_nobody_is_told_of_the_last_position_while_the_next_one_is_set():
    """A large network takes a while to load; whoever looks meanwhile must not see the moves of another board."""
    entered, may_go_on = threading.Event(), threading.Event()

    def make(size):
        if size == 9:
            entered.set()
            assert may_go_on.wait(60)
        return small_search("uct", size)

    player = SearchPlayer("slow", (5, 9), make, simulations=50)
    assert player.findings().moves == []
    player.decide(Position(5))
    assert player.findings().visits == 50
    thread = threading.Thread(target=player.decide, args=(Position(9),))
    thread.start()
    assert entered.wait(60)
    assert player.findings(ownership=True) == ([], 0, None)
    may_go_on.set()
    thread.join()
    assert player.findings().visits == 50 and len(player.search.statistics()) == 82


def test_variations_follow_the_most_visited_moves():
    player = small_player("uct", simulations=3_000)
    player.decide(Position(4, 0.5))
    search = player.search
    for finding in player.findings().moves:
        node, line = 0, []
        edge = next(edge for edge in search.statistics() if edge.move == finding.move)
        while edge.visits > 0 and len(line) < 20:
            line.append(edge.move)
            node = int(search.tree.child[edge.edge])
            if node < 0:
                break
            edge = search.statistics(node)[0]
        assert finding.pv == tuple(line)
    assert max(len(finding.pv) for finding in player.findings().moves) > 4


@pytest.mark.parametrize(("name", "threads"), [("uct", 2), ("alpha_rp", 1)])
def test_thinking_begins_and_ends_two_hundred_times(name, threads):
    size = 5 if name == "uct" else 9
    player = small_player(name, simulations=5, threads=threads)
    positions = [Position(size), Position(size).play("C3"), Position(size).play("C3").play("D4")]
    for number in range(200):
        player.begin(positions[number % 3])
        if number % 4 == 0:
            player.begin(positions[(number + 1) % 3])  # another one without an end
        player.end()
        if number % 2:
            player.end()  # once more than needed
        assert player.search.background is None
    player.decide(positions[0])
    assert root_visits(player.search) >= 5


def test_pondering_is_not_in_vain():
    player = small_player("uct", simulations=200, threads=1, nodes=50_000)
    position = Position(5, 0.5)
    position.play(player.decide(position).move)
    player.ponder(position)
    until = time.monotonic() + 60
    while player.findings().visits < 3_000 and time.monotonic() < until:
        time.sleep(0.01)
    player.stop()
    reply = player.findings().moves[0]
    position.play(reply.move)
    below = int(player.search.tree.child[next(e.edge for e in player.search.statistics() if e.move == reply.move)])
    known = sum(edge.visits for edge in player.search.statistics(below))
    player.decide(position)
    assert known > 200 and root_visits(player.search) == known + 200


def session(player, *commands, size=5, ponder=False):
    out = io.StringIO()
    text = io.StringIO("".join(f"{line}\n" for line in commands))
    serve(player, text, out, size=size, komi=0.5, ponder=ponder, log=io.StringIO())
    return [answer.strip() for answer in out.getvalue().strip().split("\n\n")]


def test_the_board_changes_in_the_middle_of_a_session():
    player = small_player("uct", simulations=40, resign=-1.0, threads=2)
    answers = session(
        player, "genmove b", "boardsize 9", "genmove b", "play w A1", "genmove b", "boardsize 2", "genmove b",
        "boardsize 19", "lz-genmove_analyze b 2", "prezero-numbers visits", "boardsize 5", "genmove w", ponder=True,
    )  # fmt: skip
    assert all(answer.startswith("=") for answer in answers) and len(answers) == 12
    assert player.size == 5 and player.search.position.history[0].color == WHITE  # it ponders on its move
    assert player.search.background is None


def test_a_network_plays_on_its_own_boards_only():
    player = small_player("alpha_rp", simulations=10)
    assert [size for size in range(2, 20) if player.plays_on(size)] == [9, 19]
    answers = session(player, "boardsize 13", "genmove b", "boardsize 9", size=9)
    assert answers[0] == "? unacceptable size" and answers[1].startswith("=") and answers[2] == "="
    assert all(small_player("alpha_r").plays_on(size) for size in range(2, 20))


def test_without_a_network_a_game_on_5x5_comes_to_its_end():
    player = small_player("alpha_r", simulations=80, resign=-1.0, n_thr=2)
    answers = session(player, *(f"genmove {color}" for _ in range(30) for color in "bw"), "final_score")
    moves = [answer[1:].strip() for answer in answers[:-1]]
    assert "pass" in moves and answers[-1].lstrip("= ")[0] in "BW"
    ends = [k for k in range(1, len(moves)) if moves[k] == moves[k - 1] == "pass"]
    assert ends and ends[0] > 8  # not at once
