"""Harvest patterns from a game store and train the rollout policy and the tree policy.

This is stage two of the paper's figure. The paper trains on 8 million positions of the Tygem server and reports an
accuracy of 24.2% (`docs/rollout.md`).
"""

import dataclasses
import json
import os
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from data.identity import SPLITS
from data.store import GameStore, store_of_run
from pipeline.artefact import code_version, stage_folder, write_atomic
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.plots import Panel, draw_curves
from pipeline.progress import Progress
from pipeline.settings import StageSettings, seed_setting, setting, threads_setting
from pipeline.stage import Outcome, done_once
from pipeline.tables import table
from pipeline.training import History, train, write_history
from rollout.features import DISTANCES, Tables
from rollout.harvest import Harvest
from rollout.logistic import LogisticTrainer
from rollout.model import Model
from rollout.policies import PAPER_COUNTS, POLICIES, STAGE, Thresholds, find_patterns, learnable_counts, untrained
from rollout.softmax import SoftmaxTrainer, evaluate
from rollout.weights_drawn import rows_of, sheet_svg

TRAINERS = ("softmax", "logistic")
PAPER_ACCURACY, PAPER_SIZE = 0.242, 19  # of the rollout policy
VALIDATION_POSITIONS = 20_000  # for the curve; the final results use all positions


@dataclasses.dataclass
class Settings(StageSettings):
    policies: str = setting("both", "which policies to learn", choices=("both", *POLICIES))
    trainer: str = setting(
        "softmax", "softmax over the moves of a position, or logistic regression (scikit-learn)", choices=TRAINERS
    )
    positions: int = setting(0, "positions to learn from, in whole games; 0 takes all training games", least=0)
    harvest_games: int = setting(
        0, "training games to harvest patterns from; 0 takes those that are learnt from", least=0
    )
    min_squares: int = setting(20, "least occurrences of a 3x3 pattern, at candidate moves", least=1)
    min_responses: int = setting(10, "least occurrences of a move as the answer to a diamond", least=1)
    min_diamonds: int = setting(10, "least occurrences of a diamond around a move that was played", least=1)
    epochs: int = setting(3, "softmax: passes over all games", least=1)
    learning_rate: float = setting(0.4, "softmax: initial learning rate; it falls to a twentieth", above=0, most=10)
    negatives: int = setting(20, "logistic: other moves sampled from each position; 0 takes all", least=0)
    iterations: int = setting(100, "logistic: iterations of the solver", least=1)
    threads: int = threads_setting()
    seed: int = seed_setting()


class Parts:
    """The games of a store, by purpose."""

    def __init__(self, store: GameStore, settings: Settings) -> None:
        counts, split = learnable_counts(store), store.games["split"]
        of = {name: np.flatnonzero((split == number) & (counts > 0)) for name, number in SPLITS.items()}
        for name, games in of.items():
            if not len(games):
                raise UserError(
                    f"The {name} part of the store in {store.folder} has no positions: it needs more games."
                )
        order = np.random.default_rng((settings.seed, 0)).permutation(of["train"])
        self.learnt = _up_to(order, counts, settings.positions)
        self.harvested = order[: settings.harvest_games] if settings.harvest_games else self.learnt
        self.watched = _up_to(of["validation"], counts, VALIDATION_POSITIONS)
        self.held_out = {name: of[name] for name in ("validation", "test")}
        self.positions = int(counts[self.learnt].sum())


def _up_to(games: np.ndarray, counts: np.ndarray, positions: int) -> np.ndarray:
    """Return the first games with at most `positions` positions together, but at least one game; 0 takes all."""
    if not positions:
        return games
    return games[: max(1, np.searchsorted(np.cumsum(counts[games]), positions, side="right"))]


def shares(statistics: np.void) -> dict[str, float]:
    """Turn sums into shares and means. A played move that is not a candidate counts as not found."""
    found, moves = int(statistics["positions"]), int(statistics["positions"] + statistics["left_out"])
    return {
        "top1": float(statistics["top1"]) / max(moves, 1),
        "top5": float(statistics["top5"]) / max(moves, 1),
        "log_likelihood": float(statistics["log_likelihood"]) / max(found, 1),
        "candidates": float(statistics["candidates"]) / max(found, 1),
        "no candidate": float(statistics["left_out"]) / max(moves, 1),
        "moves": moves,
    }


