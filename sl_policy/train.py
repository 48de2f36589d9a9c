"""Learn the policy network p_sigma from the games of a run: the first network of the paper's figure.

The paper learns from 28.4 million positions of KGS for three weeks and reports 55.4% (`docs/policy.md`).
"""

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

from data.positions import PositionSampler
from data.store import GameStore, store_of_run
from nets.find import KINDS
from nets.network import Network
from nets.runtime import measure_ranges
from nets.settings import NetSettings, OptimiserSettings
from nets.weights import Weights, new_card
from pipeline.artefact import stage_folder
from pipeline.device import DEVICES, PRECISIONS, choose_device, choose_precision
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import StageSettings, seed_setting, setting, threads_setting
from pipeline.stage import Outcome, done_once
from pipeline.tables import table
from pipeline.training import History, read_checkpoint, train, write_history
from sl_policy.accuracy import by_move_number, find_moves, held_out, summary, unseen
from sl_policy.curves import draw_by_move_number, draw_learning
from sl_policy.mistakes import draw_mistakes
from sl_policy.snapshots import remove_snapshots, write_snapshot

STAGE, FILE = KINDS["policy"].stage, KINDS["policy"].file
CALIBRATED = 512  # training positions on which the output ranges of the layers are measured, for 8 bits
FIGURES = ("size", "parameters", "positions", "training positions", "seconds", "results")  # of the card
TRAIN_TESTED = 20_000  # training positions that the network is tested on at the end, for comparison


@dataclasses.dataclass
class Settings(StageSettings):
    games: str = setting("", "name of the run whose game store to learn from, by default this run", result=False)
    net: NetSettings = setting(NetSettings, "the network")
    optimiser: OptimiserSettings = setting(OptimiserSettings, "how it learns")
    positions: int = setting(800_000, "positions to learn from, all epochs together", least=1)
    evaluations: int = setting(40, "evaluations on the validation set during training: points of the curve", least=1)
    validation_positions: int = setting(4_000, "validation positions in each evaluation", least=1)
    snapshots: bool = setting(
        False, "keep the network of each evaluation, in the folder snapshots/ of the stage", result=False
    )
    test_positions: int = setting(20_000, "test positions for the final figures; 0 takes all", least=0)
    # The device is no part of the key: it changes results only by rounding. The precision is, see `learn_once`.
    device: str = setting("auto", "where to compute; auto takes a GPU if there is one", choices=DEVICES, result=False)
    precision: str = setting("auto", "auto takes bfloat16 if the processor computes with it", choices=PRECISIONS)
    threads: int = threads_setting("threads of the CPU")
    seed: int = seed_setting()


