"""Traces of Monte Carlo tree search for `web/tree.js` (chapter 4): the slides' steps, a small tree, the real search.

A trace is a tree as it will be at its end, and frames. A frame has a title and a text, the nodes on its way, and the
statistics that have changed; the page adds them up. Nodes are not drawn before they have statistics.
"""

import dataclasses
from typing import Any

import numpy as np

from apv_mcts.assemble import new_search
from apv_mcts.search import Search
from apv_mcts.tree import UNIT
from arena.players import preset
from classics.bandit import Bound, slides_tree, ucb1
from classics.small_trees import (
    EXPANDED_AT,
    Node,
    add_virtual_loss,
    back_up,
    bounds,
    may_expand,
    most_visited,
    remove_virtual_loss,
    simulate,
    slides_node,
)
from classroom.lesson import board_rows
from go.board import BLACK, COLOR_NAMES
from go.coordinates import gtp_from_point
from go.position import Position

Frame = dict[str, Any]


TRAP = """
. . . X
X . X X
O O O X
. . O O
"""  # black to move, komi 0.5: random replies like B4, but only B3 wins


class Trace:
    """A trace in the making: the nodes by number, and the frames."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.nodes: list[dict[str, Any]] = []
        self.frames: list[Frame] = []

    def add_node(self, name: str, parent: int | None, mover: str, **more: Any) -> int:
        """Add a node, which `mover` moved to. Return its number."""
        self.nodes.append({"name": name, "parent": parent, "mover": mover, **more})
        return len(self.nodes) - 1

    def add_frame(self, title: str, text: str, path: list[int], stats: dict[int, list[float]], **more: Any) -> None:
        """Add a frame. `stats` are wins and visits, by node, of those that have changed."""
        rounded = {str(node): [round(float(value), 3) for value in pair] for node, pair in stats.items()}
        self.frames.append({"title": title, "text": text, "path": path, "stats": rounded, **more})

    def data(self) -> dict[str, Any]:
        return {"mode": "grow", "nodes": self.nodes, "frames": self.frames}


def numbered(trace: Trace, root: Node) -> dict[int, int]:
    """Add all nodes of a small tree to a trace. Return their numbers by `id`."""
    numbers: dict[int, int] = {}

    def add(node: Node, parent: int | None, mover: str) -> None:
        numbers[id(node)] = trace.add_node(node.name, parent, mover)
        for child in node:
            add(child, numbers[id(node)], node.to_move)

    add(root, None, "white" if root.to_move == "black" else "black")
    return numbers


def counts(node: Node) -> list[float]:
    return [node.wins, node.visits]


def shown_bounds(node: Node, numbers: dict[int, int], bound: Bound) -> dict[str, float]:
    """Return the bounds of a node's moves by number; those that are infinite are left out."""
    found = bounds(node, bound)
    return {str(numbers[id(child)]): round(found[child.name], 4) for child in node if np.isfinite(found[child.name])}


def slides_trace() -> dict[str, Any]:
    """Return the steps of the slides at node n1, with the formula that their numbers follow."""
    root = slides_node()
    trace = Trace("the slides' node n1")
    numbers = numbered(trace, root)
    b1, b2, _ = root.children
    values = bounds(root, slides_tree)
    true = bounds(root, ucb1)
    start = {numbers[id(node)]: counts(node) for node in (root, *root)}
    trace.add_frame("Node n1", "Black chooses between b1, b2 and b3: wins and trials of each.", [0], start)
    listed = ", ".join(f"{child.name} {child.rate:.2f} + {values[child.name] - child.rate:.2f}" for child in root)
    text = f"Win rate and bias, as printed: {listed}. b1 has the highest sum, {values['b1']:.2f}, and is tried next."
    trace.add_frame("Selection", text, [0, numbers[id(b1)]], {}, bounds=shown_bounds(root, numbers, slides_tree))
    listed = ", ".join(f"{name} {value:.3f}" for name, value in true.items())
    text = f"UCB1 as it is defined: {listed}. Other numbers, but b1 again, although b2 wins more often."
    trace.add_frame("The same by UCB1", text, [0, numbers[id(b1)]], {}, bounds=shown_bounds(root, numbers, ucb1))
    ready = [child.name for child in root if may_expand(child)]
    text = f"A leaf gets children at {EXPANDED_AT} trials (AlphaGo: 40). Here only {' and '.join(ready)} has enough."
    trace.add_frame("Expansion", text, [0, numbers[id(b2)]], {})
    add_virtual_loss(b1)
    text = "While a playout from b1 is under way, it counts as lost, so that other threads try other moves."
    pending = {numbers[id(b1)]: counts(b1)}
    trace.add_frame("Virtual loss", text, [0, numbers[id(b1)]], pending, bounds=shown_bounds(root, numbers, ucb1))
    remove_virtual_loss(b1)
    back_up([root, b1], black_wins=0.0)
    after = {numbers[id(node)]: counts(node) for node in (root, b1)}
    text = "Black lost the playout. The virtual loss is taken back, and the real one is counted up to the root."
    trace.add_frame("Backup", text, [0, numbers[id(b1)]], after)
    played = most_visited(root)
    text = f"After the search the move with most trials is played: {played.name}, {played.visits:g} of {root.visits:g}."
    trace.add_frame("The move", text, [0, numbers[id(played)]], {})
    return trace.data()


