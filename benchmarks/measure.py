"""Measurements in rounds. Each contestant runs once per round, so that a busy machine slows all of them equally."""

import statistics
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pipeline.progress import Progress
from pipeline.tables import table

Rates = dict[str, list[float]]


class Bar(NamedTuple):
    """A target value and the measured value."""

    what: str
    measured: float
    asked: float
    at_most: bool = False
    unit: str = "x"

    @property
    def is_met(self) -> bool:
        return self.measured <= self.asked if self.at_most else self.measured >= self.asked


def in_turn(contestants: Mapping[str, Callable[[], float]], rounds: int, what: str) -> Rates:
    """Run each contestant once per round and return their rates. A warm-up round comes first and is not counted."""
    rates: Rates = {name: [] for name in contestants}
    with Progress(what, (rounds + 1) * len(contestants)) as progress:
        for number in range(rounds + 1):
            for name, run in contestants.items():
                rate = run()
                if number > 0:
                    rates[name].append(rate)
                progress.update(1)
    return rates


def median(rates: Rates, name: str) -> float:
    return statistics.median(rates[name])


def ratio(rates: Rates, name: str, baseline: str) -> float:
    """Return the median over the rounds of the rate of `name` divided by that of `baseline` in the same round."""
    return statistics.median(a / b for a, b in zip(rates[name], rates[baseline], strict=True))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def bars_table(bars: list[Bar]) -> str:
    rows = []
    for bar in bars:
        limit = f"at {'most' if bar.at_most else 'least'} {_number(bar.asked)}{bar.unit}"
        rows.append([bar.what, limit, f"{_number(bar.measured)}{bar.unit}", "yes" if bar.is_met else "NO"])
    return table(["bar", "asked", "measured", "met"], rows)
