"""The tree of a search as JSON, with one line per node, indented by depth.

    format        1
    settings      of the player, as `./prezero apv_mcts.show --help` lists them
    position      size, komi, to_move, moves (colour and vertex of each), and board, the lines of `go.text`
    simulations   number of simulations, done in `seconds`
    n_thr         visits above which an edge gets a node, as adapted at the end of the search
    depth         moves further from the root are left out,
    min_visits    and so are moves with fewer visits
    root          the tree

A node is a move and what follows it:

    move          the vertex; null at the root
    visits        N
    prior         P; null at the root, and where the rule has none
    q             Q as the search mixes it
    q_rollouts    Q of rollouts alone
    q_value       Q of the value network alone, averaged over the subtree
    value         what the value network says of the position after the move; null at the root
    children      the moves from there, the most visited first

Values go from -1 to 1 and are seen by the player of the move, so they change sides from a node to its children. Unknown
values are null. Those of the root are means over all visits, seen by the side to move.
"""

import dataclasses
import json
from typing import Any

from apv_mcts.search import EdgeStatistics, Search
from apv_mcts.settings import SearchPlayerSettings
from apv_mcts.views import has_priors
from go.board import COLOR_NAMES
from go.coordinates import gtp_from_point
from go.position import Position
from go.text import write_board

FORMAT = 1
DIGITS = 5  # of values; more would be noise


def dump_tree(
    search: Search, settings: SearchPlayerSettings, simulations: int, seconds: float, depth: int, min_visits: int
) -> dict[str, Any]:
    """Return the tree as plain data, `depth` moves deep, without moves that have fewer than `min_visits` visits."""
    below = _children(search, 0, depth, min_visits)
    return {
        "format": FORMAT,
        "settings": dataclasses.asdict(settings),
        "position": position_data(search.position),
        "simulations": simulations,
        "seconds": round(seconds, 3),
        "n_thr": search.n_thr,
        "depth": depth,
        "min_visits": min_visits,
        "root": _node(search.root_statistics(), None, None, below),
    }


def position_data(position: Position) -> dict[str, Any]:
    """Return a position as plain data. Set-up stones are on the board, but not among the moves."""
    return {
        "size": position.size,
        "komi": position.komi,
        "to_move": COLOR_NAMES[position.to_move],
        "moves": [[COLOR_NAMES[move.color], gtp_from_point(move.point, position.size)] for move in position.history],
        "board": write_board(position.colors).splitlines(),
    }


def _children(search: Search, node: int, depth: int, min_visits: int) -> list[dict[str, Any]]:
    """Return the moves of a node with their subtrees; an empty list if there is no node."""
    if node < 0 or depth == 0:
        return []
    found = [edge for edge in search.statistics(node) if edge.visits >= min_visits]
    return [_child(search, edge, depth, min_visits) for edge in found]


def _child(search: Search, edge: EdgeStatistics, depth: int, min_visits: int) -> dict[str, Any]:
    below = _children(search, int(search.tree.child[edge.edge]), depth - 1, min_visits)
    prior = edge.prior if has_priors(search) else None
    return _node(edge, gtp_from_point(edge.move, search.position.size), prior, below)


def _node(
    edge: EdgeStatistics, move: str | None, prior: float | None, children: list[dict[str, Any]]
) -> dict[str, Any]:
    q = edge.q if edge.visits else None
    values = {"q": q, "q_rollouts": edge.q_rollouts, "q_value": edge.q_value, "value": edge.value}
    rounded = {name: None if value is None else round(value, DIGITS) for name, value in values.items()}
    prior = None if prior is None else round(prior, DIGITS)
    return {"move": move, "visits": edge.visits, "prior": prior, **rounded, "children": children}


def written(dump: dict[str, Any]) -> str:
    """Return a dump as JSON with one line per node."""
    facts = [f" {json.dumps(name)}: {_fact(value)}" for name, value in dump.items() if name != "root"]
    return "{\n" + ",\n".join([*facts, f' "root":\n{_line(dump["root"], 1)}']) + "\n}\n"


def _fact(value: Any) -> str:
    """Return a fact as one line, or a position with one line per row of its board."""
    if not isinstance(value, dict) or "board" not in value:
        return json.dumps(value, ensure_ascii=False)
    rows = ",\n".join(f"  {json.dumps(row)}" for row in value["board"])
    others = json.dumps({name: fact for name, fact in value.items() if name != "board"})
    return f'{others[:-1]}, "board": [\n{rows}\n ]}}'


def _line(node: dict[str, Any], indent: int) -> str:
    space = " " * indent
    own = json.dumps({name: value for name, value in node.items() if name != "children"})
    below = ",\n".join(_line(child, indent + 1) for child in node["children"])
    return f'{space}{own[:-1]}, "children": [' + (f"\n{below}\n{space}" if below else "") + "]}"
