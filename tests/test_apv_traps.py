"""Traps that earlier reproductions fell into, as far as they are about the search; and the replies of the tree."""

import io

import numpy as np
import pytest
from small_searches import root_visits, small_player, small_search

from apv_mcts.search import Search
from go.board import BLACK, WHITE
from go.coordinates import PASS, gtp_from_point
from go.player import sensible_moves
from go.playout import new_rng
from go.position import Position
from gtp.server import serve
from rollout.playout import policy_games
from rollout.replies import context_of, recall
from rollout.tracker import begin, new_tracker

SEKI = """
a X X O .
X X X O O
X X c O O
X X X O O
X X X O O
"""


@pytest.mark.parametrize("threads", [1, 4])
def test_what_loses_in_two_plies_is_not_played(threads):
    """Whoever fills the last shared liberty is taken off the board; black wins by not touching it."""
    position = Position.from_text(SEKI, komi=0.5)
    search = small_search("alpha_r", 5, threads=threads, n_thr=1)
    search.set_position(position)
    search.run(simulations=3_000)
    edges = {edge.move: edge for edge in search.statistics()}
    filling = edges[position.at("c")]
    assert set(edges) == {position.at("c"), PASS} and search.statistics()[0].move == PASS
    assert edges[PASS].q > 0.8 and filling.q < -0.5 and filling.prior > 0.9
    assert search.principal_variation(filling)[:2] == [position.at("c"), position.at("a")]


@pytest.mark.parametrize("rollouts", ["uniform", "rollout"])
def test_rollouts_are_drawn_as_the_policy_draws_them(rollouts):
    """With no tree below the root, the wins of a move are those of so many games of the policy."""
    position = Position(5, 0.5).play("C3").play("C2").play("B2")
    search = small_search("flat", 5, rollouts=rollouts)
    search.set_position(position)
    edges = search.statistics()
    each = 1_500
    search.run(simulations=each * len(edges))
    for edge in search.statistics()[:6]:
        assert edge.visits == each and abs(edge.q) < 1
        games, _ = policy_games(position.copy().play(edge.move), 6_000, search.playouts, new_rng(7, edge.move))
        won = np.where(games["margin"] > position.komi, -1, 1)  # white moves
        spread = 2 * np.sqrt(1 / each + 1 / len(games))
        assert edge.q == pytest.approx(won.mean(), abs=5 * spread / 2)
        assert len({tuple(game) for game in games.tolist()}) > 100  # no two alike


@pytest.mark.parametrize("name", ["uct", "alpha_rp", "zero"])
def test_komi_decides(name):
    """One position, two komis: all is won with one, and all is lost with the other."""
    for komi, q in ((-30.0, 1), (30.0, -1)):
        search = small_search(name, 5, values=lambda boards, history, symmetries: np.zeros(len(boards)))
        position = Position.from_text(". X X O .\nX X X O O\n. X X O .\nX X X O O\n. X X O .\n", komi=komi).play(PASS)
        position.play(PASS)  # both have: whatever follows is the end
        search.set_position(position)
        search.run(simulations=20)
        assert [edge.q for edge in search.statistics() if edge.visits] == [q]
    won, lost = (searched_q(name, komi) for komi in (-26.0, 26.0))
    assert won > 0.7 and lost < -0.7


def searched_q(name, komi):
    search = small_search(name, 5, values=komi_values(komi))
    search.set_position(Position(5, komi))
    search.run(simulations=300)
    return search.statistics()[0].q


def komi_values(komi):
    return lambda boards, history, symmetries: np.where(boards["to_move"] == BLACK, -1, 1) * np.tanh(komi / 20)


class Watched:
    """Notes what is known of the root whenever a search begins, and that the tree is one of this position."""

    def __init__(self, monkeypatch) -> None:
        self.kept: list[int] = []
        self.komis: list[float] = []
        run = Search.run

        def watched(search: Search, simulations: int = 0, seconds: float = 0.0) -> int:
            self.kept.append(root_visits(search))
            self.komis.append(search.rule.komi)
            check_tree(search, search.position)
            done = run(search, simulations, seconds)
            check_tree(search, search.position)
            return done

        monkeypatch.setattr(Search, "run", watched)