def new_trainer(
    settings: Settings, store: GameStore, parts: Parts, tables: Tables, weights: int, pool: Executor
) -> SoftmaxTrainer | LogisticTrainer:
    seed = settings.seed
    if settings.trainer == "softmax":
        return SoftmaxTrainer(store, parts.learnt, tables, weights, settings.epochs, settings.learning_rate, seed, pool)
    return LogisticTrainer(store, parts.learnt, tables, weights, settings.negatives, settings.iterations, seed, pool)


def checkpoint_of(folder: Path, policy: str) -> Path:
    return folder / f"{policy}.checkpoint.safetensors"


def learn_policy(
    policy: str,
    settings: Settings,
    store: GameStore,
    parts: Parts,
    patterns: Harvest,
    folder: Path,
    key: dict[str, Any],
    pool: Executor,
) -> tuple[Model, History, dict[str, Any]]:
    """Train a policy. Return it with its history and its results on held-out games."""
    model = untrained(patterns, policy)
    tables = model.tables()
    trainer = new_trainer(settings, store, parts, tables, len(model.weights), pool)

    def watch() -> dict[str, float]:
        shown = shares(evaluate(store, parts.watched, tables, trainer.weights, pool))
        return {name: shown[name] for name in ("top1", "top5", "log_likelihood")}

    history = train(trainer, f"learning the {policy} policy", checkpoint_of(folder, policy), key, watch)
    model.weights = trainer.weights
    centre_distances(model)
    model.weights = model.weights.astype(np.float16).astype(np.float32)  # as in the file
    results: dict[str, Any] = {}
    games_a_policy = sum(map(len, parts.held_out.values()))
    with Progress(f"testing the {policy} policy, games", games_a_policy) as progress:
        for part, games in parts.held_out.items():
            results[part] = shares(evaluate(store, games, tables, model.weights, pool, progress.update))
    return model, history, results


def centre_distances(model: Model) -> None:
    """Shift the distance weights of each of the two moves to a mean of zero.

    Every candidate has one distance feature for each of the two moves, so a common shift changes no probability.
    """
    if model.is_tree:
        first = model.first("last move distance")
        for weights in model.weights[first : first + 2 * DISTANCES].reshape(2, DISTANCES):
            learnt = weights != 0  # on a small board, some distances do not occur
            weights[learnt] -= weights[learnt].mean() if learnt.any() else 0


def uniform_results(store: GameStore, parts: Parts, pool: Executor) -> dict[str, Any]:
    """Return the results of the uniform policy on held-out games."""
    nothing = np.empty(0, np.int64)
    model = Model.untrained(nothing, nothing, nothing)
    tables = model.tables()
    with Progress("testing a uniform policy, games", sum(map(len, parts.held_out.values()))) as progress:
        return {
            part: shares(evaluate(store, games, tables, model.weights, pool, progress.update))
            for part, games in parts.held_out.items()
        }


