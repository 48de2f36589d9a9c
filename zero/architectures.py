"""Figure 4 of the Zero paper at our scale: four networks that learn from the same games.

Residual or plain convolutions, one tower for both heads or one for each. All learn from the games that a run of
`zero.train` has left, the same batches in the same order; a tenth of the games is held out. The networks then play each
other, with the same simulations a move. In the paper, residual towers and shared towers gained about 600 Elo each, at
the same time a move; so the table also says how many positions a second each network evaluates here.
"""

import dataclasses
import os
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from nets.find import KINDS, find_weights
from nets.inputs import ZeroInputs
from nets.network import Network
from nets.runtime import measure_ranges
from nets.weights import Weights, new_card
from pipeline.artefact import read_manifest, stage_folder, stage_path
from pipeline.catalogue import call
from pipeline.device import DEVICES, PRECISIONS, choose_device, choose_precision
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import seed_setting, setting, threads_setting
from pipeline.shares import share_text
from pipeline.stage import Input, Outcome, done_once
from pipeline.tables import table
from pipeline.training import History, train, write_history
from zero.lessons import Lesson, draw_lesson
from zero.match import match_terms, play_match
from zero.ratings import ratings
from zero.rules import Rule
from zero.settings import LearnSettings, PlaySettings, ZeroNetSettings
from zero.window import Window, shard_of_games, whole_window

STAGE = "zero.architectures"
FAMILIES = ("sep-conv", "dual-conv", "sep-res", "dual-res")
# Of each 100 games, the first ten are held out. Each tenth game is never resigned; so both parts have such games.
HELD_OUT = 10
TESTED = 4_096  # positions of held-out games, at most
BATCH, TIMED = 64, 32  # positions of a batch whose speed is measured, and batches
LEARN, TEST, MATCH = range(3)  # what random streams are for


@dataclasses.dataclass
class Settings:
    run: str = setting("laptop", "run whose games are learnt from (zero.train)", result=False)
    filters: int = setting(32, "filters of each layer (paper: 256)", least=1)
    res_layers: int = setting(13, "layers of a residual tower (paper: 39, 20 blocks)", least=3)
    conv_layers: int = setting(4, "layers of a plain tower (paper: 12)", least=1)
    steps: int = setting(2_000, "steps of learning", least=1)
    evaluations: int = setting(10, "evaluations on held-out games, at most", least=1)
    learn: LearnSettings = setting(LearnSettings, "how they learn")
    games: int = setting(100, "games of each of the six matches", least=2)
    simulations: int = setting(50, "simulations per move in the matches", least=1)
    device: str = setting("auto", "where to learn; auto takes a GPU if there is one", choices=DEVICES, result=False)
    precision: str = setting("auto", "of learning: auto takes bfloat16 if the processor has it", choices=PRECISIONS)
    threads: int = threads_setting("threads of the CPU")
    seed: int = seed_setting()

    def net(self, family: str) -> ZeroNetSettings:
        layers = self.res_layers if family.endswith("res") else self.conv_layers
        return ZeroNetSettings(family=family, filters=self.filters, layers=layers)


def split(window: Window) -> tuple[Window, Window]:
    """Return the games to learn from, and the games that are held out."""
    kept = Window(window.folder, window.most_games, window.key)
    held_out = []
    for iteration, shard in window.shards:
        is_held_out = shard.numbers // HELD_OUT % HELD_OUT == 0
        if (~is_held_out).any():
            kept.add(iteration, shard_of_games(shard, np.flatnonzero(~is_held_out)))
        if is_held_out.any():
            held_out.append(shard_of_games(shard, np.flatnonzero(is_held_out)))
    if not held_out or not kept.shards:
        raise UserError(f"{window.folder} has too few games to hold some out.")
    test = Window(window.folder, window.most_games, window.key)
    for shard in held_out:
        test.add(0, shard)
    return kept, test


