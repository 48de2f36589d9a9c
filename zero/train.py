"""Learn from nothing but the rules, by self-play: AlphaGo Zero and its relatives (`docs/zero.md`).

The paper plays 4.9 million games in 3 days, with 1,600 simulations a move (Silver et al. 2017).
"""

import copy
import dataclasses
import json
import os
from pathlib import Path
from typing import Any

from nets.find import KINDS, find_weights
from nets.weights import Weights, new_card
from pipeline.artefact import stage_folder
from pipeline.device import DEVICES, PRECISIONS, choose_device, choose_precision
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import StageSettings, seed_setting, setting, threads_setting
from pipeline.stage import Input, Outcome, done_once
from pipeline.tables import table
from pipeline.training import History, train, write_history
from zero.curves import draw_learning
from zero.settings import LearnSettings, PlaySettings, TreeSettings, ZeroNetSettings

STAGE, FILE = KINDS["zero"].stage, KINDS["zero"].file
PRESETS = ("agz", "mini_alphago", "katago", "gumbel")
OPPONENTS = ("random", "rollout")


@dataclasses.dataclass
class Settings(StageSettings):
    preset: str = setting("gumbel", "which relative of Zero learns", choices=PRESETS, result=False)
    size: int = setting(9, "board size", least=2, most=19)
    net: ZeroNetSettings = setting(ZeroNetSettings, "the network")
    search: TreeSettings = setting(TreeSettings, "the search")
    play: PlaySettings = setting(PlaySettings, "the games")
    learn: LearnSettings = setting(LearnSettings, "how it learns")
    start: str = setting("none", "network that learning starts from: none (random weights), shipped, or a file")
    iterations: int = setting(
        20,
        "iterations of self-play and learning; a run that is done goes on if more are asked for",
        least=1,
        result=False,
    )
    gate: float = setting(
        0.0, "share of games that a new network must win against the best (paper: 0.55); 0: none", least=0, most=1
    )
    gate_games: int = setting(100, "games at the gate (paper: 400)", least=2)
    evaluate_every: int = setting(5, "iterations between two evaluations", least=1)
    evaluation_games: int = setting(40, "games of an evaluation against each opponent", least=2)
    opponents: str = setting("random,rollout", "players that never change, to measure progress by; the first has Elo 0")
    device: str = setting("auto", "where to learn; auto takes a GPU if there is one", choices=DEVICES, result=False)
    precision: str = setting(
        "auto", "of learning: auto takes bfloat16 if the processor computes with it", choices=PRECISIONS
    )
    play_precision: str = setting(
        "auto", "of playing: auto takes int8 if the processor computes with it", choices=("auto", "int8", "float32")
    )
    threads: int = threads_setting("threads of the CPU")
    seed: int = seed_setting()

    def check(self) -> None:
        """Raise `UserError` for settings that do not go together."""
        self.net.description(self.size)
        names = self.opponents.split(",")
        if not set(names) <= set(OPPONENTS) or len(set(names)) < len(names):
            raise UserError(f"opponents={self.opponents} is not a list of {', '.join(OPPONENTS)}, each once.")


def find_start(settings: Settings) -> Weights | None:
    """Load the network that learning starts from; None if it starts from random weights."""
    if settings.start == "none":
        return None
    start = Weights.load(find_weights("zero", settings.size, settings.start))
    if start.description != settings.net.description(settings.size):
        raise UserError(
            f"The network of start={settings.start} is not the one that these settings describe: it has "
            f"{', '.join(f'{name}={value}' for name, value in start.description.as_dict().items())}."
        )
    if start.card.get("komi") != settings.play.komi:
        raise UserError(
            f"The network of start={settings.start} has learnt with komi {start.card.get('komi')}, and play.komi is "
            f"{settings.play.komi:g}."
        )
    return start


def learnt_before(start: Weights | None) -> dict[str, float]:
    """Return the games and the seconds that the network to start from has learnt."""
    figures = {"games": 0, "seconds": 0.0} if start is None else start.card["figures"]
    return {"games": figures["games"], "seconds": figures["seconds"]}


