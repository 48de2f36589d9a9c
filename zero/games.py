"""Many games that search side by side: each game always has one position under way, and all share the network's batch.

A game goes its own way. It searches; a simulation that ends in a finished game needs no network and is backed up at
once; after the last simulation it makes its move and begins the next search. It stops only where it needs an answer. So
the batch has a position of every game at every step, whatever each of them is doing (`advance_all`, `receive_all`).

Games have a random stream each, for symmetries, noise and moves, so a game depends neither on the other games nor on
their number. They end by two passes, by resignation, or at the move limit, and are counted by Tromp-Taylor, in the tree
as well as on the board. Every legal move is allowed, own eyes included; positional superko holds.
"""

from typing import NamedTuple

import numpy as np

from go.board import BLACK, BOARD, clear, play
from go.coordinates import PASS, SYMMETRIES
from go.history import HISTORY, begin_history, note_move
from go.jit import kernel
from go.playout import random_below
from go.score import area_margin
from zero.noise import gumbel, mix_dirichlet, uniform
from zero.rules import (
    GUMBEL,
    NO_DEFECT,
    PUCT,
    TERMINAL_OF_ROOT,
    best_candidate,
    most_visited,
    policy_target,
    root_value,
    select,
)
from zero.tree import NONE, add_node, back_up, keep_subtree, tree_of

FREE, ASKING_ROOT, SEARCHING = range(3)  # what a game is doing
IDLE, ASKS, OUTSIDE, ENDED = range(4)  # what it needs: nothing, an answer, a move of another player, to be taken away
RUNNING, PASSED, RESIGNED, CUT = range(4)  # how it ended
NEVER = -2.0  # a threshold below every value


class Terms(NamedTuple):
    """What all games have in common."""

    komi: float
    limit: int  # moves after which a game is counted as it stands
    sampled_moves: int  # the first moves are sampled, the others are the best
    resign: float = NEVER  # resign if the value of the root and of the best move are below


class Games(NamedTuple):
    """The games of a lockstep, a row each."""

    boards: np.ndarray  # BOARD[games]: the positions to move in
    history: np.ndarray  # HISTORY[games]
    hashes: np.ndarray  # uint64[games, limit + 2]: after each ply of the game and of the path
    streams: np.ndarray  # uint64[games, 1]
    leaf_boards: np.ndarray  # BOARD[games]: the positions under way
    leaf_history: np.ndarray  # HISTORY[games]
    symmetries: np.ndarray  # int64[games]: how they are shown to the network
    path_nodes: np.ndarray  # int32[games, limit + 2]
    path_actions: np.ndarray  # int32[games, limit + 2]
    depth: np.ndarray  # int64[games]: moves from the root to the leaf
    phase: np.ndarray  # int64[games]: FREE, ASKING_ROOT or SEARCHING
    done: np.ndarray  # int64[games]: simulations of the present search
    budget: np.ndarray  # int64[games]: simulations that it has in all
    candidates: np.ndarray  # int64[games]: moves that Gumbel tries
    gumbels: np.ndarray  # float64[games, actions]
    scores: np.ndarray  # float64[games, actions]: scratch
    searches: np.ndarray  # bool[games, 3]: by colour, whether it searches here, or another player moves
    defects: np.ndarray  # int64[games, 3]: by colour, a defect of its search (`zero.defects`), for experiments
    may_resign: np.ndarray  # bool[games]
    ending: np.ndarray  # int64[games]
    moves: np.ndarray  # int16[games, limit]: points
    targets: np.ndarray  # float32[games, limit, actions]: what the policy shall learn; zero after a quick search
    values: np.ndarray  # float32[games, limit]: the value that the search found, for the side to move
    lowest: np.ndarray  # float64[games, 3]: by colour, the least value at which it thought of resigning