def small_trace(root: Node, simulations: int, seed: int, bound: Bound = ucb1) -> dict[str, Any]:
    """Return UCT on a small tree: for each simulation, a frame for its choices and one for its result."""
    rng = np.random.default_rng(seed)
    trace = Trace(root.name)
    numbers = numbered(trace, root)
    trace.add_frame("Start", "No playout yet.", [0], {0: counts(root)})
    for number in range(1, simulations + 1):
        chosen = {id(node): shown_bounds(node, numbers, bound) for node in _inner(root)}
        wins = root.wins
        path = simulate(root, rng.random, 1, bound)
        black_won = root.wins == wins  # the root's wins are those of the player who moved there, white
        way = [numbers[id(node)] for node in path]
        names = " → ".join(node.name for node in path[1:])
        seen = {key: value for node in path[:-1] for key, value in chosen.get(id(node), {}).items()}
        text = f"Selection: {names}. At each node the move with the highest bound; moves without a trial come first."
        trace.add_frame(f"Simulation {number}: choose", text, way, {}, bounds=seen)
        who = "Black" if black_won else "White"
        text = f"{who} won the playout from {path[-1].name}: counted in every node on the way."
        changed = {numbers[id(node)]: counts(node) for node in path}
        trace.add_frame(f"Simulation {number}: back up", text, way, changed, winner="black" if black_won else "white")
    return trace.data()


def _inner(root: Node) -> list[Node]:
    return [root, *(below for child in root if child.children for below in _inner(child))] if root.children else []


def uct_search(position: Position, rule: str = "ucb1", seed: int = 1, nodes: int = 4_000) -> Search:
    """Return the search of the lineage as the player `uct`, or as flat Monte Carlo, on one thread: repeatable."""
    settings = dataclasses.replace(preset("uct").search, rule=rule, threads=1, nodes=nodes)
    search = new_search(settings, position.size, seed=seed)
    search.set_position(position)
    return search


def trap_position() -> Position:
    """Return a real position on which flat Monte Carlo is wrong (the exact solver of `classics` agrees)."""
    return Position.from_text(TRAP, komi=0.5)


def go_trace(position: Position, simulations: int, seed: int = 1, shown: int = 2) -> dict[str, Any]:
    """Return the growing tree of the real search, one frame for each simulation.

    Moves with fewer than `shown` visits at the end are left out of the drawing; their simulations end at their parent.
    """
    search = uct_search(position, seed=seed)
    snapshots = []
    for _ in range(simulations):
        search.run(simulations=1)
        snapshots.append(_edges_of(search))
    final = snapshots[-1]
    trace = Trace("UCT on a real board")
    mover = COLOR_NAMES[position.to_move]
    trace.add_node("root", None, _other(mover), rows=board_rows(position))
    numbers: dict[tuple[int, ...], int] = {(): 0}
    for way in sorted(final, key=lambda way: (len(way), way)):
        if final[way][1] >= shown and way[:-1] in numbers:
            after = position.copy()
            for move in way:
                after.play(move)
            name = gtp_from_point(way[-1], position.size)
            parent = numbers[way[:-1]]
            player = mover if len(way) % 2 else _other(mover)
            numbers[way] = trace.add_node(name, parent, player, rows=board_rows(after))
    trace.add_frame("Start", "The root, and no playout yet.", [0], {0: [0, 0]})
    before: dict[tuple[int, ...], tuple[float, int]] = {}
    for number, now in enumerate(snapshots, 1):
        changed = [way for way in now if now[way] != before.get(way, (0.0, 0))]
        way = max(changed, key=len)
        wins = [now[step][0] - before.get(step, (0.0, 0))[0] for step in changed]
        won = wins[changed.index(way[:1])] > 0.5
        stats = {numbers[step]: list(now[step]) for step in changed if step in numbers}
        total = [sum(pair[k] for step, pair in now.items() if len(step) == 1) for k in (0, 1)]
        stats[0] = [total[1] - total[0], total[1]]  # wins of the player who moved to the root
        path = [0, *(numbers[way[: k + 1]] for k in range(len(way)) if way[: k + 1] in numbers)]
        names = " ".join(gtp_from_point(move, position.size) for move in way)
        winner = mover if won else _other(mover)
        text = f"{names}, then a random playout: {winner} wins."
        trace.add_frame(f"Simulation {number}", text, path, stats, winner=winner)
        before = now
    return {**trace.data(), "size": position.size}


def _edges_of(search: Search) -> dict[tuple[int, ...], tuple[float, int]]:
    """Return wins and visits of all moves of a tree, each by the way to it. Wins are those of the move's player."""
    tree, found = search.tree, {}

    def add(node: int, way: tuple[int, ...]) -> None:
        first = int(tree.first[node])
        for edge in range(first, first + int(tree.count[node])):
            visits = int(tree.n_r[edge])
            if visits:
                here = (*way, int(tree.move[edge]))
                found[here] = ((float(tree.w_r[edge]) / UNIT + visits) / 2, visits)
                if tree.child[edge] >= 0:
                    add(int(tree.child[edge]), here)

    add(0, ())
    return found


def _other(color: str) -> str:
    return "white" if color == COLOR_NAMES[BLACK] else "black"


def flat_and_tree(position: Position, simulations: int, seed: int = 1) -> dict[str, list[tuple[str, int, float]]]:
    """Search a position by flat Monte Carlo and by UCT. Return moves with visits and win rates, the best first."""
    found = {}
    for name, rule in (("flat Monte Carlo", "flat"), ("UCT", "ucb1")):
        search = uct_search(position, rule, seed)
        search.run(simulations=simulations)
        found[name] = [
            (gtp_from_point(edge.move, position.size), edge.visits, (1 + edge.q) / 2) for edge in search.statistics()
        ]
    return found
