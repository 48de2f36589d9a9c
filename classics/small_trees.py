"""Trees to learn search from: minimax, flat Monte Carlo, and UCT with each of its steps, in plain Python.

- `trap` is a tree on which flat Monte Carlo is wrong: after b1, white has one reply that always wins, but random
  replies find it half of the time. So b1 seems to be worth 50% and is worth nothing. UCT finds the reply.
- `slides_node` is the node n1 of the slides with the numbers that they print, `back_up` and below the steps after it.
- `slides_minimax` is their tree for minimax. Its leaves are lost; these are ours, with the values of the inner nodes.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator

import numpy as np

from classics.bandit import Bound, slides_tree, ucb1

EXPANDED_AT = 10  # visits at which the slides expand a leaf; AlphaGo's n_thr is 40


@dataclasses.dataclass
class Node:
    """A position of a small game: whose turn it is, the moves, and for a leaf how often black wins from there.

    `wins` and `visits` are those of the player who moved here, as the slides count them.
    """

    name: str
    to_move: str = "black"
    children: list["Node"] = dataclasses.field(default_factory=list)
    worth: float = 0.5  # of a leaf, for black
    wins: float = 0.0
    visits: float = 0.0

    def __iter__(self) -> Iterator["Node"]:
        return iter(self.children)

    @property
    def rate(self) -> float:
        return self.wins / self.visits if self.visits else 0.0


def minimax(node: Node) -> float:
    """Return what a position is worth to black if both sides play their best."""
    if not node.children:
        return node.worth
    return (max if node.to_move == "black" else min)(minimax(child) for child in node)


def flat_value(node: Node) -> float:
    """Return what random play from a position is worth to black: what flat Monte Carlo finds with enough playouts."""
    return float(np.mean([flat_value(child) for child in node])) if node.children else node.worth


def best_child(node: Node, value: Callable[[Node], float]) -> Node:
    """Return the move with the best value for the side to move."""
    return max(node, key=lambda child: value(child) if node.to_move == "black" else -value(child))


def most_visited(node: Node) -> Node:
    return max(node, key=lambda child: child.visits)


def bounds(node: Node, bound: Bound = ucb1) -> dict[str, float]:
    """Return the upper confidence bound of each move."""
    total = sum(child.visits for child in node)
    return {child.name: bound(child.wins, child.visits, max(total, 1)) for child in node}


def simulate(root: Node, draw: Callable[[], float], expanded_at: int = 1, bound: Bound = ucb1) -> list[Node]:
    """Do one simulation of UCT: selection, expansion, a playout and the backup. Return the nodes on its way.

    A leaf of the search tree is expanded once it has `expanded_at` visits. From there on moves are random; `draw`
    returns random numbers from 0 to 1.
    """
    path = [root]
    while path[-1].children and (path[-1] is root or path[-1].visits >= expanded_at):
        values = bounds(path[-1], bound)
        path.append(max(path[-1], key=lambda child: values[child.name]))
    leaf = path[-1]
    while leaf.children:
        leaf = leaf.children[int(draw() * len(leaf.children))]
    back_up(path, 1.0 if draw() < leaf.worth else 0.0)
    return path


def back_up(path: list[Node], black_wins: float) -> None:
    """Add a result to all nodes of a path: a win for the player who moved there, or a loss."""
    movers = ["", *(node.to_move for node in path[:-1])]
    for node, mover in zip(path, movers, strict=True):
        node.visits += 1
        node.wins += black_wins if mover == "black" else 1 - black_wins


def uct(root: Node, simulations: int, seed: int = 1, expanded_at: int = 1) -> Node:
    """Search with UCT. Return the most visited move."""
    rng = np.random.default_rng(seed)
    for _ in range(simulations):
        simulate(root, rng.random, expanded_at)
    return most_visited(root)


def trap(other: float = 0.4) -> Node:
    """Return the tree on which flat Monte Carlo is wrong. b2 wins `other` of all games, whatever white replies."""
    b1 = Node("b1", "white", [Node("w1", worth=1.0), Node("w2", worth=0.0)])
    b2 = Node("b2", "white", [Node("w3", worth=other), Node("w4", worth=other)])
    return Node("root", "black", [b1, b2])


def slides_minimax() -> Node:
    """Return a tree whose left child is worth 3 and whose right child is worth 6, so that right is chosen."""
    left = Node("left", "white", [Node("a", worth=3), Node("b", worth=5)])
    right = Node("right", "white", [Node("c", worth=8), Node("d", worth=6)])
    return Node("root", "black", [left, right])


def slides_node() -> Node:
    """Return node n1 of the slides: its moves with 3, 10 and 5 trials, of which 1, 7 and 2 were won."""
    moves = [Node("b1", "white", wins=1, visits=3), Node("b2", "white", wins=7, visits=10)]
    return Node("n1", "black", [*moves, Node("b3", "white", wins=2, visits=5)], wins=8, visits=18)


def slides_bounds() -> dict[str, tuple[float, float, float]]:
    """Return win rate, bias and bound of each move of node n1, by the formula that the printed numbers follow."""
    node = slides_node()
    found = bounds(node, slides_tree)
    return {child.name: (child.rate, found[child.name] - child.rate, found[child.name]) for child in node}


def may_expand(node: Node, threshold: int = EXPANDED_AT) -> bool:
    """Return whether a leaf has enough visits to be expanded."""
    return node.visits >= threshold


def add_virtual_loss(node: Node, count: int = 1) -> None:
    """Count a playout that is under way as lost, so that other threads go elsewhere meanwhile."""
    node.visits += count


def remove_virtual_loss(node: Node, count: int = 1) -> None:
    node.visits -= count


def mean_after(mean: float, visits: int, value: float) -> float:
    """Return the mean value of a node after one more evaluation, as AlphaGo Zero backs it up."""
    return (mean * visits + value) / (visits + 1)


def visits_before(mean: float, value: float, after: float) -> float:
    """Return how many visits a node had, from its mean before and after a value was backed up."""
    return math.inf if after == mean else (value - after) / (after - mean)
