"""The searches of `zero`, slowly and obviously, on positions with their friendly face; and networks for tests."""

import math

import numpy as np

from go import Position
from go.board import BLACK
from go.coordinates import PASS, SYMMETRIES, action_from_point
from go.playout import new_rng, random_below
from nets.actions import points_of
from nets.network import Answers
from zero.noise import gumbel, mix_dirichlet, uniform
from zero.rules import GUMBEL, Rule, visit_plan


class FormulaNetwork:
    """Answers by a formula of the stones, so that anybody can compute what it says; symmetries do not matter."""

    has_pass = True

    def __init__(self, size: int, seed: int = 1, spread: float = 1.0) -> None:
        rng = np.random.default_rng(seed)
        self.size, self.points = size, points_of(size)
        self.bias = rng.normal(0, spread, size * size + 1)
        self.mixing = rng.normal(0, 0.5 * spread, (size * size + 1, size * size))
        self.judging = rng.normal(0, 0.4, size * size)

    def of_stones(self, own_minus_other: np.ndarray) -> tuple[np.ndarray, float]:
        scores = self.bias + self.mixing @ own_minus_other
        return scores.astype(np.float32), float(np.float32(math.tanh(self.judging @ own_minus_other)))

    def answer(self, boards, history, symmetries, wants=None) -> Answers:
        scores, values = [], []
        for board in boards:
            color = board["color"][self.points].astype(int)
            own = (color == board["to_move"]).astype(int) - ((color > 0) & (color != board["to_move"]))
            found = self.of_stones(own)
            scores.append(found[0])
            values.append(found[1])
        return Answers(np.array(scores, np.float32), np.array(values, np.float32))

    def of_position(self, position: Position) -> tuple[np.ndarray, float]:
        colors = position.colors.reshape(-1).astype(int)
        own = (colors == position.to_move).astype(int) - ((colors > 0) & (colors != position.to_move))
        return self.of_stones(own)


class Node:
    """A position with what the network says, and the statistics of its moves."""

    def __init__(self, position: Position, network: FormulaNetwork) -> None:
        self.position = position
        scores, self.value = network.of_position(position)
        legal = [action_from_point(int(point), position.size) for point in position.legal_moves()]
        self.moves = [*sorted(legal), position.size**2]
        chosen = np.array([scores[a] for a in self.moves], np.float64)
        self.logit = chosen - chosen.max() - math.log(np.exp(chosen - chosen.max()).sum())
        self.prior = np.exp(self.logit)
        self.n = np.zeros(len(self.moves), int)
        self.w = np.zeros(len(self.moves))
        self.child: list[Node | None] = [None] * len(self.moves)

    @property
    def q(self) -> np.ndarray:
        return np.where(self.n > 0, self.w / np.maximum(self.n, 1), 0.0)

    def improved(self, rule: Rule) -> np.ndarray:
        """logit + sigma(completed q)."""
        tried, visits = self.n > 0, self.n.sum()
        unknown = self.value
        if visits:
            mean = (self.prior[tried] * self.q[tried]).sum() / self.prior[tried].sum()
            unknown = (self.value + visits * mean) / (1 + visits)
        completed = np.where(tried, self.q, unknown)
        return self.logit + (rule.c_visit + self.n.max()) * rule.c_scale * (completed + 1) / 2


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


class SlowGame:
    """One game of a network against itself, move by move."""

    def __init__(self, network, rule: Rule, size: int, komi: float, limit: int, sampled: int, *seed: int) -> None:
        self.network, self.rule, self.limit, self.sampled = network, rule, limit, sampled
        self.position, self.rng = Position(size, komi), new_rng(*seed)[:1]
        self.root: Node | None = None
        self.moves, self.targets, self.values = [], [], []

    def is_over(self, position: Position) -> bool:
        return position.is_over or len(position.history) >= self.limit

    def play(self) -> None:
        while not self.is_over(self.position):
            self.move()

    def begin(self) -> None:
        if self.root is None:
            random_below(self.rng, SYMMETRIES)
            self.root = Node(self.position.copy(), self.network)
        root, rule = self.root, self.rule
        self.is_full = not rule.fast or uniform(self.rng) < rule.full_share
        self.budget = rule.simulations if self.is_full else rule.fast
        if rule.kind == GUMBEL:
            actions = self.position.size**2 + 1
            drawn = [gumbel(self.rng) if len(self.moves) < self.sampled else 0.0 for _ in range(actions)]
            self.gumbels = np.array([drawn[a] for a in root.moves])
            self.plan = visit_plan(min(rule.considered, len(root.moves), self.budget), self.budget)
        elif rule.noise > 0 and self.is_full:
            alpha = rule.noise_alpha or rule.noise_total / len(root.moves)
            mix_dirichlet(root.prior, root.logit, rule.noise, alpha, self.rng)

    def select(self, node: Node, done: int) -> int:
        rule = self.rule
        if rule.kind == GUMBEL and node is self.root:
            scores = np.where(node.n == self.plan[done], self.gumbels + node.improved(rule), -np.inf)
            return int(scores.argmax())
        if rule.kind == GUMBEL:
            return int((softmax(node.improved(rule)) - node.n / (1 + node.n.sum())).argmax())
        u = rule.c_puct * node.prior * math.sqrt(max(node.n.sum(), 1)) / (1 + node.n)
        return int((node.q + u).argmax())

    def simulate(self, done: int) -> None:
        path, node = [], self.root
        while True:
            i = self.select(node, done)
            path.append((node, i))
            if node.child[i] is not None:
                node = node.child[i]
                continue
            point = PASS if node.moves[i] == node.position.size**2 else int(self.network.points[node.moves[i]])
            after = node.position.copy().play(point)
            if self.is_over(after):
                black = np.sign(after.score())
            else:
                random_below(self.rng, SYMMETRIES)
                node.child[i] = Node(after, self.network)
                value = node.child[i].value
                black = value if after.to_move == BLACK else -value
            break
        for node, i in path:
            node.n[i] += 1
            node.w[i] += black if node.position.to_move == BLACK else -black

    def move(self) -> None:
        self.begin()
        rule, root = self.rule, self.root
        for done in range(self.budget):
            self.simulate(done)
        target = np.zeros(self.position.size**2 + 1)
        if self.is_full:
            target[root.moves] = softmax(root.improved(rule)) if rule.kind == GUMBEL else root.n / root.n.sum()
        self.targets.append(target)
        self.values.append((root.value + root.w.sum()) / (1 + root.n.sum()))
        if rule.kind == GUMBEL:
            i = int(np.where(root.n == root.n.max(), self.gumbels + root.improved(rule), -np.inf).argmax())
        elif len(self.moves) < self.sampled:
            i = int(np.searchsorted(np.cumsum(root.n), uniform(self.rng) * root.n.sum(), side="right"))
        else:
            best = np.flatnonzero(root.n == root.n.max())
            i = int(best[root.logit[best].argmax()])
        action = root.moves[i]
        point = PASS if action == self.position.size**2 else int(self.network.points[action])
        self.moves.append(point)
        self.position.play(point)
        self.root = root.child[i] if rule.reuse else None