def card_of(
    policy: str, store: GameStore, parts: Parts, key: dict[str, Any], results: dict[str, Any]
) -> dict[str, Any]:
    """Return the card of a policy: its origin and its results."""
    return {
        "policy": policy,
        "size": store.size,
        "store": store.about["fingerprint"],
        "games": len(parts.learnt),
        "positions": parts.positions,
        "settings": key,
        "code": code_version(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "results": results,
    }


def draw_curve(histories: dict[str, History], size: int, path: Path) -> None:
    """Draw accuracy and log-likelihood on validation games during training."""
    unit = "positions" if "positions" in next(iter(histories.values()))[0] else "iterations"
    paper = {f"paper, rollout: {100 * PAPER_ACCURACY:.1f}%": PAPER_ACCURACY} if size == PAPER_SIZE else {}
    panels = [
        Panel("Moves found", {"top1": "validation"}, percent=True, lines=paper),
        Panel("Log-likelihood of a move", {"log_likelihood": "validation"}),
    ]
    draw_curves(path, {f"{policy} policy": history for policy, history in histories.items()}, unit, panels)


def draw(folder: Path, models: dict[str, Model], patterns: Harvest) -> None:
    sheets = {policy: rows_of(model, patterns) for policy, model in models.items()}
    write_atomic(folder / "patterns.svg", sheet_svg(sheets))


def run_stage(settings: Settings, policies: list[str], store: GameStore, folder: Path, key: dict[str, Any]) -> Outcome:
    """Harvest, train, test and write everything except the manifest. Return the contents of the manifest."""
    parts = Parts(store, settings)
    thresholds = Thresholds(settings.min_squares, settings.min_responses, settings.min_diamonds)
    harvest_key = json.dumps(key)
    models, histories = {}, {}
    metrics: dict[str, Any] = {
        "size": store.size,
        "games": len(parts.learnt),
        "positions": parts.positions,
        "features": {},
        "held out": {},
        "fingerprint": {},
    }
    with ThreadPoolExecutor(settings.threads or os.cpu_count() or 1) as pool:
        patterns = find_patterns(store, parts.harvested, thresholds, pool, folder / "patterns.safetensors", harvest_key)
        metrics["held out"]["uniform"] = uniform_results(store, parts, pool)
        for policy in policies:
            model, history, results = learn_policy(policy, settings, store, parts, patterns, folder, key, pool)
            model.save(folder / f"{policy}.safetensors", card_of(policy, store, parts, key, results))
            models[policy], histories[policy] = model, history
            metrics["features"][policy] = model.counts()
            metrics["held out"][policy] = results
            metrics["fingerprint"][policy] = model.fingerprint()
    write_history(folder / "metrics.jsonl", histories)
    draw_curve(histories, store.size, folder / "curve.svg")
    draw(folder, models, patterns)
    found = " ".join(f"{policy} policy {share}," for policy, share in headline(metrics).items())
    return Outcome(f"{found[:-1]} of the moves of held-out games", metrics)


def headline(metrics: dict[str, Any]) -> dict[str, str]:
    """Return the accuracy of each policy on the test games."""
    shown = {policy: results["test"]["top1"] for policy, results in metrics["held out"].items() if policy in POLICIES}
    return {policy: f"{100 * share:.1f}%" for policy, share in shown.items()}


def feature_table(features: dict[str, dict[str, int]]) -> str:
    """Compare the numbers of features with the paper's, as a table."""
    of_tree = list(features)[-1] == "tree"
    names = list(PAPER_COUNTS) if of_tree else list(next(iter(features.values())))
    rows = [
        [
            name,
            *(f"{counts[name]:,}" if name in counts else "-" for counts in features.values()),
            f"{PAPER_COUNTS[name]:,}",
        ]
        for name in names
    ]
    of_rollout = sum(PAPER_COUNTS[name] for name in list(PAPER_COUNTS)[:6])
    paper = {"rollout": f"{of_rollout:,}", "tree": f"{sum(PAPER_COUNTS.values()):,}"}
    sums = [f"{sum(counts.values()):,}" for counts in features.values()]
    rows.append(["all", *sums, " and ".join(paper[policy] for policy in features)])
    return table(["feature", *features, "paper"], rows)


def accuracy_table(held_out: dict[str, Any]) -> str:
    """Format the results on held-out games as a table. The uniform policy is the baseline."""
    rows = []
    for policy, results in held_out.items():
        for part, shown in results.items():
            paper = f"{100 * PAPER_ACCURACY:.1f}%" if policy == "rollout" else "-"
            rows.append(
                [
                    policy,
                    part,
                    f"{shown['moves']:,}",
                    f"{100 * shown['top1']:.2f}%",
                    paper,
                    f"{100 * shown['top5']:.2f}%",
                    f"{shown['log_likelihood']:.4f}",
                    f"{shown['candidates']:.1f}",
                    f"{100 * shown['no candidate']:.3f}%",
                ]
            )
    header = ["policy", "games", "moves", "top-1", "paper (19x19)", "top-5", "log-likelihood", "candidates"]
    return table([*header, "no candidate"], rows)


def report(metrics: dict[str, Any]) -> str:
    size = metrics["size"]
    return "\n".join(
        [
            f"Learnt from {metrics['positions']:,} positions of {metrics['games']:,} games of {size}x{size}.",
            "",
            feature_table(metrics["features"]),
            "",
            accuracy_table(metrics["held out"]),
        ]
    )


def main(settings: Settings) -> dict[str, str]:
    policies = list(POLICIES) if settings.policies == "both" else [settings.policies]
    store = store_of_run(settings.run)
    folder, inputs = stage_folder(settings.run, STAGE), [store.as_input()]
    manifest = done_once(
        folder,
        STAGE,
        settings,
        inputs,
        lambda key: run_stage(settings, policies, store, folder, key),
        drafts=[checkpoint_of(folder, policy) for policy in POLICIES],
    )
    print(report(manifest["metrics"]))
    print(f"\nPolicies, curve, drawings and manifest: {folder}")
    return headline(manifest["metrics"])


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
