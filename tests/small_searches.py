"""Searches of small boards with made-up networks, and what must hold of any tree that is at rest."""

import dataclasses
import functools
from pathlib import Path

import numpy as np
import yaml
from conftest import ROOT
from small_networks import random_weights

from apv_mcts.assemble import new_search
from apv_mcts.evaluator import Evaluator
from apv_mcts.queue import FREE, WAITING
from apv_mcts.search import Search
from apv_mcts.settings import SearchSettings
from apv_mcts.simulation import DONE, STARTED
from apv_mcts.tree import ANSWERED, EDGES, NODES, NONE, NOT_ASKED, UNIT
from arena.players import PlayerSettings, new_player, preset
from go.coordinates import PASS
from go.player import sensible_moves
from go.position import Position
from nets.network import Answers, Network

SEARCHES = sorted(  # the names of all players that search; alpha_p only looks, and variants differ in numbers only
    path.stem
    for path in Path(ROOT, "conf", "player").glob("*.yaml")
    if "search" in yaml.safe_load(path.read_text()) and path.stem != "alpha_p" and not path.stem.endswith("_paper")
)


@functools.cache
def network(size: int) -> Network:
    """A policy network of random weights."""
    return Network(random_weights(size, planes=4))


class MadeUp:
    """A network whose values are those of a function from boards, histories and symmetries; a real one has the scores.

    A search asks for one of the two or for both; what it does not ask for is not computed.
    """

    has_pass = False

    def __init__(self, policy: Network | None, values) -> None:
        self.policy, self.values = policy, values

    def answer(self, boards, history, symmetries, wants=None) -> Answers:
        scored, valued = wants or (np.ones(len(boards), bool), np.ones(len(boards), bool))
        scores, values = None, np.zeros(len(boards))
        if self.policy is not None:
            scores = np.zeros((len(boards), self.policy.size**2), np.float32)
            if scored.any():
                scores[scored] = self.policy.answer(boards[scored], history[scored], symmetries[scored]).scores
        if valued.any():
            values[valued] = self.values(boards[valued], history[valued], symmetries[valued])
        return Answers(scores, values)


def by_hash(boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray) -> np.ndarray:
    """Value a position by its stones and turn, in no sensible way, but always in the same."""
    mixed = boards["hash"] ^ (boards["to_move"].astype(np.uint64) << np.uint64(13))
    return (mixed % np.uint64(2001)).astype(float) / 1000 - 1


def small_search(name: str, size: int, values=by_hash, seed: int = 1, **changes) -> Search:
    """Make the search of a player by its name, with a small pool, and nodes after few visits."""
    usual = {"nodes": 2_000, "threads": 1}
    if preset(name).search.n_thr == SearchSettings().n_thr:
        usual["n_thr"] = 3
    settings = dataclasses.replace(preset(name).search, **{**usual, **changes})
    answers = MadeUp(network(size) if settings.policy else None, values)
    asks = Evaluator(answers, settings.beta, seed, settings.batch_size)
    return new_search(settings, size, seed=seed, evaluator=asks if settings.policy or settings.value else None)


def small_player(name: str, **changes):
    """Make a player by its name, with settings of its own or of its search changed; one thread, few nodes."""
    settings = preset(name)
    own = {field.name for field in dataclasses.fields(PlayerSettings)}
    usual = {"nodes": 5_000, "threads": 1, "seconds": 0.0}
    for key, value in {**usual, **changes}.items():
        setattr(settings if key in own else settings.search, key, value)
    return new_player(settings)


def random_position(
    size: int, plies: int, rng: np.random.Generator, komi: float = 0.5, passes: float = 0.05
) -> Position:
    """Play sensible moves at random, with a pass now and then, and never to the end of the game."""
    position = Position(size, komi)
    for _ in range(plies):
        moves = sensible_moves(position)
        after = position.copy().play(int(rng.choice(moves)) if moves and rng.random() >= passes else PASS)
        if after.is_over:
            break
        position = after
    return position


def root_visits(search: Search) -> int:
    return sum(edge.visits for edge in search.statistics())


def check_at_rest(search: Search, simulations: int, before: int = 0) -> None:
    """Check all that must hold when no thread is at work: counts, sums, signs, priors, requests.

    Behind an edge are the visits of its node and those from before it was made, whose outcomes are not in the node. So
    what a node does not account for is at most as large as its number, seen from the other side.
    """
    tree, rule = search.tree, search.rule
    nodes, edges = int(tree.counters[NODES]), int(tree.counters[EDGES])
    assert search.control[DONE] == search.control[STARTED] == simulations
    assert root_visits(search) == before + simulations
    assert (search.queue.state == FREE).all() and search.queue.counters[WAITING] == 0
    first, count, child = tree.first[:nodes], tree.count[:nodes], tree.child[:edges]
    assert ((tree.asked_policy[:nodes] == ANSWERED) | (tree.asked_policy[:nodes] == NOT_ASKED)).all()
    assert tree.asked_policy[0] == (ANSWERED if rule.has_policy else NOT_ASKED)
    assert np.isin(tree.asked_value[:edges], (ANSWERED, NOT_ASKED) if rule.has_value else (NOT_ASKED,)).all()
    owner = np.concatenate([np.arange(f, f + c) for f, c in zip(first, count, strict=True)])
    assert len(set(owner.tolist())) == len(owner)  # no two nodes share an edge
    made = np.flatnonzero(child >= 0)
    assert sorted(child[made].tolist()) == list(range(1, nodes))  # each node has one edge, and none is lost
    assert (child[child < 0] == NONE).all()
    for n, w in ((tree.n_r[:edges], tree.w_r[:edges]), (tree.n_v[:edges], tree.w_v[:edges])):
        n = n.astype(np.int64)
        assert (n >= 0).all() and (np.abs(w) <= n * UNIT).all()
        below_n, below_w = (_sums(part, first, count)[child[made]] for part in (n, w))
        left = n[made] - below_n
        assert (left >= 0).all() and (np.abs(w[made] + below_w) <= left * UNIT).all()
    if rule.has_rollouts:
        assert (tree.w_r[:edges] % UNIT == 0).all()
        if rule.komi % 1:  # no draws: as many wins and losses as visits
            assert ((tree.w_r[:edges] // UNIT - tree.n_r[:edges]) % 2 == 0).all()
    else:
        assert (tree.n_v[:edges] == tree.n_r[:edges]).all() and (tree.w_r[:edges] == 0).all()
    assert (tree.prior[owner] >= 0).all()
    assert np.abs(_sums(tree.prior[:edges].astype(float), first, count) - 1).max() < 1e-4


def _sums(values: np.ndarray, first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Add up the numbers of the edges of each node."""
    sums = np.concatenate([[0], np.cumsum(values)])
    return sums[first + count] - sums[first]