def new_games(count: int, size: int, limit: int) -> Games:
    """Return games that have not begun."""
    actions = size * size + 1
    return Games(
        boards=np.zeros(count, BOARD),
        history=np.zeros(count, HISTORY),
        hashes=np.zeros((count, limit + 2), np.uint64),
        streams=np.zeros((count, 1), np.uint64),
        leaf_boards=np.zeros(count, BOARD),
        leaf_history=np.zeros(count, HISTORY),
        symmetries=np.zeros(count, np.int64),
        path_nodes=np.zeros((count, limit + 2), np.int32),
        path_actions=np.zeros((count, limit + 2), np.int32),
        depth=np.zeros(count, np.int64),
        phase=np.zeros(count, np.int64),
        done=np.zeros(count, np.int64),
        budget=np.zeros(count, np.int64),
        candidates=np.zeros(count, np.int64),
        gumbels=np.zeros((count, actions)),
        scores=np.zeros((count, actions)),
        searches=np.ones((count, 3), bool),
        defects=np.full((count, 3), NO_DEFECT),
        may_resign=np.zeros(count, bool),
        ending=np.zeros(count, np.int64),
        moves=np.zeros((count, limit), np.int16),
        targets=np.zeros((count, limit, actions), np.float32),
        values=np.zeros((count, limit), np.float32),
        lowest=np.zeros((count, 3)),
    )


@kernel
def begin_game(s, g, size):
    """Begin game `g` on an empty board. Its stream, its players and whether it may resign are set already."""
    clear(s.boards[g], size, size)
    begin_history(s.history[g], s.boards[g])
    s.hashes[g, 0] = s.boards[g].hash
    s.phase[g] = ASKING_ROOT
    s.ending[g] = RUNNING
    s.lowest[g, :] = 1.0
    s.targets[g, :, :] = 0.0
    s.values[g, :] = 0.0


@kernel
def outcome(b, komi):
    """Return 1 if black has won the board as it stands, -1 if white has, 0 for a draw."""
    margin = area_margin(b) - komi
    return 1.0 if margin > 0 else (-1.0 if margin < 0 else 0.0)


@kernel
def play_move(s, g, move, limit):
    """Play a legal move, or PASS, in game `g`, and note whether it ends the game."""
    b = s.boards[g]
    s.moves[g, b.ply] = move
    play(b, move)
    note_move(s.history[g], b, move)
    s.hashes[g, b.ply] = b.hash
    s.phase[g] = ASKING_ROOT
    if b.passes >= 2:
        s.ending[g] = PASSED
    elif b.ply >= limit:
        s.ending[g] = CUT


@kernel
def begin_search(s, g, t, rule, terms):
    """Get the root ready: whether it is searched in full, its noise, and the number of moves to try."""
    rng, legal = s.streams[g], 0
    for a in range(t.n.shape[1]):
        legal += t.logit[0, a] > -np.inf
    s.phase[g] = SEARCHING
    s.done[g] = 0
    is_full = rule.fast == 0 or uniform(rng) < rule.full_share
    s.budget[g] = rule.simulations if is_full else rule.fast
    if rule.kind == PUCT and rule.noise > 0.0 and is_full:
        alpha = rule.noise_alpha if rule.noise_alpha > 0.0 else rule.noise_total / legal
        mix_dirichlet(t.prior[0], t.logit[0], rule.noise, alpha, rng)
    if rule.kind == GUMBEL:
        s.candidates[g] = min(rule.considered, legal, s.budget[g])
        is_sampled = s.boards[g].ply < terms.sampled_moves
        for a in range(t.n.shape[1]):
            s.gumbels[g, a] = gumbel(rng) if is_sampled else 0.0


@kernel
def simulate(s, g, t, rule, terms, points, plans):
    """Follow the tree to a leaf. Return whether the network must be asked about it; a finished game is backed up."""
    s.leaf_boards[g] = s.boards[g]
    s.leaf_history[g] = s.history[g]
    b, past, rng = s.leaf_boards[g], s.leaf_history[g], s.streams[g]
    first = np.int64(b.to_move)
    nodes, actions = s.path_nodes[g], s.path_actions[g]
    plan = plans[np.int64(s.budget[g] < rule.simulations), s.candidates[g]]
    node, depth = 0, 0
    while True:
        a = select(t, node, rule, plan, s.done[g], s.gumbels[g], s.scores[g])
        nodes[depth], actions[depth] = node, a
        depth += 1
        move = PASS if a == len(points) else points[a]
        play(b, move)
        note_move(past, b, move)
        s.hashes[g, b.ply] = b.hash
        if b.passes >= 2 or b.ply >= terms.limit:
            defect = s.defects[g, first]
            side = first if defect == TERMINAL_OF_ROOT else np.int64(b.to_move)
            won = outcome(b, terms.komi)
            back_up(t, nodes, actions, depth, won if side == BLACK else -won, defect)
            s.done[g] += 1
            return False
        if t.child[node, a] == NONE:
            s.depth[g] = depth
            s.symmetries[g] = random_below(rng, SYMMETRIES)
            return True
        node = t.child[node, a]