def check_tree(search, position, node=0):
    """Check that every node has the moves of the position that its line leads to."""
    assert {int(search.tree.move[e]) for e in search._edges(node)} == {*sensible_moves(position), PASS}
    for e in search._edges(node):
        if search.tree.child[e] >= 0:
            check_tree(search, position.copy().play(int(search.tree.move[e])), int(search.tree.child[e]))


def told(player, *commands):
    """Send commands to a server, and return the answers."""
    out, log = io.StringIO(), io.StringIO()
    serve(player, io.StringIO("".join(f"{line}\n" for line in commands)), out, size=5, komi=0.5, ponder=False, log=log)
    answers = out.getvalue().strip().split("\n\n")
    assert all(answer.startswith("=") for answer in answers), f"{answers}\n{log.getvalue()}"
    return [answer[1:].strip() for answer in answers]


def test_the_tree_hears_of_the_opponents_moves(monkeypatch):
    """After our move and theirs, what is known of the position is still there."""
    watched, player = Watched(monkeypatch), small_player("uct", simulations=400)
    move = told(player, "genmove b")[0]
    position = Position(5, 0.5).play(move)
    reply = player.search.principal_variation()[1]
    assert told(player, f"play b {move}", f"play w {gtp_from_point(reply, 5)}", "genmove b")[-1]
    assert watched.kept[0] == 0 and watched.kept[1] > 0
    assert [m.point for m in player.search.position.history] == [position.last_move, reply]


def test_no_other_tree_is_taken_for_that_of_the_position(monkeypatch, tmp_path):
    """Two moves of one colour, a move taken back, another game, another komi, another board."""
    watched, player = Watched(monkeypatch), small_player("uct", simulations=150, resign=-1.0)
    record = tmp_path / "game.sgf"
    record.write_text("(;GM[1]FF[4]SZ[5]KM[0.5];B[cc];W[bb];B[dd])")

    def kept(*commands):
        before = len(watched.kept)
        told(player, *commands)
        return watched.kept[before:]

    assert kept("genmove b", "genmove b", "genmove b") == [0, 0, 0]  # never what is known of white's replies
    assert kept("genmove w", "genmove b")[0] == 0  # white begins
    first, again = kept("genmove b", "undo", "genmove b")
    assert first == 0 and again == 150  # the same position as before, with all that is known of it
    assert kept("genmove b", "komi 3.5", "undo", "genmove b") == [150 * 2, 0]  # another komi is another game
    assert kept("play b C3", "genmove w", "undo", "undo", "play b D3", "genmove w") == [0, 0]
    first, second = kept(f"loadsgf {record}", "genmove w", f"loadsgf {record} 3", "genmove b")
    assert first == 0 and second == 0  # a position before the last one
    assert kept("play b pass", "play w pass", "kgs-genmove_cleanup b", "kgs-genmove_cleanup w")[0] == 0
    assert kept("boardsize 4", "genmove b", "boardsize 5", "genmove b") == [0, 0]
    assert kept("set_free_handicap C3 D4", "genmove w", "clear_board", "genmove w") == [0, 0]


def test_the_same_points_in_other_colours_are_another_game():
    """Two moves of white lead to a position with the same turn as a move of each."""
    search = small_search("uct", 5, nodes=5_000)
    search.set_position(Position(5, 0.5))
    search.run(simulations=2_000)
    one, two = search.principal_variation()[:2]
    search.set_position(Position(5, 0.5).play(one, WHITE).play(two, WHITE))
    assert search.position.to_move == BLACK and root_visits(search) == 0


def test_clear_board_keeps_size_and_komi(monkeypatch):
    """And the search goes by them."""
    watched, player = Watched(monkeypatch), small_player("uct", simulations=30, resign=-1.0)
    told(player, "boardsize 4", "komi 11.5", "clear_board", "genmove b", "clear_board", "genmove b")
    assert watched.komis == [11.5, 11.5] and player.search.position.size == 4


def test_a_search_hears_of_whole_games_over_gtp(monkeypatch):
    """The same player for both colours: every tree is that of its position, and most are kept."""
    watched, player = Watched(monkeypatch), small_player("alpha_r", simulations=60, n_thr=1, resign=-1.0)
    told(player, *(f"genmove {color}" for _ in range(12) for color in "bw"))
    assert len(watched.kept) == 24 and np.mean([kept > 0 for kept in watched.kept]) > 0.6


