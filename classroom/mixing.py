"""Six boards and lambda: what rollouts and value network say of each move, recorded apart so that a page can mix them.

Q(s, a) = (1 - lambda) Q_v + lambda Q_r. A search with the value network keeps both parts (`apv_mcts.views`), so a page
can mix them with any lambda. Where the simulations go depends on lambda too, so there is a search for each of some
lambdas.
"""

from typing import Any

from apv_mcts.assemble import new_search
from apv_mcts.player import TRIED
from apv_mcts.search import Search, win_rate
from apv_mcts.settings import SearchSettings
from apv_mcts.views import successor_values
from classroom.simulations import DIGITS, board_data
from go.coordinates import gtp_from_point
from go.position import Position
from nets.find import find_weights
from nets.network import Answering
from pipeline.errors import UserError

LAMBDAS = (0.0, 0.25, 0.5, 0.75, 1.0)


def why_no_value_network(size: int) -> str:
    """Return why there is no value network for a board, or nothing if there is one."""
    try:
        find_weights("value", size)
    except UserError as error:
        return str(error)
    return ""


def record_mixtures(
    position: Position, simulations: int, network: Answering | None = None, lambdas: tuple[float, ...] = LAMBDAS
) -> dict[str, Any]:
    """Search a position once for each lambda. Return what Figure 5 shows of each search, with Q in its two parts."""
    searches = []
    for lambda_mix in lambdas:
        settings = SearchSettings(value=True, lambda_mix=lambda_mix, threads=1, n_thr=8, nodes=20_000)
        search = new_search(settings, position.size, network=network)
        search.set_position(position)
        search.run(simulations=simulations)
        searches.append({"lambda": lambda_mix, **views_data(search)})
    return {"board": board_data(position), "simulations": simulations, "searches": searches}


def views_data(search: Search) -> dict[str, Any]:
    """Return the numbers of the six boards of a search: by move, and the principal variation.

    Values are winning probabilities of the side to move. Moves without visits have no Q.
    """
    edges, size = search.statistics(), search.size
    values = successor_values(search, edges)
    moves = []
    for edge in edges:
        parts = {"Q_r": edge.q_rollouts, "Q_v": edge.q_value, "v": values.get(edge.move)}
        rates = {name: None if part is None else round(win_rate(part), DIGITS) for name, part in parts.items()}
        moves.append(
            {"move": gtp_from_point(edge.move, size), "N": edge.visits, "P": round(edge.prior, DIGITS), **rates}
        )
    line = [gtp_from_point(move, size) for move in search.principal_variation(most=8)]
    return {"moves": moves, "variation": line}


def mixed(move: dict[str, Any], lambda_mix: float) -> float | None:
    """Return Q of a recorded move for a lambda, as a winning probability. While one part is missing, Q is the other."""
    q_r, q_v = move["Q_r"], move["Q_v"]
    if q_r is None or q_v is None:
        return q_v if q_r is None else q_r
    return (1 - lambda_mix) * q_v + lambda_mix * q_r


def best_by_lambda(recorded: dict[str, Any]) -> list[tuple[float, str, str]]:
    """Return for each search: lambda, its most visited move, and the best move by Q of those with enough visits."""
    rows = []
    for search in recorded["searches"]:
        moves = search["moves"]
        most = max(move["N"] for move in moves)
        tried = [move for move in moves if move["N"] >= TRIED * most]
        by_value = max(tried, key=lambda move: mixed(move, search["lambda"]) or 0.0)
        rows.append((search["lambda"], moves[0]["move"], by_value["move"]))
    return rows
