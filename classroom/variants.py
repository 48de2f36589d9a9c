"""Extended Data Table 7 beside our games: what rollouts, value network and policy network are worth in the search.

Our column is `docs/results/variants.csv`, which `./prezero arena.ablation` writes. Without that file only the paper's
column is known.
"""

import csv
from pathlib import Path
from typing import NamedTuple

from pipeline.artefact import ROOT
from pipeline.errors import UserError

RESULTS = ROOT / "docs" / "results" / "variants.csv"
COLUMNS = ("player", "elo", "low", "high", "games")
PAPER = {  # player: policy network, value network, rollouts, Elo (Silver et al. 2016, Extended Data Table 7)
    "alpha_rvp": (True, True, True, 2890),
    "alpha_rp": (True, False, True, 2416),
    "alpha_vp": (True, True, False, 2177),
    "alpha_rv": (False, True, True, 2077),
    "alpha_v": (False, True, False, 1655),
    "alpha_p": (True, False, False, 1517),
    "alpha_r": (False, False, True, 1457),
}


class Rated(NamedTuple):
    """A variant as we rated it: Elo with its 95% interval, above the full version."""

    elo: float
    low: float
    high: float
    games: int


def read_results(path: Path = RESULTS) -> dict[str, Rated]:
    """Return our ratings by player, the full version being 0; nothing if there is no file yet."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or not set(COLUMNS) <= set(rows[0]):
        raise UserError(f"{path} has none of the columns {', '.join(COLUMNS)}; ./prezero arena.ablation writes it.")
    try:
        found = {row["player"]: _rated(row) for row in rows}
    except ValueError:
        raise UserError(f"{path} has a rating that is no number; ./prezero arena.ablation writes it.") from None
    zero = found["alpha_rvp"].elo if "alpha_rvp" in found else 0.0
    return {
        name: rated._replace(elo=rated.elo - zero, low=rated.low - zero, high=rated.high - zero)
        for name, rated in found.items()
    }


def _rated(row: dict[str, str]) -> Rated:
    return Rated(float(row["elo"]), float(row["low"]), float(row["high"]), int(float(row["games"])))


def paper_gap(player: str) -> int:
    """Return by how many points of Elo a variant is below the full version in the paper."""
    return PAPER[player][3] - PAPER["alpha_rvp"][3]


def table_rows(found: dict[str, Rated]) -> list[tuple[str, str, str, str]]:
    """Return rows of variant, our gap to the full version, the paper's, and what the variant has."""
    rows = []
    for player, (policy, value, rollouts, elo) in PAPER.items():
        ours = found.get(player)
        mine = "not measured yet" if ours is None else f"{ours.elo:+.0f} [{ours.low:+.0f}; {ours.high:+.0f}]"
        has = {"policy network": policy, "value network": value, "rollouts": rollouts}
        parts = " + ".join(name for name, is_there in has.items() if is_there)
        remark = f"{parts}, no search" if player == "alpha_p" else parts
        rows.append((player, mine, f"{paper_gap(player):+d} ({elo})", remark))
    return rows