def learn(settings: Settings, store: GameStore, folder: Path, key: dict[str, Any]) -> tuple[Weights, History, float]:
    """Learn a network; return it with its history and the seconds that it took."""
    import torch  # slow import; keep --help fast

    from nets.learning import DIVERGED
    from nets.module import weights_of
    from sl_policy.trainer import PolicyTrainer

    threads = settings.threads or os.cpu_count() or 1
    torch.set_num_threads(threads)
    device = choose_device(settings.device)
    precision = choose_precision(settings.precision, device)
    sampler = PositionSampler(store, "train", settings.seed)
    net, optimiser = settings.net, settings.optimiser
    trainer = PolicyTrainer(sampler, net, optimiser, settings.positions, device, precision, settings.seed)
    validation = held_out(store, "validation", settings.validation_positions, settings.seed)

    def validate() -> dict[str, float]:
        weights = weights_of(trainer.network)
        if not weights.is_sound():
            raise UserError(DIVERGED)
        network = Network(weights, device.type, threads)
        shown = summary(find_moves(network, store, validation))
        return {"top-1": shown["top1"], "top-5": shown["top5"], "log-loss": shown["log_loss"]}

    def calibrated() -> Weights:
        weights = weights_of(trainer.network)
        weights.ranges = measure_ranges(weights, trainer.planes(CALIBRATED))
        return weights

    def report(history: History) -> None:
        write_history(folder / "metrics.jsonl", {"policy": history})
        draw_learning(history, store.size, folder / "curve.svg")
        if settings.snapshots:
            write_snapshot(folder, calibrated(), history[-1])

    if read_checkpoint(checkpoint_path(folder), json.dumps(key)) is None:
        remove_snapshots(folder)
    every = max(1, trainer.steps // settings.evaluations)
    history = train(trainer, "learning the policy network", checkpoint_path(folder), key, validate, every, report)
    return calibrated(), history, history[-1]["seconds"]


def checkpoint_path(folder: Path) -> Path:
    """Return where a training that is under way is kept."""
    return folder / "checkpoint.safetensors"


def test(network: Network, store: GameStore, settings: Settings, folder: Path) -> dict[str, Any]:
    """Test a network on positions that it has learnt from and on others, and draw what it does."""
    results: dict[str, Any] = {}
    most = {"train": min(settings.test_positions or TRAIN_TESTED, TRAIN_TESTED), "test": settings.test_positions}
    index = {part: held_out(store, part, most[part], settings.seed) for part in most}
    with Progress("testing the policy network, positions", sum(map(len, index.values()))) as progress:
        records = {part: find_moves(network, store, index[part], advance=progress.update) for part in index}
    for part in records:
        results[part] = summary(records[part])
    new = records["test"][unseen(store, "test", index["test"])]
    if len(new):  # there may be none in a small store
        results["test, positions not in training"] = summary(new)
    results["by move number"] = by_move_number(records["test"], store.size)
    draw_by_move_number(results["by move number"], folder / "by_move_number.svg")
    draw_mistakes(network, store, records["test"], folder / "mistakes.svg")
    return results


def run_stage(settings: Settings, store: GameStore, folder: Path, key: dict[str, Any]) -> Outcome:
    """Learn, test and write everything but the manifest."""
    weights, history, seconds = learn(settings, store, folder, key)
    network = Network(weights, threads=settings.threads or os.cpu_count() or 1)
    results = test(network, store, settings, folder)
    metrics = {
        "size": store.size,
        "parameters": weights.description.parameter_count(),
        "positions": int(history[-1]["positions"]),
        "training positions": len(PositionSampler(store, "train")),
        "seconds": seconds,
        "results": results,
        "fingerprint": weights.fingerprint(),
        "snapshots": settings.snapshots,
    }
    data = f"{metrics['training positions']:,} positions of the games of run {store.folder.parent.name}"
    weights.card = new_card(weights.description, data, key, {k: metrics[k] for k in FIGURES})
    weights.save(folder / FILE)
    top1 = results["test"]["top1"]
    result = f"{settings.net.filters} filters, {settings.net.layers} layers: {100 * top1:.1f}% of test moves found"
    return Outcome(result, metrics)


def learn_once(settings: Settings, store: GameStore, folder: Path) -> dict[str, Any]:
    """Learn the network of these settings, unless it is in the folder; return its manifest."""
    # `auto` means bfloat16 on one machine and float32 on another, which gives different weights. So the key names the
    # precision that was used, and a training that goes on elsewhere must be told to use the same.
    precision = choose_precision(settings.precision, choose_device(settings.device))
    chosen = dataclasses.replace(settings, precision=str(precision).removeprefix("torch."))
    return done_once(
        folder,
        STAGE,
        chosen,
        [store.as_input()],
        lambda key: run_stage(chosen, store, folder, key),
        drafts=[checkpoint_path(folder)],
    )


def results_table(results: dict[str, Any]) -> str:
    """Lay out what a network finds, by part."""
    rows = [
        [
            name,
            f"{shown['moves']:,}",
            f"{100 * shown['top1']:.2f}%",
            f"{100 * shown['top5']:.2f}%",
            f"{shown['log_loss']:.4f}",
        ]
        for name, shown in results.items()
        if name != "by move number"
    ]
    return table(["games", "positions", "top-1", "top-5", "log-loss"], rows)


def text_of(metrics: dict[str, Any], net: dict[str, Any]) -> str:
    size, epochs = metrics["size"], metrics["positions"] / metrics["training positions"]
    return "\n".join(
        [
            f"Policy network for {size}x{size}: {net['layers']} layers, {net['filters']} filters, {net['planes']} "
            f"planes, {metrics['parameters']:,} parameters; {metrics['positions']:,} positions ({epochs:.2f} epochs) "
            f"in {metrics['seconds']:.0f} s.",
            "",
            results_table(metrics["results"]),
        ]
    )


def main(settings: Settings) -> dict[str, float]:
    choose_device(settings.device)  # refuses a device that is not there, before anything is opened
    store = store_of_run(settings.games or settings.run)
    folder = stage_folder(settings.run, STAGE)
    manifest = learn_once(settings, store, folder)
    metrics = manifest["metrics"]
    if settings.snapshots and not metrics.get("snapshots"):
        raise UserError(f"The network in {folder} was learnt without snapshots; learn another one with run=NAME.")
    print(text_of(metrics, manifest["settings"]["net"]))
    print(f"\nNetwork, curves, mistakes and manifest: {folder}")
    results = metrics["results"]
    return {
        "test top-1": results["test"]["top1"],
        "train top-1": results["train"]["top1"],
        "test log-loss": results["test"]["log_loss"],
        "parameters": metrics["parameters"],
        "seconds": metrics["seconds"],
    }


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
