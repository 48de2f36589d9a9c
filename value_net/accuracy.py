"""How well values predict outcomes: squared errors, by move number, and beside a constant.

Errors are (z - v)^2 with z and v from -1 to 1, as in Silver et al. 2016; the 2017 paper shows a quarter of that.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from data.positions import Positions
from nets.network import ALL_SYMMETRIES, Network
from pipeline.errors import UserError
from pipeline.shares import interval95
from value_net.lessons import Lessons

BATCH = 64
STEP = {9: 10, 13: 20, 19: 50}  # moves that a row of errors by move number covers, by board size


def predict(
    network: Network,
    lessons: Lessons,
    symmetries: tuple[int, ...] = (0,),
    advance: Callable[[int], None] = lambda positions: None,
) -> np.ndarray:
    """Return the value of each position for the player to move, averaged over some symmetries of the board."""
    check_network(network, lessons.store.size)
    values = np.zeros(len(lessons), np.float32)
    for start in range(0, len(lessons), BATCH):
        games, plies = lessons.games[start : start + BATCH], lessons.plies[start : start + BATCH]
        for symmetry in symmetries:
            turns = np.full(len(games), symmetry)
            planes, _ = network.inputs.of_store(lessons.store, Positions(games, plies, turns))
            values[start : start + BATCH] += network.answer_planes(planes, turns).values
        advance(len(games))
    return values / len(symmetries)


def check_network(network: Network, size: int) -> None:
    """Raise `UserError` if a network is no value network, or for another board."""
    if network.description.family != "value":
        raise UserError(f"This is a {network.description.family} network, not a value network.")
    if network.size != size:
        raise UserError(f"The value network is for {network.size}x{network.size}, not for {size}x{size}.")


def summary(values: np.ndarray, outcomes: np.ndarray) -> dict[str, Any]:
    """Return the mean squared error with its standard error, and the share of winners that were predicted."""
    errors = (outcomes - values.astype(np.float64)) ** 2
    decided = outcomes != 0
    deviation = float(errors.std(ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else float("nan")
    return {
        "MSE": float(errors.mean()),
        "standard error": deviation,
        "winner": float((np.sign(values) == outcomes)[decided].mean()) if decided.any() else float("nan"),
        "positions": len(errors),
    }


def by_move_number(values: np.ndarray, lessons: Lessons) -> list[dict[str, Any]]:
    """Return the summary by move number."""
    step = STEP[min(STEP, key=lambda known: abs(known - lessons.store.size))]
    rows = []
    for first in range(0, int(lessons.plies.max(initial=0)) + 1, step):
        chosen = (lessons.plies >= first) & (lessons.plies < first + step)
        if chosen.any():
            rows.append({"from": first, "to": first + step - 1, **summary(values[chosen], lessons.outcomes[chosen])})
    return rows


def reliability(values: np.ndarray, outcomes: np.ndarray, bins: int = 10) -> list[dict[str, Any]]:
    """Return predicted beside observed win rates, by predicted win rate in `bins` bins of equal width."""
    predicted, won = (1 + np.asarray(values, np.float64)) / 2, (1 + np.asarray(outcomes, np.float64)) / 2
    places = np.minimum((predicted * bins).astype(int), bins - 1)
    rows = []
    for place in range(bins):
        inside = places == place
        if inside.any():
            low, high = interval95(float(won[inside].sum()), int(inside.sum()))
            row = {"from": place / bins, "to": (place + 1) / bins, "positions": int(inside.sum())}
            rates = {"predicted": float(predicted[inside].mean()), "observed": float(won[inside].mean())}
            rows.append(row | rates | {"low": low, "high": high})
    return rows


def errors_by_part(
    network: Network, lessons: dict[str, Lessons], advance: Callable[[int], None] = lambda positions: None
) -> dict[str, Any]:
    """Test a network on the parts of a store. The constant is the mean outcome of the training part."""
    constant = float(lessons["train"].outcomes.mean())
    results: dict[str, Any] = {}
    for part, there in lessons.items():
        values = predict(network, there, advance=advance)
        results[part] = summary(values, there.outcomes)
        results[part]["constant MSE"] = summary(np.full(len(there), constant), there.outcomes)["MSE"]
        if part == "test":
            results["by move number"] = by_move_number(values, there)
            averaged = predict(network, there, ALL_SYMMETRIES, advance)
            results["test, 8 symmetries"] = summary(averaged, there.outcomes)
            results["test, 8 symmetries"]["constant MSE"] = results[part]["constant MSE"]
    return results