def learn(
    settings: Settings, folder: Path, key: dict[str, Any], start: Weights | None = None
) -> tuple[Weights, History]:
    """Learn, from random weights or from `start`. Return the network that plays, and the history."""
    import torch  # slow import; keep --help fast

    from nets.learning import check_memory
    from zero.loop import Setup, ZeroTrainer

    check_memory(settings.net.description(settings.size))
    threads = settings.threads or os.cpu_count() or 1
    torch.set_num_threads(threads)
    torch.manual_seed(settings.seed)
    device = choose_device(settings.device)
    setup = Setup(
        settings.size,
        settings.net,
        settings.search,
        settings.play,
        settings.learn,
        settings.iterations,
        settings.gate,
        settings.gate_games,
        tuple(settings.opponents.split(",")),
        settings.evaluation_games,
        settings.play_precision,
        threads,
        settings.seed,
    )
    precision = choose_precision(settings.precision, device)
    trainer = ZeroTrainer(setup, folder, json.dumps(key), device, precision, start)

    def report(entries: History) -> None:
        write_history(folder / "metrics.jsonl", {"zero": entries})
        draw_learning(entries, setup.opponents, folder)
        save_network(trainer.best, settings, start, key, entries[-1], folder)

    every = min(settings.evaluate_every, settings.iterations)
    history = train(trainer, "iterations", checkpoint_path(folder), key, trainer.evaluate, every, report)
    return trainer.best, history


def checkpoint_path(folder: Path) -> Path:
    """Return where a training is kept: to go on after a kill, or with more iterations when it is done."""
    return folder / "checkpoint.safetensors"


def save_network(
    weights: Weights,
    settings: Settings,
    start: Weights | None,
    key: dict[str, Any],
    last: dict[str, float],
    folder: Path,
) -> None:
    """Save the network that plays, with a card. `last` is the last entry of the history."""
    before, games = learnt_before(start), int(last["games"])
    data = f"{games:,} games of self-play, " + (
        f"after the {before['games']:,} of the network that it started from" if start else "from nothing"
    )
    seconds = round(before["seconds"] + last["seconds"], 1)
    figures = {"games": before["games"] + games, "seconds": seconds, "last entry": last}
    weights = copy.copy(weights)  # it may be the network to start from, whose card is still needed
    weights.card = new_card(weights.description, data, key, figures, settings.play.komi)
    weights.save(folder / FILE)


def run_stage(settings: Settings, start: Weights | None, folder: Path, key: dict[str, Any]) -> Outcome:
    """Learn and write everything but the manifest."""
    weights, history = learn(settings, folder, key, start)
    last = history[-1]
    metrics: dict[str, Any] = {
        "size": settings.size,
        "preset": settings.preset,
        "iterations": settings.iterations,
        "games": int(last["games"]),
        "seconds": last["seconds"],
        "before": learnt_before(start),
        "last entry": last,
        "opponents": settings.opponents.split(","),
        "fingerprint": weights.fingerprint(),
    }
    save_network(weights, settings, start, key, last, folder)
    first = metrics["opponents"][0]
    return Outcome(f"{metrics['games']:,} games: Elo {last['Elo']:.0f} above {first}", metrics)


def text_of(metrics: dict[str, Any]) -> str:
    """Lay out what was learnt."""
    last, opponents = metrics["last entry"], metrics["opponents"]
    rows = [[f"Elo above {opponents[0]}", f"{last['Elo']:.0f}"]]
    rows += [[f"won against {name}", f"{100 * last[f'won against {name}']:.1f}%"] for name in opponents]
    rows += [
        ["policy loss, nats", f"{last['policy loss']:.3f}"],
        ["value, squared error (1 is a guess of 0)", f"{last['value error']:.3f}"],
        ["moves of a game", f"{last['length']:.1f}"],
        ["games resigned", f"{100 * last['resigned']:.1f}%"],
        ["games cut by the limit", f"{100 * last['cut by the limit']:.1f}%"],
    ]
    size = metrics["size"]
    title = (
        f"Zero ({metrics['preset']}) for {size}x{size}: {metrics['games']:,} games of self-play in "
        f"{metrics['seconds']:.0f} s."
    )
    return f"{title}\n\n{table(['measure', 'at the end'], rows)}"


def main(settings: Settings) -> dict[str, float]:
    choose_device(settings.device)  # refuses a device that is not there, before anything is opened
    start = find_start(settings)
    folder = stage_folder(settings.run, STAGE)
    precision = choose_precision(settings.precision, choose_device(settings.device))
    chosen = dataclasses.replace(settings, precision=str(precision).removeprefix("torch."))
    manifest = done_once(
        folder,
        STAGE,
        chosen,
        [] if start is None else [Input(STAGE, settings.start, start.fingerprint())],
        lambda key: run_stage(chosen, start, folder, key),
        is_enough=lambda done: done["metrics"]["iterations"] >= settings.iterations,
    )
    print(text_of(manifest["metrics"]))
    print(f"\nNetwork, games, curves and manifest: {folder}")
    last = manifest["metrics"]["last entry"]
    return {"Elo": last["Elo"], "games": manifest["metrics"]["games"], "seconds": manifest["metrics"]["seconds"]}


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
