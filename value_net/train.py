"""Learn the value network from one position of each self-play game.

The paper's network reaches an MSE of 0.226 on the training and 0.234 on the test set (docs/value_net.md).
"""

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np

from nets.find import KINDS, find_weights
from nets.network import Network
from nets.runtime import measure_ranges
from nets.weights import Weights, new_card
from pipeline.artefact import stage_folder
from pipeline.device import DEVICES, PRECISIONS, choose_device, choose_precision
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import StageSettings, seed_setting, setting, threads_setting
from pipeline.stage import Input, Outcome, done_once
from pipeline.tables import table
from pipeline.training import History, train, write_history
from value_net.accuracy import errors_by_part, predict, summary
from value_net.curves import draw_by_move_number, draw_learning
from value_net.lessons import Lessons, lessons_of
from value_net.samples import Samples, open_samples
from value_net.settings import LearnSettings

STAGE, FILE = KINDS["value"].stage, KINDS["value"].file
CALIBRATED = 512  # training positions on which the output ranges of the layers are measured, for 8 bits
TRAIN_TESTED = 20_000  # training positions that the network is tested on at the end, for comparison
PAPER = {"train": "0.226", "test": "0.234"}


@dataclasses.dataclass
class Settings(LearnSettings, StageSettings):
    samples: str = setting("", "name of the run whose samples to learn from, by default this run", result=False)
    games: int = setting(0, "games of the training part to learn from; 0 takes all", least=0)
    most_u: int = setting(0, "learn from samples with U up to this only; 0 takes all, as the paper does", least=0)
    positions_a_game: int = setting(
        0, "random positions of each game to learn from instead of the one of the recipe, to show overfitting", least=0
    )
    start: str = setting(
        "samples",
        "policy network whose tower learning starts from: samples (the SL policy that played them), none (paper), "
        "run (that of the run), shipped, or a file; the file may be a value network, too",
        result=False,
    )
    evaluations: int = setting(20, "evaluations on the validation set during training: points of the curve", least=1)
    device: str = setting("auto", "where to compute; auto takes a GPU if there is one", choices=DEVICES, result=False)
    precision: str = setting("auto", "auto takes bfloat16 if the processor computes with it", choices=PRECISIONS)
    threads: int = threads_setting("threads of the CPU")
    seed: int = seed_setting()


def find_start(settings: Settings, samples: Samples) -> Weights | None:
    """Load the policy network that learning starts from; None if it starts from random weights."""
    if settings.start == "none":
        return None
    size = samples.store.size
    if settings.start != "samples":
        return Weights.load(find_weights("policy", size, settings.start, settings.run))
    if samples.sl is None:
        raise UserError("These samples do not say which SL policy has played them; set start=none, or name a file.")
    policy = Weights.load(find_weights("policy", size, samples.sl.folder, settings.samples or settings.run))
    if policy.fingerprint() != samples.sl.fingerprint:
        raise UserError(
            f"The SL policy that played the samples ({samples.sl.folder}) has changed since; set start=none, or name a "
            "file."
        )
    return policy