def measures(weights: Weights, lesson: Lesson) -> dict[str, float]:
    """Return how well a network foresees the search's favourite move, and the outcome."""
    compute = Network(weights, precision="float32").compute
    parts = [compute(lesson.planes[start : start + 256]) for start in range(0, len(lesson.planes), 256)]
    scores = np.concatenate([part["scores"] for part in parts])
    values = np.concatenate([part["values"] for part in parts])
    return {
        "accuracy": float((scores.argmax(1) == lesson.policy.argmax(1)).mean()),
        "value error": float(np.mean((lesson.outcome - values) ** 2)),
    }


def positions_a_second(weights: Weights, planes: np.ndarray) -> float:
    """Return how many positions a second a network evaluates on one thread as it plays: the best of some batches."""
    compute, spent = Network(weights).compute, []
    for start in range(0, min(len(planes), TIMED * BATCH), BATCH):
        began = time.perf_counter()
        compute(planes[start : start + BATCH])
        spent.append((time.perf_counter() - began) / len(planes[start : start + BATCH]))
    return 1 / min(spent)


class ArchitectureTrainer:
    """One network, learning from games that are there (see `pipeline.training`)."""

    unit = "positions"

    def __init__(self, settings: Settings, family: str, size: int, window: Window, device: Any, precision: Any) -> None:
        from zero.learner import Learner  # torch is a slow import

        self.settings, self.window, self.steps = settings, window, settings.steps
        self.inputs = ZeroInputs()
        self.learner = Learner(settings.net(family).description(size), settings.learn, device, precision)

    def step(self, number: int) -> dict[str, float]:
        count, rng = self.settings.learn.batch_size, np.random.default_rng((self.settings.seed, LEARN, number))
        lesson = draw_lesson(self.window, count, rng, self.inputs, self.settings.learn.search_value)
        parts = self.learner.learn(lesson, number / self.steps)
        return {"positions": count, "policy loss": parts["policy loss"], "learnt value error": parts["value error"]}

    def state(self) -> dict[str, np.ndarray]:
        return self.learner.state()

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self.learner.restore(state)


