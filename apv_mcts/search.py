"""A search with its threads, networks and budgets. The tree is kept from one position of a game to the next.

`Search.run` searches for a number of simulations or seconds, or until `stop`. `start` and `finish` search in the
background. On one thread, simulations and networks take turns, and a search with a seed is repeatable bit for bit. On
several threads the networks answer on a thread of their own while the others search on, and n_thr follows how fast they
do so; or, with an n_thr that stays as set, each thread takes turns between simulations and networks.
"""

import os
import sys
import threading
import time
from typing import NamedTuple

import numpy as np

from apv_mcts.evaluator import Evaluator
from apv_mcts.queue import FREE, WAITING, new_queue
from apv_mcts.reuse import copy_subtree
from apv_mcts.rules import FLAT, Rule, mean_value
from apv_mcts.settings import SearchSettings, rule_of
from apv_mcts.simulation import (
    DONE,
    MOST_DEPTH,
    N_THR,
    STARTED,
    STOP,
    Root,
    ask_for_root,
    make_root,
    new_worker,
    run_simulations,
)
from apv_mcts.tree import ANSWERED, NONE, UNIT, new_tree
from go.board import BLACK, WHITE
from go.coordinates import PASS
from go.playout import new_rng
from go.position import Position
from pipeline.settings import validate
from rollout.playout import PlayoutPolicy
from rollout.replies import new_replies
from rollout.tracker import TRACKER, begin

QUEUE = 256  # places, with rollouts; in a longer queue, requests would only wait longer
USUAL_MOVES = 1_000  # moves of a game; the memory for superko grows beyond that
EDGES_A_NODE = 200  # of a large board, on average; sets the size of the pool
MOST_VISITS = 1 << 30  # of the root; N_r has 31 bits, including virtual losses
NAP = 0.00005  # seconds of sleep of a thread that waits for requests or for answers
LOOK = 0.005  # seconds between two checks of the clock
GIVING_WAY = 5  # niceness of search threads: on a shared core they get a third of the evaluator's time
ADAPT = 0.05  # seconds between two looks at the queue: a few batches of a large network
BUSY = 0.8  # share of the time between two looks; a network that is less busy could answer more
DAMPING = 10  # n_thr changes by a tenth at most at a time
CHUNK = 32  # simulations between two checks of the clock, on one thread without networks; 20 ms on 19x19


class EdgeStatistics(NamedTuple):
    """The statistics of a move. Values go from -1 to 1, seen by the player of the move; unknown parts are None."""

    move: int
    visits: int
    q: float  # mixed by lambda_mix; 0 if nothing is known
    q_rollouts: float | None
    q_value: float | None
    value: float | None  # of the position after the move, by the value network alone
    prior: float
    edge: int


