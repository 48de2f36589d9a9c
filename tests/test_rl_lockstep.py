"""Games in lockstep: those of a slow reference, lawful, rightly counted, and sampled as they should be."""

import numpy as np
import pytest
from reference import region
from rl_reference import lockstep_from, rigged, slow_game
from scipy.stats import chisquare
from sgfmill.boards import Board
from small_networks import random_weights

from go.board import BLACK, EMPTY, WHITE
from go.coordinates import PASS, rowcol_from_point
from go.player import sensible_moves
from go.playout import new_rng
from go.position import Position
from nets.actions import actions_of, images_of_actions
from nets.network import Network
from rl_policy.lockstep import NEVER, NO_ACTION, Lockstep, draw_action
from rl_policy.self_play import GameSettings, play_games

# board size, games, settings; superko must come up on the smallest boards
CASES = {
    "2x2": (2, 12, GameSettings(komi=0.5)),
    "3x3": (3, 12, GameSettings(komi=-0.5)),
    "4x4, from random openings": (4, 10, GameSettings(komi=0.0, random_moves=6)),
    "5x5, colder and hotter": (5, 6, GameSettings(komi=2.5, temperatures=(0.3, 2.0))),
    "9x9": (9, 3, GameSettings()),
    "9x9, cut": (9, 4, GameSettings(move_limit=21, random_moves=30)),
}
SMALL = ("2x2", "3x3")


def points_played(played, game):
    return played.moves[game, : played.lengths[game]].tolist()


def replayed(played, game, size, komi):
    position = Position(size, komi)
    for move in points_played(played, game):
        position.play(move)
    return position


@pytest.fixture(scope="module")
def games():
    """The games of every case, with the turns of the first network, and the networks."""
    found = {}
    for name, (size, count, settings) in CASES.items():
        networks = [random_weights(size, seed=seed, planes=planes) for seed, planes in ((1, 48), (2, 12))]
        settings = settings._replace(precision="float32")
        found[name] = networks, play_games(*networks, count, (7, size), settings, record=True)
    return found


@pytest.mark.parametrize("name", CASES)
def test_games_are_those_of_the_slow_reference(games, name):
    size, count, settings = CASES[name]
    networks, played = games[name]
    slow = [
        slow_game([Network(w, precision="float32") for w in networks], n, (7, size), settings) for n in range(count)
    ]
    assert [points_played(played, n) for n in range(count)] == [game.moves for game in slow]
    assert played.margins.tolist() == [game.margin for game in slow]
    assert played.is_cut.tolist() == [game.is_cut for game in slow]
    assert played.is_forced.tolist() == [game.is_forced for game in slow]
    assert played.is_turned.tolist() == [game.is_turned for game in slow]
    assert played.is_black.tolist() == [n % 2 == 0 for n in range(count)]
    assert name not in SMALL or sum(game.superko for game in slow) > 0  # it was worth comparing
    assert name != "9x9, cut" or all(game.is_cut for game in slow)


def test_forced_moves_came_up_in_the_games_compared(games):
    forced = np.concatenate([played.is_forced for _, played in games.values()])
    turned = np.concatenate([played.is_turned for _, played in games.values()])
    assert 0 < turned.sum() < forced.sum() < len(forced)


@pytest.mark.parametrize("name", CASES)
def test_games_are_those_that_are_played_one_at_a_time(games, name):
    size, count, settings = CASES[name]
    networks, played = games[name]
    alone = play_games(*networks, count, (7, size), settings._replace(precision="float32", threads=count))
    for one, many in zip(alone[:-1], played[:-1], strict=True):
        assert np.array_equal(one, many)


@pytest.mark.parametrize("name", CASES)
def test_games_are_lawful_and_rightly_counted_on_the_board_of_sgfmill(games, name):
    size, count, settings = CASES[name]
    _, played = games[name]
    for game in range(count):
        board, letters, seen = Board(size), "bw", set()
        moves = points_played(played, game)
        for ply, move in enumerate(moves):
            seen.add(str(board.board))
            if move == PASS:
                continue
            row, column = rowcol_from_point(move, size)
            row = size - 1 - row  # rows count from below there
            assert board.get(row, column) is None
            board.play(row, column, letters[ply % 2])
            assert board.get(row, column) == letters[ply % 2] and str(board.board) not in seen  # no suicide, no superko
        assert board.area_score() - settings.komi == played.margins[game]
        ended = moves[-2:] == [PASS, PASS]
        assert ended == (not played.is_cut[game])