def learn(
    settings: Settings,
    lessons: Lessons,
    validation: Lessons,
    start: Weights | None,
    folder: Path,
    key: dict[str, Any],
) -> tuple[Weights, History]:
    """Learn a network; return it with its output ranges, and the history."""
    import torch  # slow import; keep --help fast

    from nets.learning import DIVERGED
    from nets.module import weights_of
    from value_net.trainer import ValueTrainer

    threads = settings.threads or os.cpu_count() or 1
    torch.set_num_threads(threads)
    device = choose_device(settings.device)
    precision = choose_precision(settings.precision, device)
    trainer = ValueTrainer(lessons, settings, device, precision, settings.seed, start)

    def present() -> Weights:
        weights = weights_of(trainer.network)
        if not weights.is_sound():
            raise UserError(DIVERGED)
        return weights

    def validate() -> dict[str, float]:
        found = summary(predict(Network(present(), device.type, threads), validation), validation.outcomes)
        return {"MSE": found["MSE"], "winner": found["winner"]}

    def report(history: History) -> None:
        write_history(folder / "metrics.jsonl", {"value": history})
        draw_learning(history, folder / "curve.svg")

    every = max(1, trainer.steps // settings.evaluations)
    history = train(trainer, "learning the value network", checkpoint_path(folder), key, validate, every, report)
    weights = present()
    weights.ranges = measure_ranges(weights, trainer.batch(0, CALIBRATED).planes)
    return weights, history


def checkpoint_path(folder: Path) -> Path:
    """Return where a training that is under way is kept."""
    return folder / "checkpoint.safetensors"


def run_stage(
    settings: Settings, samples: Samples, start: Weights | None, folder: Path, key: dict[str, Any]
) -> Outcome:
    """Learn, test and write everything but the manifest."""
    lessons = {part: lessons_of(samples, part) for part in ("validation", "test")}
    lessons["train"] = lessons_of(samples, "train", settings.games, settings.positions_a_game, settings.seed)
    if settings.most_u:
        kept = np.flatnonzero(lessons["train"].plies <= settings.most_u)
        if len(kept) == 0:
            raise UserError(f"most_u={settings.most_u} leaves no position to learn from.")
        lessons["train"] = lessons["train"].chosen(kept)
    weights, history = learn(settings, lessons["train"], lessons["validation"], start, folder, key)
    network = Network(weights, threads=settings.threads or os.cpu_count() or 1)
    tested = {part: there.chosen(np.arange(min(len(there), TRAIN_TESTED))) for part, there in lessons.items()}
    tested["test"] = lessons["test"]
    looks = sum(map(len, tested.values())) + len(tested["test"])  # these are also tested in all symmetries
    with Progress("testing the value network, positions", looks) as progress:
        results = errors_by_part(network, tested, progress.update)
    draw_by_move_number({"value network": results["by move number"]}, folder / "by_move_number.svg")
    metrics = {
        "size": samples.store.size,
        "komi": samples.komi,
        "parameters": weights.description.parameter_count(),
        "positions": int(history[-1]["positions"]),
        "games": len(np.unique(lessons["train"].games)),
        "samples": len(lessons["train"]),
        "seconds": history[-1]["seconds"],
        "results": results,
        "fingerprint": weights.fingerprint(),
    }
    run = samples.store.folder.parts[-3]
    data = f"{metrics['samples']:,} positions of {metrics['games']:,} games of self-play, run {run}"
    figures = {name: value for name, value in metrics.items() if name != "fingerprint"}
    weights.card = new_card(weights.description, data, key, figures, samples.komi)
    weights.save(folder / FILE)
    result = f"MSE {results['train']['MSE']:.3f} on training games, {results['test']['MSE']:.3f} on test games"
    return Outcome(result, metrics)


def learn_once(settings: Settings, samples: Samples, folder: Path) -> dict[str, Any]:
    """Learn the network of these settings, unless it is in the folder; return its manifest."""
    # `auto` means bfloat16 on one machine and float32 on another, which gives different weights
    precision = choose_precision(settings.precision, choose_device(settings.device))
    chosen = dataclasses.replace(settings, precision=str(precision).removeprefix("torch."))
    start = find_start(settings, samples)
    inputs = [samples.as_input()]
    if start is not None:
        from value_net.tower import check_tower  # imports torch

        check_tower(settings.net.description(samples.store.size), start)
        source = samples.sl.folder if settings.start == "samples" else settings.start
        inputs.append(Input(KINDS[start.description.family].stage, source, start.fingerprint()))
    return done_once(
        folder,
        STAGE,
        chosen,
        inputs,
        lambda key: run_stage(chosen, samples, start, folder, key),
        drafts=[checkpoint_path(folder)],
    )


def results_table(results: dict[str, Any]) -> str:
    """Lay out the errors by part, beside the paper's."""
    rows = [
        [
            name,
            f"{shown['positions']:,}",
            f"{shown['MSE']:.4f} ± {shown['standard error']:.4f}",
            PAPER.get(name, ""),
            f"{shown['constant MSE']:.4f}",
            f"{100 * shown['winner']:.1f}%",
        ]
        for name, shown in results.items()
        if name != "by move number"
    ]
    return table(["games", "positions", "MSE", "paper", "MSE of a constant", "winner predicted"], rows)


def text_of(metrics: dict[str, Any], net: dict[str, Any]) -> str:
    size, epochs = metrics["size"], metrics["positions"] / metrics["samples"]
    return "\n".join(
        [
            f"Value network for {size}x{size}, komi {metrics['komi']:g}: {net['layers']} layers, {net['filters']} "
            f"filters, {metrics['parameters']:,} parameters; {metrics['positions']:,} positions ({epochs:.2f} epochs) "
            f"in {metrics['seconds']:.0f} s.",
            "",
            results_table(metrics["results"]),
        ]
    )


def main(settings: Settings) -> dict[str, float]:
    choose_device(settings.device)  # refuses a device that is not there, before anything is opened
    samples = open_samples(settings.samples or settings.run)
    folder = stage_folder(settings.run, STAGE)
    manifest = learn_once(settings, samples, folder)
    metrics = manifest["metrics"]
    print(text_of(metrics, manifest["settings"]["net"]))
    print(f"\nNetwork, curves and manifest: {folder}")
    results = metrics["results"]
    return {
        "train MSE": results["train"]["MSE"],
        "test MSE": results["test"]["MSE"],
        "constant": results["test"]["constant MSE"],
        "seconds": metrics["seconds"],
    }


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
