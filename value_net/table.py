"""The paper's figures of the value network at our scale, in seven parts, each beside the paper's numbers.

| part          | what                                                                                          |
|---------------|-----------------------------------------------------------------------------------------------|
| `errors`      | MSE on training and test games, beside a constant                                             |
| `games`       | MSE against the number of games                                                               |
| `overfitting` | many positions of the same games: as many samples of fewer games                              |
| `extras`      | what the second target and the start from a policy network gain                               |
| `rollouts`    | Figure 2b: MSE by move number, beside rollouts by each policy, with the cost of each          |
| `reliability` | predicted beside observed win rates                                                           |
| `sl_games`    | a network that learnt from games of the SL policy alone (`sl_samples`) beside one of RL games |

Networks are learnt as by `value_net.train`, with the settings given here, and each only once.
"""

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np

from data.fields import NO_WINNER
from data.identity import TEST
from data.store import store_of_run
from nets.find import find_weights
from nets.network import Network
from nets.weights import Weights
from pipeline.artefact import made, read_json, stage_folder, write_atomic, write_json
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import setting
from pipeline.tables import table
from rollout.model import Model
from rollout.playout import new_policy
from value_net import train
from value_net.accuracy import predict, reliability, summary
from value_net.curves import draw_by_move_number, draw_games, draw_reliability
from value_net.lessons import Lessons, lessons_of, winners_at
from value_net.rollouts import errors_of, network_rollouts, network_values, pattern_rollouts, positions_of
from value_net.samples import Samples, open_samples

STAGE = "value_net.table"
PARTS = ("errors", "games", "overfitting", "extras", "rollouts", "reliability", "sl_games")
PAPER_TRAIN, PAPER_TEST = "0.226", "0.234"
PAPER_OVERFITTED = ("0.19", "0.37")


@dataclasses.dataclass
class Settings(train.Settings):
    parts: str = setting(",".join(PARTS[:-1]), f"parts to make, separated by commas: {', '.join(PARTS)}")
    weights: str = setting("run", "the value network that is tested: run (that of the run), shipped, or a file")
    sl: str = setting("run", "p_sigma for rollouts: run (that of the run), shipped, or a file")
    rl: str = setting("run", "p_rho for rollouts: run (that of the run), shipped, or a file")
    rollout: str = setting("run", "rollout policy: run (that of the run), shipped, or a file")
    halvings: int = setting(4, "part games: how often the number of games is halved", least=1, most=20)
    epochs: int = setting(12, "learn from each sample at most so often, and at most `positions` in all", least=1)
    many: int = setting(16, "part overfitting: positions of each game", least=2)
    tested: int = setting(400, "part rollouts: positions to test on", least=1)
    rollouts: int = setting(100, "part rollouts: k of the uniform and the rollout policy", least=1)
    network_rollouts: int = setting(16, "part rollouts: k of the policy networks", least=1, most=128)
    human: str = setting("", "part errors, rollouts: run with a store of games with known results to test on as well")
    sl_samples: str = setting("", "part sl_games: run with samples of games of the SL policy alone")


def parts_of(settings: Settings) -> list[str]:
    """Return the parts to make; raise `UserError` for an unknown one."""
    parts = [part.strip() for part in settings.parts.split(",") if part.strip()]
    if not parts or not set(parts) <= set(PARTS):
        raise UserError(f"parts={settings.parts} is not made of {', '.join(PARTS)}, with commas between.")
    if "sl_games" in parts and not settings.sl_samples:
        raise UserError("Part sl_games needs sl_samples=RUN, a run of value_net.sample with rl=the SL policy.")
    return parts


