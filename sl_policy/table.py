"""Extended Data Table 3 at our scale: how filters, symmetries and planes change what a network finds.

The rows are the paper's. Its 192 filters become `net.filters`, and its 128 and 256 are scaled likewise. Each job of the
sweep is one row. A network that several rows need is trained once.
"""

import dataclasses
import os
from pathlib import Path
from typing import Any, NamedTuple

from data.store import GameStore, store_of_run
from nets.network import ALL_SYMMETRIES, Network
from pipeline.artefact import check_seal, read_json, sealed, stage_folder, write_atomic, write_json
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import setting
from pipeline.tables import table
from sl_policy import train
from sl_policy.accuracy import find_moves, forward_milliseconds, found_share, held_out

STAGE = "sl_policy.table"
PAPER_FILTERS = 192  # of the match network


class Row(NamedTuple):
    """A row of Extended Data Table 3."""

    filters: int
    symmetries: int
    planes: int
    test: float
    train: float
    milliseconds: float


PAPER = (
    Row(128, 1, 48, 54.6, 57.0, 2.8),
    Row(192, 1, 48, 55.4, 58.0, 4.8),
    Row(256, 1, 48, 55.9, 59.1, 7.1),
    Row(256, 2, 48, 56.5, 59.8, 13.9),
    Row(256, 4, 48, 56.9, 60.2, 27.6),
    Row(256, 8, 48, 57.0, 60.4, 55.3),
    Row(192, 1, 4, 47.6, 51.4, 4.8),
    Row(192, 1, 12, 54.7, 57.1, 4.8),
    Row(192, 1, 20, 54.7, 57.2, 4.8),
    Row(192, 8, 4, 49.2, 53.2, 36.8),
    Row(192, 8, 12, 55.7, 58.3, 36.8),
    Row(192, 8, 20, 55.8, 58.4, 36.8),
)


@dataclasses.dataclass
class Settings(train.Settings):
    row: int = setting(
        1, "row of the paper's table; by default all twelve, one after another", least=1, most=len(PAPER)
    )


def network_settings(settings: Settings, row: Row) -> train.Settings:
    """Return how the network of a row is learnt."""
    given = {field.name: getattr(settings, field.name) for field in dataclasses.fields(train.Settings)}
    filters = max(1, round(settings.net.filters * row.filters / PAPER_FILTERS))
    return train.Settings(**given | {"net": dataclasses.replace(settings.net, filters=filters, planes=row.planes)})


def learn(settings: train.Settings, store: GameStore, folder: Path) -> tuple[Network, str]:
    """Learn the network of a row, unless another row has done so; return it with its fingerprint."""
    manifest = train.learn_once(settings, store, folder)
    network = Network.load(folder / train.FILE, threads=settings.threads or os.cpu_count() or 1)
    return network, manifest["metrics"]["fingerprint"]


def measure(network: Network, store: GameStore, settings: train.Settings, symmetries: int) -> dict[str, Any]:
    """Return what a network finds in test and training games, averaged over some symmetries, and how long it takes."""
    used = ALL_SYMMETRIES[:symmetries]
    found: dict[str, Any] = {"filters": network.description.filters}
    found["parameters"] = network.description.parameter_count()
    for part in ("test", "train"):
        index = held_out(store, part, settings.test_positions, settings.seed)
        found[part] = found_share(find_moves(network, store, index, used), 1)
    one_thread = Network(network.weights, threads=1)
    return found | {"milliseconds": forward_milliseconds(one_thread, store, index, used)}


def table_text(rows: dict[int, dict[str, Any]], size: int) -> str:
    """Lay the rows that are there beside the paper's."""
    lines = []
    for number, paper in enumerate(PAPER, 1):
        if number in rows:
            ours = rows[number]
            lines.append(
                [
                    f"{ours['filters']} ({paper.filters})",
                    str(paper.symmetries),
                    str(paper.planes),
                    f"{100 * ours['test']:.1f}",
                    f"{paper.test:.1f}",
                    f"{100 * ours['train']:.1f}",
                    f"{paper.train:.1f}",
                    f"{ours['milliseconds']:.2f}",
                    f"{paper.milliseconds:.1f}",
                ]
            )
    header = ["filters (paper)", "symmetries", "planes", f"test % on {size}x{size}", "paper", "train %", "paper"]
    return table([*header, "forward ms", "paper"], lines)


def read_rows(path: Path) -> dict[int, dict[str, Any]]:
    """Read the rows that have been measured so far, by number."""
    saved = read_json(path)
    if saved is None:
        return {}
    if not isinstance(saved, dict):
        raise UserError(f"{path} is not what we wrote; remove it to begin anew.")
    check_seal(saved, path)
    return {int(number): row for number, row in saved["rows"].items()}


def main(settings: Settings) -> dict[str, Any]:
    paper = PAPER[settings.row - 1]
    store = store_of_run(settings.games or settings.run)
    folder = stage_folder(settings.run, STAGE)
    of_row = network_settings(settings, paper)
    learnt_in = folder / f"{of_row.net.filters}-filters-{of_row.net.planes}-planes"
    learnt_in.mkdir(exist_ok=True)
    policy, fingerprint = learn(of_row, store, learnt_in)
    path = folder / "rows.json"
    rows = read_rows(path)
    rows = {n: row for n, row in rows.items() if row["filters"] == network_settings(settings, PAPER[n - 1]).net.filters}
    key = [fingerprint, paper.symmetries, of_row.test_positions, of_row.seed]
    if rows.get(settings.row, {}).get("key") != key:
        rows[settings.row] = {"key": key, **measure(policy, store, of_row, paper.symmetries)}
        write_json(path, sealed({"rows": {str(number): row for number, row in rows.items()}}))
    text = table_text(rows, store.size)
    write_atomic(folder / "table.md", text + "\n")
    ours = rows[settings.row]
    print(f"Row {settings.row}: {100 * ours['test']:.1f}% of test moves found (paper: {paper.test:.1f}%).")
    if settings.row == len(PAPER):
        print(f"\nExtended Data Table 3 at our scale, {len(rows)} of {len(PAPER)} rows:\n\n{text}")
    print(f"\nThe table so far: {folder / 'table.md'}")
    return {"filters": ours["filters"], "symmetries": paper.symmetries, "planes": paper.planes, "test": ours["test"]}


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