def test_the_most_probable_move_of_a_node_is_the_reply_to_the_last_two():
    """One simulation has only been at the root: so has its table."""
    search, position = small_search("alpha_r", 9, replies=0.5), Position(9).play("C3").play("D3")
    search.set_position(position)
    assert not search.playouts.replies.entries.any()
    search.run(simulations=1)
    best = max(search.statistics(), key=lambda edge: edge.prior).move
    assert np.count_nonzero(search.playouts.replies.entries) == 1
    assert replied(search, position) == best
    shifted = Position(9).play("E5").play("F5")  # the same context elsewhere: the same step from the last move
    assert replied(search, shifted) - shifted.point("F5") == best - position.point("D3")


def replied(search, position):
    """Look up what is stored for the last two moves of a position."""
    tracker = new_tracker()
    begin(position.board, tracker[0])
    last, before = position.history[-1].point, position.history[-2].point
    return int(recall(search.playouts.replies, position.board, tracker[0], last, before))


def test_replies_come_from_all_nodes_of_the_tree():
    search, position = small_search("alpha_r", 7, replies=0.5, n_thr=2), Position(7, 0.5).play("C3").play("D3")
    search.set_position(position)
    search.run(simulations=800)
    wanted: dict[int, set[int]] = {}

    def gather(position, node):
        tracker = new_tracker()
        begin(position.board, tracker[0])
        last, before = position.history[-1].point, position.history[-2].point
        best = max(search.statistics(node), key=lambda edge: edge.prior).move
        if PASS not in (last, before, best) and any(search.tree.n_r[e] for e in search._edges(node)):
            key = int(context_of(position.board, tracker[0], last, before))
            wanted.setdefault(key, set()).add(best - last)
            stored = replied(search, position)
            found.append((key, stored - last if stored != PASS else None))
        for e in search._edges(node):
            if search.tree.child[e] >= 0:
                gather(position.copy().play(int(search.tree.move[e])), int(search.tree.child[e]))

    found: list[tuple[int, int | None]] = []
    gather(position, 0)
    known = [(key, step) for key, step in found if step is not None]
    assert len(wanted) > 20 and len(known) > 0.9 * len(found)  # but for contexts that share a slot
    assert all(step in wanted[key] for key, step in known)
    assert np.count_nonzero(search.playouts.replies.entries) <= len(wanted)


@pytest.mark.parametrize("chance", [0.0, 0.6, 1.0])
def test_rollouts_play_the_stored_reply_as_often_as_they_should(chance):
    search, position = small_search("alpha_r", 9, replies=0.5), Position(9).play("C3").play("D3")
    search.set_position(position)
    search.run(simulations=1)
    reply, playouts = replied(search, position), search.playouts._replace(reply_chance=chance)
    games, _ = policy_games(position, 2_000, playouts, new_rng(1))
    share = np.mean(games["first"] == reply)
    without = search.playouts._replace(reply_chance=0.0)
    usual = np.mean(policy_games(position, 2_000, without, new_rng(2))[0]["first"] == reply)
    assert share == pytest.approx(chance + (1 - chance) * usual, abs=0.06) and usual < 0.5


def test_replies_reach_the_rollouts_of_the_search():
    """A table that is full of one bad reply makes another search than an empty one."""
    position = Position(9).play("C3").play("D3")
    plain, replying = (small_search("alpha_r", 9, replies=replies) for replies in (0.0, 1.0))
    for search in (plain, replying):
        search.set_position(position)
        search.run(simulations=200)
    assert [edge.q for edge in plain.statistics()] != [edge.q for edge in replying.statistics()]
    assert not plain.playouts.replies.entries.any() and replying.playouts.replies.entries.any()


def test_white_sees_values_as_black_does():
    """The same board with colours swapped and komi turned round is worth the same to whoever moves."""
    text = ". . X . .\n. X X O .\n. X O O .\n. . O . .\n. . . . .\n"
    swapped = text.translate(str.maketrans("XO", "OX"))
    values = []
    for board, color, komi in ((text, BLACK, 2.5), (swapped, WHITE, -2.5)):
        search = small_search("flat", 5, rollouts="uniform")
        search.set_position(Position.from_text(board, color, komi))
        search.run(simulations=20_000)
        values.append({edge.move: edge.q for edge in search.statistics()})
    assert values[0].keys() == values[1].keys()
    assert all(abs(values[0][move] - values[1][move]) < 0.2 for move in values[0])
    assert np.std(list(values[0].values())) > 0.05