@kernel
def choose(s, g, t, rule, terms):
    """Return the action of the root: sampled by visits or by Gumbel noise in the first moves, then the best one."""
    if rule.kind == GUMBEL:
        most = 0
        for a in range(t.n.shape[1]):
            most = max(most, t.n[0, a])
        return best_candidate(t, rule.c_visit, rule.c_scale, s.gumbels[g], most, s.scores[g])
    if s.boards[g].ply >= terms.sampled_moves:
        return most_visited(t)
    total = 0
    for a in range(t.n.shape[1]):
        total += t.n[0, a]
    left, chosen = uniform(s.streams[g]) * total, most_visited(t)
    for a in range(t.n.shape[1]):
        left -= t.n[0, a]
        if left < 0.0:
            return a
    return chosen


@kernel
def finish_search(s, g, t, rule, terms, points):
    """Note what the search found, then make the move that it chose, or resign."""
    b = s.boards[g]
    ply, color = b.ply, np.int64(b.to_move)
    if s.budget[g] == rule.simulations:
        policy_target(t, rule, s.targets[g, ply])
    value, best = root_value(t), most_visited(t)
    s.values[g, ply] = value
    hope = max(value, t.w[0, best] / max(t.n[0, best], 1))
    s.lowest[g, color] = min(s.lowest[g, color], hope)
    if s.may_resign[g] and hope < terms.resign:
        s.ending[g] = RESIGNED
        return
    a = choose(s, g, t, rule, terms)
    play_move(s, g, PASS if a == len(points) else points[a], terms.limit)
    if rule.reuse and t.child[0, a] != NONE and s.ending[g] == RUNNING:
        keep_subtree(t, t.child[0, a])
        begin_search(s, g, t, rule, terms)


@kernel
def advance(s, g, t, rule, terms, points, plans):
    """Let game `g` go on until it needs something. Return what: ASKS, OUTSIDE or ENDED."""
    while True:
        if s.ending[g] != RUNNING:
            return ENDED
        if s.phase[g] == ASKING_ROOT:
            if not s.searches[g, s.boards[g].to_move]:
                return OUTSIDE
            s.leaf_boards[g] = s.boards[g]
            s.leaf_history[g] = s.history[g]
            s.depth[g] = 0
            s.symmetries[g] = random_below(s.streams[g], SYMMETRIES)
            return ASKS
        while s.done[g] < s.budget[g]:
            if simulate(s, g, t, rule, terms, points, plans):
                return ASKS
        finish_search(s, g, t, rule, terms, points)


@kernel
def advance_all(s, trees, rule, terms, points, plans, needs):
    """Let all games go on, except those that wait for a move from outside. Write what each needs."""
    for g in range(len(needs)):
        needs[g] = IDLE if s.phase[g] == FREE else advance(s, g, tree_of(trees, g), rule, terms, points, plans)


@kernel
def receive_all(s, trees, rule, terms, points, games, scores, values):
    """Take the network's answers to the positions under way in some games, which `scores` and `values` are about."""
    for i in range(len(games)):
        g = games[i]
        t, depth = tree_of(trees, g), s.depth[g]
        value = min(max(np.float64(values[i]), -1.0), 1.0)
        if depth == 0:
            t.used[0] = 0
            add_node(t, s.leaf_boards[g], s.hashes[g], points, scores[i], value)
            begin_search(s, g, t, rule, terms)
            continue
        node = add_node(t, s.leaf_boards[g], s.hashes[g], points, scores[i], value)
        if node != NONE:
            t.child[s.path_nodes[g, depth - 1], s.path_actions[g, depth - 1]] = node
            t.parent[node] = s.path_nodes[g, depth - 1]
        back_up(t, s.path_nodes[g], s.path_actions[g], depth, value, s.defects[g, s.boards[g].to_move])
        s.done[g] += 1


def black_outcome(s: Games, g: int, komi: float) -> float:
    """Return the outcome of a game that has ended: 1 if black has won, -1 if white has, 0 for a draw."""
    if s.ending[g] == RESIGNED:
        return -1.0 if s.boards[g]["to_move"] == BLACK else 1.0
    return float(outcome(s.boards[g], komi))