@pytest.mark.parametrize("name", CASES)
def test_what_was_recorded_is_what_the_first_network_saw_and_chose(games, name):
    """All positions of its turns and no others. Allowed are the sensible moves without those against superko."""
    size, count, settings = CASES[name]
    networks, played = games[name]
    inputs, images = Network(networks[0]).inputs, images_of_actions(size)
    seen = {(int(g), int(p)): row for turn in played.turns for row, (g, p) in enumerate(zip(*turn[:2], strict=True))}
    turns = {(int(g), int(p)): turn for turn in played.turns for g, p in zip(*turn[:2], strict=True)}
    opening = {n: min([p for g, p in seen if g == n], default=10**9) for n in range(count)}
    for game in range(count):
        position = Position(size, settings.komi)
        for ply, move in enumerate(points_played(played, game)):
            is_firsts = (position.to_move == BLACK) == played.is_black[game]
            if ply >= opening[game]:
                assert ((game, ply) in seen) == is_firsts
            if (game, ply) in seen:
                _, _, planes, allowed, actions = turns[game, ply]
                row = seen[game, ply]
                sensible = actions_of(np.array(sensible_moves(position), int), size)
                expected, _ = inputs.of_positions([position])
                action = NO_ACTION if move == PASS else actions_of(move, size)
                fits = []
                for image in images:
                    turned_planes = np.zeros_like(expected).reshape(expected.shape[1], -1)
                    turned_planes[:, image] = expected.reshape(expected.shape[1], -1)
                    is_allowed = np.zeros(size * size, bool)
                    is_allowed[image[sensible]] = True
                    fits.append(
                        (turned_planes == planes[row].reshape(len(turned_planes), -1)).all()
                        and ((is_allowed == allowed[row]).all() or move == PASS)
                        and actions[row] == (NO_ACTION if move == PASS else image[action])
                    )
                assert any(fits), (game, ply)
            position.play(move)
    assert settings.random_moves or opening == {n: n % 2 for n in range(count)}


