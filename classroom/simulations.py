"""A search recorded after each simulation: what it selected and why, what came back, and what changed.

`search.run(simulations=1)` again and again is the same search as one long run with batches of one position. So what the
page plays is the real search, with one thread and a seed. Nothing is computed twice: paths, outcomes and answers are
read off the tree, as differences between before and after.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from apv_mcts.rules import Rule, mean_value
from apv_mcts.search import Search
from apv_mcts.tree import EDGES, NODES, UNIT
from go.board import COLOR_NAMES
from go.coordinates import gtp_from_point
from go.position import Position

DIGITS = 4  # of the numbers in a page


def board_data(position: Position) -> dict[str, Any]:
    """Return a position as `board.js` draws it: stones as rows of ".", "X" and "O", from the top."""
    last = position.last_move
    return {
        "size": position.size,
        "rows": ["".join(".XO"[color] for color in row) for row in position.colors.tolist()],
        "to_move": COLOR_NAMES[position.to_move],
        "last": None if last is None else gtp_from_point(last, position.size),
    }


def exploration(rule: Rule, prior: float, visits: int, total: int) -> float:
    """Return u(s, a) = c_puct P sqrt(sum of N_r) / (1 + N_r), with the root of at least one, as `rules.best_puct`."""
    return rule.c_puct * prior * math.sqrt(max(total, 1)) / (1 + visits)


class Snapshot(NamedTuple):
    """The statistics of all edges at one moment (`apv_mcts.tree`)."""

    prior: np.ndarray
    n_r: np.ndarray
    w_r: np.ndarray
    n_v: np.ndarray
    w_v: np.ndarray


def snapshot(search: Search) -> Snapshot:
    """Return a copy of the statistics as they are now."""
    tree, used = search.tree, int(search.tree.counters[EDGES])
    return Snapshot(*(array[:used].copy() for array in (tree.prior, tree.n_r, tree.w_r, tree.n_v, tree.w_v)))


def edges_of(search: Search, node: int) -> slice:
    """Return where the edges of a node are in the arrays of the tree."""
    first = int(search.tree.first[node])
    return slice(first, first + int(search.tree.count[node]))


def node_numbers(search: Search, node: int, seen: Snapshot) -> list[dict[str, Any]]:
    """Return P, N, W, Q and u of all moves of a node. Values are those of the side to move there."""
    part = edges_of(search, node)
    total = int(seen.n_r[part].sum())
    return [_edge_numbers(search, edge, total, seen) for edge in range(part.start, part.stop)]


def _edge_numbers(search: Search, edge: int, total: int, seen: Snapshot) -> dict[str, Any]:
    n_r, w_r, n_v, w_v = (int(array[edge]) for array in seen[1:])
    prior = float(seen.prior[edge])
    return {
        "move": gtp_from_point(int(search.tree.move[edge]), search.size),
        "P": round(prior, DIGITS),
        "N": n_r,
        "W": round(w_r / UNIT, DIGITS),
        "N_v": n_v,
        "W_v": round(w_v / UNIT, DIGITS),
        "Q": round(float(mean_value(search.rule, n_r, w_r, n_v, w_v)), DIGITS),
        "u": round(exploration(search.rule, prior, n_r, total), DIGITS),
    }


def record_simulations(search: Search, position: Position, simulations: int) -> dict[str, Any]:
    """Search a position on one thread. Return a step for the tree policy, one for the network, one per simulation.

    A step has the numbers of all moves of the root as they are after it. A simulation also has its path, with the
    numbers by which each move was selected, the outcome `z` of its rollout, and the answer `v` of the value network.
    Both are seen by the side to move at the root.
    """
    if search.threads != 1 or search.settings.batch_size != 1:
        raise ValueError("one simulation at a time needs threads=1 and batch_size=1")
    search.position = None  # begin with an empty tree
    search.set_position(position)
    steps: list[dict[str, Any]] = [{"what": "tree policy", "root": node_numbers(search, 0, snapshot(search))}]
    search.prepare()
    if search.rule.has_policy:
        steps.append({"what": "policy network", "root": node_numbers(search, 0, snapshot(search))})
    steps += [_one_simulation(search, number + 1) for number in range(simulations)]
    settings = search.settings
    return {
        "board": board_data(position),
        "c_puct": settings.c_puct,
        "lambda": settings.lambda_mix,
        "n_thr": settings.n_thr,
        "has_value": settings.value,
        "steps": steps,
    }


def _one_simulation(search: Search, number: int) -> dict[str, Any]:
    tree, nodes, before = search.tree, int(search.tree.counters[NODES]), snapshot(search)
    search.run(simulations=1)
    after = snapshot(search)
    path = _path_of(search, before, after)
    first = path[0][1]
    answers = int(after.n_v[first] - before.n_v[first])
    return {
        "what": "simulation",
        "number": number,
        "path": [node_numbers(search, node, before)[edge - int(tree.first[node])] for node, edge in path],
        "z": _difference(before.w_r, after.w_r, first) if search.rule.has_rollouts else None,
        "v": _difference(before.w_v, after.w_v, first) if answers else None,
        "made_node": int(tree.counters[NODES]) > nodes,
        "root": node_numbers(search, 0, after),
    }


def _difference(before: np.ndarray, after: np.ndarray, edge: int) -> float:
    return round(int(after[edge] - before[edge]) / UNIT, DIGITS)


def _path_of(search: Search, before: Snapshot, after: Snapshot) -> list[tuple[int, int]]:
    """Return the nodes and edges of the last simulation, from the root on: each node on its path has one visit more."""
    path: list[tuple[int, int]] = []
    node = 0
    while node >= 0:
        part = edges_of(search, node)
        if part.start >= len(before.n_r):  # a node that this simulation has made
            break
        visited = np.flatnonzero(after.n_r[part] != before.n_r[part])
        if not len(visited):
            break
        path.append((node, part.start + int(visited[0])))
        node = int(search.tree.child[path[-1][1]])
    return path