def learn_one(
    settings: Settings, family: str, size: int, games: Window, test: Lesson, folder: Path, key: dict[str, Any]
) -> tuple[Weights, History]:
    """Learn one of the four networks."""
    import torch

    torch.manual_seed(settings.seed)
    torch.set_num_threads(settings.threads or os.cpu_count() or 1)
    device = choose_device(settings.device)
    trainer = ArchitectureTrainer(settings, family, size, games, device, choose_precision(settings.precision, device))
    every = max(1, settings.steps // settings.evaluations)
    history = train(
        trainer,
        family,
        folder / f"{family}.checkpoint.safetensors",
        key | {"family": family},
        lambda: measures(trainer.learner.weights(), test),
        every,
    )
    weights = trainer.learner.weights()
    weights.ranges = measure_ranges(weights, test.planes[:256])
    weights.card = new_card(weights.description, "games of self-play", key, history[-1], key["play"]["komi"])
    weights.save(folder / f"{family}.safetensors")
    return weights, history


def play_all(
    networks: dict[str, Weights], settings: Settings, play: PlaySettings
) -> list[tuple[str, str, float, float]]:
    """Let every network play every other one."""
    size = networks[FAMILIES[0]].description.size
    rule = Rule(simulations=settings.simulations)
    terms = match_terms(play.komi, play.limit(size), size)
    pairs = list(combinations(FAMILIES, 2))

    def play_pair(number: int) -> tuple[str, str, float, float]:
        first, second = pairs[number]
        sides = Network(networks[first]), Network(networks[second])
        seed = settings.seed, MATCH, number
        result = play_match(*sides, settings.games, seed, size, rule, terms, progress.update)
        return first, second, result.won, float(result.games)

    threads = settings.threads or os.cpu_count() or 1
    with Progress("games", len(pairs) * settings.games) as progress, ThreadPoolExecutor(threads) as pool:
        return list(pool.map(play_pair, range(len(pairs))))


def run_stage(settings: Settings, made: dict[str, Any], folder: Path, key: dict[str, Any]) -> Outcome:
    """Learn the four networks and let them play."""
    size, play = made["metrics"]["size"], PlaySettings(**made["settings"]["play"])
    games, held_out = split(whole_window(settings.run, made["settings"]))
    rng = np.random.default_rng((settings.seed, TEST))
    test = draw_lesson(held_out, min(TESTED, held_out.learnable), rng, ZeroInputs())
    networks, histories = {}, {}
    for family in FAMILIES:
        named = key | {"play": made["settings"]["play"]}
        networks[family], histories[family] = learn_one(settings, family, size, games, test, folder, named)
    write_history(folder / "metrics.jsonl", histories)
    results = play_all(networks, settings, play)
    elo = ratings(list(FAMILIES), results, FAMILIES[0])
    rows = {
        family: measures(networks[family], test)
        | {
            "Elo": elo[family],
            "parameters": networks[family].description.parameter_count(),
            "positions a second": positions_a_second(networks[family], test.planes),
        }
        for family in FAMILIES
    }
    guess = float(np.mean(test.outcome**2))
    metrics = {
        "size": size,
        "games": games.games,
        "held out": held_out.games,
        "passes": settings.steps * settings.learn.batch_size / games.learnable,
        "networks": rows,
        "value of a guess": guess,
    }
    return Outcome(", ".join(f"{family} {elo[family]:.0f}" for family in FAMILIES), metrics | {"matches": results})


def text_of(metrics: dict[str, Any]) -> str:
    """Lay out the four networks, with what the paper says."""
    paper = {"sep-conv": "0", "dual-conv": "", "sep-res": "over 600", "dual-res": "about another 600"}
    rows = [
        [
            family,
            f"{found['parameters']:,}",
            f"{100 * found['accuracy']:.1f}%",
            f"{found['value error']:.3f}",
            f"{found['value error'] / 4:.3f}",
            f"{found['positions a second']:,.0f}",
            f"{found['Elo']:.0f}",
            paper[family],
        ]
        for family, found in metrics["networks"].items()
    ]
    heads = ["network", "parameters", "finds the search's move", "value error", "the same / 4", "positions a second"]
    matches = [[first, second, share_text(won, games)] for first, second, won, games in metrics["matches"]]
    title = (
        f"Figure 4 on {metrics['size']}x{metrics['size']}: {metrics['games']:,} games to learn from, "
        f"{metrics['held out']:,} held out; {metrics['passes']:.1f} passes over the positions. A guess of 0 has a "
        f"value error of {metrics['value of a guess']:.3f}."
    )
    parts = title, table([*heads, "Elo", "paper, Elo"], rows), table(["first", "second", "won by the first"], matches)
    return "\n\n".join(parts)


def main(settings: Settings) -> dict[str, float]:
    choose_device(settings.device)
    stage = KINDS["zero"].stage
    made = read_manifest(stage_path(settings.run, stage))
    if made is None:
        raise UserError(f"The run {settings.run} has no games yet; {call(stage, settings.run)} makes them.")
    fingerprint = Weights.load(find_weights("zero", 0, "run", settings.run)).fingerprint()
    folder = stage_folder(settings.run, STAGE)
    precision = choose_precision(settings.precision, choose_device(settings.device))
    chosen = dataclasses.replace(settings, precision=str(precision).removeprefix("torch."))
    drafts = [folder / f"{family}.checkpoint.safetensors" for family in FAMILIES]
    inputs = [Input(stage, settings.run, fingerprint)]
    manifest = done_once(folder, STAGE, chosen, inputs, lambda key: run_stage(chosen, made, folder, key), drafts=drafts)
    print(text_of(manifest["metrics"]))
    return {family: found["Elo"] for family, found in manifest["metrics"]["networks"].items()}


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