class Tables:
    """Makes the parts. What each finds is plain data, kept in `results.json`; the text of each is Markdown."""

    def __init__(self, settings: Settings, samples: Samples, folder: Path) -> None:
        self.settings, self.samples, self.folder = settings, samples, folder
        self.threads = settings.threads or os.cpu_count() or 1
        there = len(samples.part("train"))
        self.most = min(settings.games, there) or there  # games to learn from

    def learnt(self, name: str, samples: Samples | None = None, **changes: Any) -> dict[str, Any]:
        """Learn a network with some settings changed, unless it is there; return the metrics of its manifest."""
        given = {field.name: getattr(self.settings, field.name) for field in dataclasses.fields(train.Settings)}
        chosen, samples = train.Settings(**given | changes), samples or self.samples
        games = chosen.games or len(samples.part("train"))
        count = games * max(1, chosen.positions_a_game)
        chosen.positions = min(chosen.positions, self.settings.epochs * count)
        return train.learn_once(chosen, samples, made(self.folder / name))["metrics"]

    def network(self, threads: int = 0) -> Network:
        """Load the value network that is tested."""
        path = find_weights("value", self.samples.store.size, self.settings.weights, self.settings.run)
        return Network.load(path, threads=threads or self.threads)

    def human_games(self, komi: float) -> Lessons:
        """Return a position of each test game of a store whose winner at a komi is known, at a random ply."""
        store = store_of_run(self.settings.human)
        winners = winners_at(store, komi)
        games = np.flatnonzero((store.games["split"] == TEST) & (winners != NO_WINNER) & (store.games["n_moves"] > 0))
        if not len(games):
            raise UserError(f"The store of run {self.settings.human} has no test games with a result at komi {komi:g}.")
        plies = np.random.default_rng((self.settings.seed, 4)).integers(0, store.games["n_moves"][games])
        return Lessons(store, games, plies, winners=winners)

    def errors(self) -> dict[str, Any]:
        """Return errors by part of the samples, and on human games if there are some."""
        network = self.network()
        parts = {part: lessons_of(self.samples, part) for part in ("train", "test")}
        parts["train"] = parts["train"].chosen(np.arange(min(len(parts["train"]), train.TRAIN_TESTED)))
        if self.settings.human:
            parts["human games"] = self.human_games(self.samples.komi)
        constant = float(parts["train"].outcomes.mean())
        found = {}
        for name, lessons in parts.items():
            found[name] = summary(predict(network, lessons), lessons.outcomes)
            found[name]["constant MSE"] = summary(np.full(len(lessons), constant), lessons.outcomes)["MSE"]
        return found

    def games(self) -> list[dict[str, Any]]:
        """Return errors by the number of games."""
        sizes = [self.most // 2**halving for halving in range(self.settings.halvings, -1, -1)]
        rows = []
        for size in sizes:
            found = self.learnt(f"{size}-games", games=size)
            rows.append({"games": found["games"], **_errors(found)})
        return rows

    def overfitting(self) -> list[dict[str, Any]]:
        """Return errors of networks that learnt from as many samples: one of each game, and many of fewer games."""
        many, most = self.settings.many, self.most
        plain: dict[str, Any] = {"ownership": 0.0, "start": "none"}
        one = self.learnt("one-position-a-game", games=most - most % many, **plain)
        several = self.learnt("many-positions-a-game", games=most // many, positions_a_game=many, **plain)
        return [
            {"positions of a game": number, "games": found["games"], "samples": found["samples"], **_errors(found)}
            for number, found in ((1, one), (many, several))
        ]

    def extras(self) -> list[dict[str, Any]]:
        """Return errors with and without the second target, and with and without the start from a policy network."""
        starts = dict.fromkeys(("none", self.settings.start))
        rows = []
        for number, start in enumerate(starts):
            for weight in dict.fromkeys((0.0, self.settings.ownership)):
                found = self.learnt(f"extras-{number}-ownership-{weight:g}", ownership=weight, start=start)
                rows.append({"start": start, "ownership": weight, **_errors(found)})
        return rows

    def rollouts(self) -> dict[str, dict[str, Any]]:
        """Return Figure 2b: errors by predictor on test games, and on human games if there are some."""
        tested = {"self-play": lessons_of(self.samples, "test")}
        if self.settings.human:
            tested["human games"] = self.human_games(self.samples.komi)
        found = {}
        for name, lessons in tested.items():
            rng = np.random.default_rng((self.settings.seed, 3))
            count = min(self.settings.tested, len(lessons))
            found[name] = self.predicted(lessons.chosen(np.sort(rng.choice(len(lessons), count, replace=False))))
            rows = {
                who if shown["k"] == 1 else f"{shown['k']} rollouts, {who}": shown["rows"]
                for who, shown in found[name].items()
            }
            draw_by_move_number(rows, self.folder / f"figure2b-{name.replace(' ', '-')}.svg")
        return found

    def predicted(self, lessons: Lessons) -> dict[str, dict[str, Any]]:
        """Return errors of the value network and of rollouts by each policy."""
        settings, size = self.settings, lessons.store.size
        positions = positions_of(lessons, self.samples.komi)
        patterns = Model.load(find_weights("rollout", size, settings.rollout, settings.run))
        with Progress("rollouts, positions", 4 * len(positions)) as progress:
            made = {"value network": network_values(self.network(threads=1), lessons)}
            for name, policy in (("uniform policy", new_policy(None)), ("rollout policy", new_policy(patterns))):
                made[name] = pattern_rollouts(positions, policy, settings.rollouts, settings.seed, progress.update)
            for name, kind, source in (("SL policy", "policy", settings.sl), ("RL policy", "rl", settings.rl)):
                network = Network(Weights.load(find_weights(kind, size, source, settings.run)))
                k = settings.network_rollouts
                made[name] = network_rollouts(positions, network, k, settings.seed, progress.update)
        return errors_of(made, lessons)

    def reliability(self) -> list[dict[str, Any]]:
        """Return predicted and observed win rates on the test games."""
        lessons = lessons_of(self.samples, "test")
        rows = reliability(predict(self.network(), lessons), lessons.outcomes)
        draw_reliability(rows, self.folder / "reliability.svg")
        return rows

    def sl_games(self) -> list[dict[str, Any]]:
        """Return errors of two networks, learnt from as many RL and SL games, on the test games of both."""
        others = open_samples(self.settings.sl_samples)
        both = {"RL games": self.samples, "SL games": others}
        games = min(len(samples.part("train")) for samples in both.values())
        rows = []
        for name, samples in both.items():
            folder = name.replace(" ", "-")
            self.learnt(folder, samples, games=games)
            network = Network.load(self.folder / folder / train.FILE, threads=self.threads)
            row: dict[str, Any] = {"learnt from": name, "games": games}
            for tested, there in both.items():
                lessons = lessons_of(there, "test")
                row[f"MSE on {tested}"] = summary(predict(network, lessons), lessons.outcomes)["MSE"]
            if self.settings.human:
                lessons = self.human_games(self.samples.komi)
                row["MSE on human games"] = summary(predict(network, lessons), lessons.outcomes)["MSE"]
            rows.append(row)
        return rows


def _errors(metrics: dict[str, Any]) -> dict[str, Any]:
    """Return the errors of a network that was learnt, from the metrics of its manifest."""
    results = metrics["results"]
    return {
        "positions": metrics["positions"],
        "train MSE": results["train"]["MSE"],
        "test MSE": results["test"]["MSE"],
        "standard error": results["test"]["standard error"],
        "constant MSE": results["test"]["constant MSE"],
        "winner": results["test"]["winner"],
    }


def text_of(part: str, found: Any) -> str:
    """Lay out what a part found as Markdown."""
    if part == "errors":
        paper = {"train": PAPER_TRAIN, "test": PAPER_TEST}
        rows = [
            [
                *(name, f"{shown['positions']:,}", _error(shown["MSE"], shown["standard error"]), paper.get(name, "")),
                *(f"{shown['constant MSE']:.4f}", f"{100 * shown['winner']:.1f}%"),
            ]
            for name, shown in found.items()
        ]
        return table(["games", "positions", "MSE", "paper", "MSE of a constant", "winner predicted"], rows)
    if part == "rollouts":
        return "\n\n".join(f"{name}:\n\n{_figure_2b(shown)}" for name, shown in found.items())
    if part == "overfitting":
        papers = ((PAPER_TRAIN, PAPER_TEST), PAPER_OVERFITTED)
        rows = [
            [
                *(f"{row['positions of a game']}", f"{row['games']:,}", f"{row['samples']:,}"),
                *(f"{row['train MSE']:.4f}", paper[0], _error(row["test MSE"], row["standard error"]), paper[1]),
                f"{row['test MSE'] - row['train MSE']:+.3f}",
            ]
            for row, paper in zip(found, papers, strict=True)
        ]
        header = ["positions of a game", "games", "samples", "train MSE", "paper", "test MSE", "paper", "gap"]
        return table(header, rows)
    return table(list(found[0]), [[_shown(value) for value in row.values()] for row in found])


def _figure_2b(found: dict[str, dict[str, Any]]) -> str:
    stages = [f"{row['from']}-{row['to']}" for row in next(iter(found.values()))["rows"]]
    rows = []
    for name, shown in found.items():
        k, cost = shown["k"], shown["microseconds"]
        error = _error(shown["MSE"], shown["standard error"])
        rows.append([name, f"{k}", error, f"{cost:,.0f}", *(f"{row['MSE']:.3f}" for row in shown["rows"])])
        if k > 1:
            single = f"{shown['single MSE']:.4f}"
            rows.append([name, "1", single, f"{cost / k:,.0f}", *(f"{row['MSE']:.3f}" for row in shown["single rows"])])
    return table(["predictor", "k", "MSE", "µs a position", *stages], rows)


def _error(value: float, deviation: float) -> str:
    return f"{value:.4f} ± {deviation:.4f}"


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def main(settings: Settings) -> dict[str, Any]:
    parts = parts_of(settings)
    samples = open_samples(settings.samples or settings.run)
    folder = stage_folder(settings.run, STAGE)
    tables = Tables(settings, samples, folder)
    path = folder / "results.json"
    results = read_json(path) or {}
    for part in parts:
        print(f"{part}:\n", flush=True)
        results[part] = getattr(tables, part)()
        write_json(path, results)
        if part == "games":
            draw_games(results[part], folder / "games.svg")
        print(f"{text_of(part, results[part])}\n", flush=True)
    texts = [f"## {part}\n\n{text_of(part, results[part])}\n" for part in PARTS if part in results]
    write_atomic(folder / "table.md", "\n".join(texts))
    print(f"Tables and plots: {folder}")
    return {}


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