@pytest.mark.parametrize("name", ["3x3", "4x4, from random openings", "9x9"])
def test_owners_are_those_of_tromp_and_taylor(games, name):
    size, _, settings = CASES[name]
    _, played = games[name]
    for ply in (3, size * size // 2, 10**6):
        position = Position(size, settings.komi)
        for move in points_played(played, 0)[:ply]:
            position.play(move)
        found = lockstep_from(position, [(1,)], 10**4)
        expected = np.zeros((size, size), int)
        for place in np.ndindex(size, size):
            around = {int(position.colors[p]) for p in region(position.colors, *place)[1]}
            color = int(position.colors[place])
            expected[place] = color or (around.pop() if len(around) == 1 else EMPTY)
        assert found.owners().tolist() == [expected.ravel().tolist()]
        assert found.margins()[0] == (expected == BLACK).sum() - (expected == WHITE).sum() - settings.komi


@pytest.mark.parametrize(("threads", "count"), [(2, 10), (3, 10), (1, 4), (5, 7)])
def test_games_do_not_depend_on_how_they_are_shared_out(games, threads, count):
    name = "4x4, from random openings"
    size, _, settings = CASES[name]
    networks, played = games[name]
    done = []
    shared = settings._replace(precision="float32", threads=threads)
    other = play_games(*networks, count, (7, size), shared, record=True, advance=done.append)
    for one, many in zip(other[:-1], played[:-1], strict=True):
        assert np.array_equal(one, many[:count])
    assert sum(done) == count and len(done) == -(-count // -(-count // threads))

    def rows(turns):
        return {
            (int(turn.games[k]), int(turn.plies[k])): (turn.planes[k].tobytes(), int(turn.actions[k]))
            for turn in turns
            for k in range(len(turn.games))
        }

    expected = {key: row for key, row in rows(played.turns).items() if key[0] < count}
    assert rows(other.turns) == expected
    assert not play_games(*networks, 2, (7, size), shared).turns  # unless asked for


def test_seeds_and_numbers_make_games_different(games):
    networks, played = games["5x5, colder and hotter"]
    settings = CASES["5x5, colder and hotter"][2]._replace(precision="float32")
    other = play_games(*networks, 6, (8, 5), settings)
    games = [tuple(points_played(found, n)) for found in (played, other) for n in range(6)]
    assert len(set(games)) == 12


# Passing

FULL = """
. X X O .
X X X O O
. X X O .
X X X O O
X X X O O
"""


def test_a_side_with_nothing_but_eyes_passes_and_two_passes_end_the_game():
    position = Position.from_text(FULL, BLACK, komi=3.5)
    games = lockstep_from(position, [(1,), (2,)])
    network, both = Network(random_weights(5), precision="float32"), np.arange(2)
    assert not sensible_moves(position)
    for ply in range(2):
        assert games.running.all() and not games.ended.any()
        turn = games.take_turn(both, network)
        assert turn.actions.tolist() == [NO_ACTION] * 2 and turn.plies.tolist() == [ply] * 2
    assert games.ended.all() and not games.running.any() and games.lengths.tolist() == [2, 2]
    assert games.moves[:, :2].tolist() == [[PASS, PASS]] * 2
    assert games.margins().tolist() == [15 - 10 - 3.5] * 2
    assert (games.forced_ply == NEVER).all()


@pytest.mark.parametrize(
    ("to_move", "komi", "passes"),
    [  # black has 16 points on the board and white 6
        (BLACK, 8.5, True),
        (BLACK, 11.5, False),
        (BLACK, 10.0, False),  # a draw is not won
        (WHITE, 11.5, True),
        (WHITE, 8.5, False),
        (WHITE, 10.0, False),
    ],
)
def test_a_second_pass_is_played_if_and_only_if_it_wins(to_move, komi, passes):
    text = """
    X X X . .
    . . X X .
    X X X O O
    . . X O .
    . X X O O
    """
    position = Position.from_text(text, BLACK + WHITE - to_move, komi)
    assert position.score() == 10 - komi
    network = Network(random_weights(5), precision="float32")
    unpassed = lockstep_from(Position.from_text(text, to_move, komi), [(n,) for n in range(8)])
    unpassed.take_turn(np.arange(8), network)
    assert (unpassed.moves[:, 0] != PASS).all()  # a first pass is never played as long as there are moves
    position.play("pass")
    games = lockstep_from(position, [(n,) for n in range(8)])
    turn = games.take_turn(np.arange(8), network)
    assert (games.moves[:, 1] == PASS).tolist() == [passes] * 8 == games.ended.tolist()
    assert (turn.actions == NO_ACTION).tolist() == [passes] * 8


def test_a_game_is_cut_at_the_limit_and_counted():
    games = Lockstep(5, 0.5, [(1,)], move_limit=3)
    network = Network(random_weights(5), precision="float32")
    for _ in range(3):
        assert games.running.tolist() == [True]
        games.take_turn(np.array([0]), network)
    assert games.running.tolist() == [False] == games.ended.tolist() and games.lengths.tolist() == [3]
    assert Lockstep(5, 0.5, [(1,)]).limit == 4 * 25


def test_a_game_that_ends_by_passes_at_the_limit_is_not_cut():
    played = play_games(random_weights(2), random_weights(2, seed=2), 64, (1,), GameSettings(0.5, precision="float32"))
    lengths = set(played.lengths[~played.is_cut].tolist())
    for limit in lengths:
        again = play_games(
            random_weights(2), random_weights(2, seed=2), 64, (1,), GameSettings(0.5, limit, precision="float32")
        )
        assert np.array_equal(again.is_cut, played.lengths > limit)
        assert (again.lengths <= limit).all() and (again.lengths[again.is_cut] == limit).all()
    assert len(lengths) > 1


def test_only_the_games_that_are_named_move():
    games = Lockstep(5, 0.5, [(n,) for n in range(5)])
    network = Network(random_weights(5), precision="float32")
    turn = games.take_turn(np.array([3, 1]), network)
    assert games.lengths.tolist() == [0, 1, 0, 1, 0] and turn.games.tolist() == [3, 1]
    games.play_uniformly(np.array([0, 3]))
    assert games.lengths.tolist() == [1, 1, 0, 2, 0] and (games.boards["color"][2] % 3 == 0).all()


def test_a_game_that_begins_anew_is_like_a_new_game():
    network, both = Network(random_weights(3), precision="float32"), np.arange(2)
    old, new = Lockstep(3, 0.5, [(1,), (2,)]), Lockstep(3, 0.5, [(1,), (9,)])
    while old.running[1]:
        old.take_turn(np.array([1]), network)
    old.restart(1, (9,))
    assert old.lengths.tolist() == [0, 0] and old.running.all()
    while new.running.all():
        new.take_turn(both, network)
        old.take_turn(both, network)
    for name in ("moves", "boards", "history", "forced_ply", "forced_margin", "streams"):
        assert np.array_equal(getattr(old, name), getattr(new, name)), name


# Sampling


def test_actions_follow_the_softmax_and_are_never_forbidden():
    """Moves are sampled; the best one is not always taken."""
    scores = np.array([1.0, -0.5, 3.0, 0.2, 9.0, 1.0, -3.0])
    allowed = np.array([True, True, True, True, False, True, True])
    rng, draws = new_rng(5), 20_000
    found = np.bincount([draw_action(scores.astype(np.float32), allowed, rng) for _ in range(draws)], minlength=7)
    chances = np.where(allowed, np.exp(scores), 0) / np.exp(scores[allowed]).sum()
    assert found[4] == 0 and found.max() < 0.8 * draws
    assert chisquare(found[allowed], draws * chances[allowed]).pvalue > 1e-3


@pytest.mark.parametrize("shift", [-3e4, 0, 3e4])
def test_scores_of_any_height_are_drawn(shift):
    scores = np.array([0, 1, 2], np.float32) + np.float32(shift)
    rng = new_rng(1)
    found = np.bincount([draw_action(scores, np.ones(3, bool), rng) for _ in range(4000)], minlength=3)
    weights = np.exp([0, 1, 2])
    assert chisquare(found, 4000 * weights / weights.sum()).pvalue > 1e-3
    far = np.array([0, 1000, -1000], np.float32)
    assert {draw_action(far, np.ones(3, bool), rng) for _ in range(200)} == {1}
    assert {draw_action(far, np.array([True, False, False]), rng) for _ in range(20)} == {0}
    assert draw_action(far, np.zeros(3, bool), rng) == NO_ACTION


def test_turns_follow_the_softmax_over_all_symmetries():
    """In each symmetry, the network prefers other points; the games follow the mean of the eight softmaxes."""
    weights = random_weights(3, seed=4)
    position = Position.from_text("X . .\n. O .\n. . .", BLACK, komi=0.5)
    network, count = Network(weights, precision="float32"), 4000
    games = lockstep_from(position, [(n, 3) for n in range(count)])
    games.take_turn(np.arange(count), network)
    chances = network.of_positions([position], tuple(range(8)))[0].astype(float)
    chances /= chances.sum()
    found = np.bincount(actions_of(games.moves[:, 0], 3), minlength=9)
    assert (found[chances == 0] == 0).all()
    assert chisquare(found[chances > 0], count * chances[chances > 0]).pvalue > 1e-3
    alone = network.of_positions([position])[0].astype(float)
    assert chisquare(found[alone > 0], count * alone[alone > 0] / alone.sum()).pvalue < 1e-6  # not one symmetry alone


def test_a_low_temperature_plays_the_most_probable_move():
    weights = rigged(3, {}, np.array([0, 1, 0, 1, 2, 1, 0, 1, 0]))  # the middle, then the sides
    games = Lockstep(3, 0.5, [(n,) for n in range(50)])
    games.take_turn(np.arange(50), Network(weights, precision="float32"), 0.001)
    assert set(actions_of(games.moves[:, 0], 3).tolist()) == {4}
    sampled = Lockstep(3, 0.5, [(n,) for n in range(50)])
    sampled.take_turn(np.arange(50), Network(weights, precision="float32"))
    assert len(set(sampled.moves[:, 0].tolist())) > 3


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_openings_are_uniform_over_all_legal_moves_and_eyes_among_them(color):
    position = Position.from_text(FULL.replace("X X O .", "X . O .", 1), color)
    count, legal = 3000, position.legal_moves()
    assert len(legal) > len(sensible_moves(position)) > 0
    games = lockstep_from(position, [(n, color) for n in range(count)])
    games.play_uniformly(np.arange(count))
    found = {int(point): int((games.moves[:, 0] == point).sum()) for point in set(games.moves[:, 0].tolist())}
    assert set(found) == set(legal.tolist()) and chisquare(list(found.values())).pvalue > 1e-3
    assert (games.boards["to_move"] == BLACK + WHITE - color).all()


def test_openings_keep_to_ko_and_pass_if_there_is_no_move():
    position = Position.from_text(". X O .\nX O . O\n. X O .\n. . . .", BLACK, komi=0.5)
    position.play("C3")
    assert position.captured[WHITE] == 1 and not position.is_legal("B3")
    games = lockstep_from(position, [(n,) for n in range(400)])
    games.play_uniformly(np.arange(400))
    assert set(games.moves[:, 1].tolist()) == set(position.legal_moves().tolist())
    stuck = Position.from_text(".X\nX.", WHITE)
    games = lockstep_from(stuck, [(n,) for n in range(9)])
    games.play_uniformly(np.arange(9))
    assert set(games.moves[:, 0].tolist()) == {PASS} and (games.boards["passes"] == 1).all()


def test_the_length_of_openings_is_uniform():
    games = Lockstep(3, 0.5, [(n,) for n in range(4000)])
    assert chisquare(np.bincount(games.draw_below(5), minlength=5)).pvalue > 1e-3
    assert set(games.draw_below(1).tolist()) == {0}


# Forced self-atari

SEKI = """
X X X O O
X X a O O
X X X O O
X X b O O
X X X O O
"""


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_a_seki_is_broken_by_the_side_that_has_nothing_else(to_move):
    position = Position.from_text(SEKI, to_move, komi=1.5)
    network = Network(random_weights(5), precision="float32")
    games = lockstep_from(position, [(n,) for n in range(6)])
    games.take_turn(np.arange(6), network)
    assert set(games.moves[:, 0].tolist()) <= {position.at("a"), position.at("b")}
    assert games.forced_ply.tolist() == [0] * 6 and games.forced_margin.tolist() == [13 - 10] * 6
    games.take_turn(np.arange(6), network)  # the other side takes everything
    owners = games.owners()
    assert (owners == to_move).sum() == 0 and games.forced_ply.tolist() == [0] * 6  # only the first one is noted


ROOM = """
X X X O O O O
X X a O O O O
X X X O O O O
X X b O O O O
X X X O O O O
O O O O O O O
. . . . . . .
"""


@pytest.mark.parametrize(
    ("text", "to_move"),
    [
        (SEKI[:-2] + ".\n", WHITE),  # white has an eye, and so two liberties after either move
        (ROOM, BLACK),  # black could as well play below
    ],
)
def test_self_atari_is_not_forced_where_there_is_something_else(text, to_move):
    position = Position.from_text(text, to_move, komi=1.5)
    games = lockstep_from(position, [(n,) for n in range(40)])
    games.take_turn(np.arange(40), Network(rigged(position.size, {}), precision="float32"))
    assert {position.at("a"), position.at("b")} <= set(games.moves[:, 0].tolist())
    assert (games.forced_ply == NEVER).all()


def test_a_single_stone_in_atari_is_no_forced_move():
    """White can only throw a stone in, which is often right."""
    position = Position.from_text("XX..\nXXXX\nXXXX\nXX..", WHITE, komi=0.5)
    games = lockstep_from(position, [(n,) for n in range(4)])
    games.take_turn(np.arange(4), Network(random_weights(4), precision="float32"))
    assert (games.moves[:, 0] != PASS).all() and (games.forced_ply == NEVER).all()