class Search:
    """A tree, the threads that grow it, and the position at its root."""

    def __init__(
        self,
        settings: SearchSettings,
        size: int,
        priors: PlayoutPolicy,
        playouts: PlayoutPolicy,
        evaluator: Evaluator | None = None,
        seed: int = 1,
    ) -> None:
        validate(settings, "player.search.")
        if (settings.policy or settings.value) and evaluator is None:
            raise ValueError("a search with networks needs an evaluator")
        self.settings, self.size, self.priors, self.evaluator = settings, size, priors, evaluator
        self.playouts = playouts._replace(replies=new_replies(), reply_chance=settings.replies)
        self.threads = settings.threads or os.cpu_count() or 1
        edges = max(settings.nodes * min(size * size + 1, EDGES_A_NODE), size * size + 1)  # the root at least
        self.tree, self.spare = new_tree(settings.nodes, edges), new_tree(settings.nodes, edges)
        places = QUEUE if settings.rollouts != "none" else (1 + self.threads) * settings.batch_size
        self.queue = new_queue(places, MOST_DEPTH)
        self.workers = [new_worker(USUAL_MOVES) for _ in range(self.threads)]
        # Without rollouts threads would only wait for the networks; with an n_thr that stays, requests would pile up.
        self.takes_turns = evaluator is not None and (settings.rollouts == "none" or not settings.adapt)
        self.control = np.zeros(8, np.int64)
        self.position: Position | None = None
        self.has_noise = False  # whether the root has its noise; it may be searched more than once
        self.background: threading.Thread | None = None
        self.lock = threading.Lock()  # held while the root changes, so that other threads read consistent statistics
        self._seed(seed)

    def _seed(self, seed: int) -> None:
        self.rngs = [new_rng(seed, number) for number in range(self.threads)]
        self.noise_rng = np.random.default_rng((seed, 1))
        self.control[N_THR] = self.settings.n_thr

    def renew(self, seed: int) -> None:
        """Forget the tree, the replies and an adapted n_thr: search on as a new search with this seed would.

        The evaluator must be this search's own. Memory and networks are kept, which take long to get.
        """
        self.finish()
        self.position = None
        self.playouts.replies.entries[:] = 0
        self._seed(seed)
        if self.evaluator is not None:
            self.evaluator.renew(seed)

    def set_position(self, position: Position) -> None:
        """Make a position the root. If it follows from the previous root by moves in the tree, keep their subtree."""
        node = self._find(position)
        if self.queue.counters[WAITING]:  # a network failed: drop its requests and the tree that waits for them
            self.queue.state[:] = FREE
            self.queue.counters[WAITING] = 0
            node = None
        with self.lock:
            self.position = position.copy()
            self.rule = rule_of(self.settings, position.komi)
            if self.rule.has_value:
                self.evaluator.warn_of_other_komi(position.komi)
            self.root = root_of(position)
            if len(self.root.hashes) + MOST_DEPTH > len(self.workers[0].hashes):
                self.workers = [new_worker(2 * len(self.root.hashes)) for _ in self.workers]
            self.has_noise = self.has_noise and node == 0
            if node is None:
                self.tree.counters[:] = 0
                make_root(self.rule, self.tree, self.priors, self.root, self.workers[0])
            elif node > 0:
                copy_subtree(self.tree, self.spare, node, np.zeros(len(self.tree.first), np.int32))
                self.tree, self.spare = self.spare, self.tree

    def _find(self, position: Position) -> int | None:
        """Return the node of a position that follows from the present root, or None.

        In the tree the players alternate; in a game record they need not.
        """
        if self.position is None or not position.follows(self.position):
            return None
        node, color = 0, self.position.to_move
        for move in position.history[len(self.position.history) :]:
            edges = [e for e in self._edges(node) if self.tree.move[e] == move.point]
            if not edges or self.tree.child[edges[0]] < 0 or move.color != color:
                return None
            node, color = int(self.tree.child[edges[0]]), BLACK + WHITE - color
        return node if color == position.to_move else None

    def _edges(self, node: int) -> range:
        first = int(self.tree.first[node])
        return range(first, first + int(self.tree.count[node]))

    def run(self, simulations: int = 0, seconds: float = 0.0) -> int:
        """Run up to `simulations` simulations or `seconds` seconds, or until `stop()`. Return the number done.

        0 means no limit. Without any limit the search ends when another thread calls `stop`, or at `MOST_VISITS`.
        """
        self.prepare()
        return self._run(simulations, seconds)

    def start(self, simulations: int = 0, seconds: float = 0.0) -> None:
        """Search in the background, until a limit is reached or `finish` is called."""
        self.prepare()
        self.background = threading.Thread(target=self._run, args=(simulations, seconds), daemon=True)
        self.background.start()

    def finish(self) -> None:
        """Stop the search in the background and wait for its end."""
        self.stop()
        if self.background is not None:
            self.background.join()
            self.background = None

    def stop(self) -> None:
        """Tell a running search to stop. Return at once."""
        self.control[STOP] = 1

    def prepare(self) -> None:
        """Get the root ready for simulations: priors of the network, and noise if the settings ask for it.

        `apv_mcts.lockstep` does this for many searches with one batch.
        """
        self.reset()
        while self._serve():
            pass
        self.add_noise()

    def reset(self) -> None:
        """Reset the counts of simulations, and ask for the priors of the root."""
        self.control[[STARTED, DONE, STOP]] = 0
        if self.rule.has_policy:
            ask_for_root(self.tree, self.root, self.queue, self.workers[0].path)

    def add_noise(self) -> None:
        """Mix Dirichlet noise into the priors of the root, once, if the settings ask for it."""
        edges = self._edges(0)[:-1]  # all but the pass
        if self.settings.noise > 0 and len(edges) > 0 and not self.has_noise:
            self.has_noise = True
            part = slice(edges.start, edges.stop)
            drawn = self.noise_rng.dirichlet(np.full(len(edges), self.settings.noise_alpha))
            kept = (1 - self.settings.noise) * self.tree.prior[part]
            self.tree.prior[part] = kept + self.settings.noise * (1 - self.rule.pass_prior) * drawn

    def _run(self, simulations: int, seconds: float) -> int:
        deadline = time.monotonic() + seconds if seconds else float("inf")
        room = MOST_VISITS - sum(int(self.tree.n_r[e]) for e in self._edges(0))
        budget = min(simulations, room) if simulations else room
        if self.threads == 1:
            self._run_in_turns(budget, deadline)
        else:
            self._run_together(budget, deadline)
        return int(self.control[DONE])

    def simulate(self, number: int, budget: int) -> None:
        """Simulate as thread `number` until all threads together have started `budget` simulations.

        On one thread, return before that if the next simulation must wait for a network.
        """
        shared = self.tree, self.rule, self.root, self.queue, self.priors, self.playouts
        run_simulations(*shared, self.workers[number], self.rngs[number], self.control, budget)

    def simulate_some(self, budget: int) -> None:
        """Run about as many simulations as fill a batch of the network."""
        chunk = self.settings.batch_size if self.evaluator is not None else CHUNK
        self.simulate(0, min(budget, int(self.control[STARTED]) + chunk))

    def _serve(self) -> int:
        """Answer a batch of requests. Return their number."""
        return 0 if self.evaluator is None else self.evaluator.serve([self])

    @property
    def n_thr(self) -> int:
        """The visits above which an edge gets a node, as adapted so far."""
        return int(self.control[N_THR])

    def adapt(self, busy: float) -> None:
        """Raise n_thr if requests pile up, lower it if the networks could answer more (Methods).

        A new node asks for priors, and each of its edges for a value. So n_thr controls both kinds of requests.
        `busy` is the share of the time since the last call in which the network was at work.
        """
        step = max(self.n_thr // DAMPING, 1)
        if self.queue.counters[WAITING] > 2 * self.settings.batch_size:
            self.control[N_THR] += step
        elif busy < BUSY:
            self.control[N_THR] = max(self.n_thr - step, 1)

    def _run_in_turns(self, budget: int, deadline: float) -> None:
        """Search on this thread, and answer requests between simulations: repeatable.

        The search waits for every answer, so there is no rate of requests for n_thr to follow, and it stays as set.
        """
        while self.control[STOP] == 0 and self.control[DONE] < budget and time.monotonic() < deadline:
            self.simulate_some(budget)
            while self._serve():
                pass

    def _run_together(self, budget: int, deadline: float) -> None:
        """Search on several threads. Requests are answered by this one, or by all of them in turns."""
        errors = []

        def work(number: int) -> None:
            try:
                if self.takes_turns:
                    self._take_turns(number, budget)
                    return
                if self.evaluator is not None:
                    _give_way()
                self.simulate(number, budget)
            except Exception as error:  # of a network; raised again below
                errors.append(error)
                self.stop()

        threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(self.threads)]
        for thread in threads:
            thread.start()
        looked, busy = time.monotonic(), 0.0
        try:
            while any(thread.is_alive() for thread in threads):
                now = time.monotonic()
                if now >= deadline:
                    self.stop()
                if self.evaluator is None or self.takes_turns:
                    time.sleep(LOOK)
                    continue
                if now - looked >= ADAPT:
                    self.adapt(busy / (now - looked))
                    looked, busy = now, 0.0
                if self._serve():
                    busy += time.monotonic() - now
                else:
                    time.sleep(NAP)
        finally:
            self.stop()
            for thread in threads:
                thread.join()
            while not errors and self._serve():
                pass
        if errors:
            raise errors[0]

    def _take_turns(self, number: int, budget: int) -> None:
        """Simulate as thread `number`, and answer requests of any thread in between."""
        chunk = self.threads * self.settings.batch_size  # by all threads; the counts are theirs together
        while self.control[STOP] == 0 and self.control[DONE] < budget:
            self.simulate(number, min(budget, int(self.control[STARTED]) + chunk))
            if not self._serve():
                time.sleep(NAP)
            while self.queue.counters[WAITING] > self.settings.batch_size and self._serve():
                pass  # so that the queue is never full, and no request refused

    def statistics(self, node: int = 0) -> list[EdgeStatistics]:
        """Return what is known of the moves of a node, the best first.

        A search may be under way, so sums can be younger than the counts that they are divided by.
        """
        tree, found = self.tree, []
        for e in self._edges(node):
            value = -float(tree.value[e]) if tree.asked_value[e] == ANSWERED else None
            sums = int(tree.n_r[e]), int(tree.w_r[e]), int(tree.n_v[e]), int(tree.w_v[e])
            found.append(_edge_statistics(self.rule, int(tree.move[e]), float(tree.prior[e]), e, value, *sums))
        return sorted(found, key=self._rank)

    def _rank(self, edge: EdgeStatistics) -> tuple[float, ...]:
        """Order moves by their visits, but where all get as many, by their value. A pass never wins a tie."""
        by = (edge.visits == 0, -edge.q) if self.rule.kind == FLAT else (-edge.visits,)
        return *by, edge.move == PASS, -edge.prior

    def root_statistics(self) -> EdgeStatistics:
        """Return the statistics summed over all moves of the root, seen by the side to move."""
        tree, edges = self.tree, self._edges(0)
        part = slice(edges.start, edges.stop)
        sums = (int(of_edges[part].sum()) for of_edges in (tree.n_r, tree.w_r, tree.n_v, tree.w_v))
        return _edge_statistics(self.rule, PASS, 1.0, NONE, None, *sums)

    def principal_variation(self, first: EdgeStatistics | None = None, most: int = 20) -> list[int]:
        """Return the line of most visited moves from the root, or from one of its edges."""
        tree, moves = self.tree, []
        edge = (first or self.statistics()[0]).edge
        while tree.n_r[edge] > 0 and len(moves) < most:
            moves.append(int(tree.move[edge]))
            child = int(tree.child[edge])
            if child < 0:
                break
            edge = self._most_visited(child)
        return moves

    def _most_visited(self, node: int) -> int:
        """Return the most visited edge of a node."""
        edges = self._edges(node)
        part = slice(edges.start, edges.stop)
        ties = self.tree.move[part] == PASS  # which never wins one
        return edges[int(np.lexsort((-self.tree.prior[part], ties, -self.tree.n_r[part]))[0])]


def win_rate(value: float) -> float:
    """Return a value (-1 to 1) as a winning probability (0 to 1)."""
    return 0.5 + 0.5 * value


def _give_way() -> None:
    """Lower the priority of this thread, so that the evaluator goes first on a shared core. Linux only."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + GIVING_WAY)


def _bounded(value: float) -> float:
    return min(max(value, -1.0), 1.0)


def _edge_statistics(
    rule: Rule, move: int, prior: float, edge: int, value: float | None, n_r: int, w_r: int, n_v: int, w_v: int
) -> EdgeStatistics:
    return EdgeStatistics(
        move=move,
        visits=n_r,
        q=_bounded(float(mean_value(rule, n_r, w_r, n_v, w_v))),
        q_rollouts=_bounded(w_r / UNIT / n_r) if n_r and rule.has_rollouts else None,
        q_value=_bounded(w_v / UNIT / n_v) if n_v else None,
        value=value,
        prior=prior,
        edge=edge,
    )


def root_of(position: Position) -> Root:
    """Return a position as the kernels take it."""
    tracker = np.zeros(1, TRACKER)
    begin(position.boards[0], tracker[0])
    return Root(position.boards.copy(), tracker, position.hashes, position.past.copy())
