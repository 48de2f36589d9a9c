"""Improve the policy network by playing against earlier versions of itself: the RL policy p_rho.

The paper plays 1.28 million games in a day on 50 GPUs. Its RL policy wins more than 80% of games against the SL policy
(`docs/rl_policy.md`).
"""

import dataclasses
import os
from pathlib import Path
from typing import Any

from nets.find import KINDS, find_weights
from nets.network import Network
from nets.weights import Weights, new_card
from pipeline.artefact import read_json, stage_folder
from pipeline.device import DEVICES, PRECISIONS, choose_device, choose_precision
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import StageSettings, seed_setting, setting, threads_setting
from pipeline.shares import interval95, share_text
from pipeline.stage import Input, Outcome, done_once
from pipeline.tables import table
from pipeline.training import History, train, write_history
from rl_policy.curves import HIGH, LOW, WON, draw_learning
from rl_policy.self_play import GameSettings, Played, play_games
from rl_policy.settings import ReinforceSettings

STAGE, FILE = KINDS["rl"].stage, KINDS["rl"].file
TEST = 4  # the random streams of the final match; `rl_policy.reinforce` has those before
COLLAPSED_SHARE = 0.25  # of games won against the SL policy, at most: below, something went wrong
COLLAPSED_ENTROPY = 0.02  # nats a move
COLLAPSED_CUTS = 0.5  # share of games that do not end


@dataclasses.dataclass
class Settings(StageSettings):
    parent: str = setting("run", "the SL policy to start from: run (that of the run), shipped, or a file", result=False)
    size: int = setting(9, "with parent=shipped: board size", least=2, most=19, result=False)
    komi: float = setting(7.5, "points that White gets for moving second", least=-1_000, most=1_000)
    move_limit: int = setting(0, "moves after which a game is cut and counted; 0 for 4 per point of the board", least=0)
    learn: ReinforceSettings = setting(ReinforceSettings, "how the policy learns")
    iterations: int = setting(60, "iterations (paper: 10,000)", least=1)
    pool_every: int = setting(
        10, "iterations until the present policy is evaluated and joins the pool (paper: 500)", least=1
    )
    evaluation_games: int = setting(200, "games of each evaluation against the SL policy", least=2)
    test_games: int = setting(400, "games of the final match against the SL policy", least=2)
    value: str = setting("run", "with learn.baseline=value: the value network: run, shipped, or a file", result=False)
    device: str = setting("auto", "where to learn; auto takes a GPU if there is one", choices=DEVICES, result=False)
    precision: str = setting(
        "auto", "of learning: auto takes bfloat16 if the processor computes with it", choices=PRECISIONS
    )
    threads: int = threads_setting("threads of the CPU")
    seed: int = seed_setting()


def check_health(entry: dict[str, float]) -> None:
    """Raise `UserError` if the policy has collapsed, going by the latest entry of the history."""
    advice = "set a smaller learn.learning_rate, or learn.kl above 0"
    if entry[HIGH] < COLLAPSED_SHARE:
        raise UserError(
            f"The policy has collapsed: it wins only {100 * entry[WON]:.1f}% of games against the SL policy; {advice}."
        )
    if entry["entropy"] < COLLAPSED_ENTROPY:
        raise UserError(f"The policy has collapsed: its entropy is {entry['entropy']:.3f} nats a move; {advice}.")
    if entry["cut by the limit"] > COLLAPSED_CUTS:
        share = f"{100 * entry['cut by the limit']:.0f}%"
        raise UserError(f"The policy has collapsed: {share} of its games do not end; {advice}, or a larger move_limit.")


def statistics(played: Played) -> dict[str, float]:
    """Return the share of games won by the first network, with its 95% interval."""
    count = len(played.margins)
    low, high = interval95(played.won, count)
    return {WON: played.won / count, LOW: low, HIGH: high}


def learn(
    settings: Settings, parent: Weights, value: Network | None, folder: Path, key: dict[str, Any]
) -> tuple[Weights, Weights, History]:
    """Learn; return the RL policy, the SL policy with its ranges for 8 bits, and the history."""
    import torch  # slow import; keep --help fast

    from rl_policy.reinforce import ReinforceTrainer

    threads = settings.threads or os.cpu_count() or 1
    torch.set_num_threads(threads)
    torch.manual_seed(settings.seed)
    device = choose_device(settings.device)
    precision = choose_precision(settings.precision, device)
    game = GameSettings(settings.komi, settings.move_limit, threads=threads)
    trainer = ReinforceTrainer(
        parent, settings.learn, game, settings.iterations, folder / "pool", device, precision, settings.seed, value
    )

    def validate() -> dict[str, float]:
        played = trainer.evaluate(settings.evaluation_games)
        trainer.join_pool(played.won, settings.evaluation_games)
        return statistics(played)

    def report(entries: History) -> None:
        write_history(folder / "metrics.jsonl", {"RL policy": entries})
        draw_learning(entries, folder / "curve.svg")
        check_health(entries[-1])

    every = min(settings.pool_every, settings.iterations)
    done = train(trainer, "learning by self-play", checkpoint_path(folder), key, validate, every, report)
    return trainer.weights(), trainer.parent, done


def checkpoint_path(folder: Path) -> Path:
    """Return where a training that is under way is kept."""
    return folder / "checkpoint.safetensors"


def test(weights: Weights, parent: Weights, settings: Settings) -> dict[str, Any]:
    """Play the final match against the SL policy, on other seeds than all games before."""
    threads = settings.threads or os.cpu_count() or 1
    game = GameSettings(settings.komi, settings.move_limit, threads=threads)
    with Progress("games against the SL policy", settings.test_games) as progress:
        played = play_games(weights, parent, settings.test_games, (settings.seed, TEST), game, advance=progress.update)
    black = played.is_black
    return {
        "games": settings.test_games,
        "won": played.won,
        "won as black": float((played.outcomes[black] + 1).sum() / 2 / black.sum()),
        "won as white": float((played.outcomes[~black] + 1).sum() / 2 / (~black).sum()),
        "length": float(played.lengths.mean()),
        "cut by the limit": float(played.is_cut.mean()),
        "forced self-atari": float(played.is_forced.mean()),
        "forced self-atari, winner changed": float(played.is_turned.mean()),
    }


def run_stage(settings: Settings, parent: Weights, value: Network | None, folder: Path, key: dict[str, Any]) -> Outcome:
    """Learn, test and write everything but the manifest."""
    weights, sl_weights, history = learn(settings, parent, value, folder, key)
    match = test(weights, sl_weights, settings)
    metrics = {
        "size": parent.description.size,
        "games": int(history[-1]["games"]),
        "seconds": history[-1]["seconds"],
        "match": match,
        "last entry": history[-1],
        "pool": read_json(folder / "pool" / "pool.json"),
        "fingerprint": weights.fingerprint(),
    }
    data = f"{metrics['games']:,} games of self-play, from the SL policy {parent.fingerprint()}"
    figures = {name: metrics[name] for name in ("games", "seconds", "match", "last entry")}
    weights.card = new_card(weights.description, data, key, figures, settings.komi)
    weights.save(folder / FILE)
    won = share_text(match["won"], match["games"])
    return Outcome(f"{metrics['games']:,} games: wins {won} against the SL policy", metrics)


def text_of(metrics: dict[str, Any]) -> str:
    """Lay out what was learnt, with the paper's figure."""
    size, match, last = metrics["size"], metrics["match"], metrics["last entry"]
    rows = [
        ["won against the SL policy", share_text(match["won"], match["games"]), "more than 80%"],
        ["as black, as white", f"{100 * match['won as black']:.1f}%, {100 * match['won as white']:.1f}%", ""],
        ["won against the pool", f"{100 * last['won against the pool']:.1f}%", ""],
        ["moves of a game", f"{match['length']:.1f}", ""],
        ["entropy, nats", f"{last['entropy']:.3f}", ""],
        ["KL to the SL policy, nats", f"{last['KL to the SL policy']:.3f}", ""],
        ["games cut by the limit", f"{100 * match['cut by the limit']:.2f}%", ""],
        ["games with a forced self-atari", f"{100 * match['forced self-atari']:.2f}%", ""],
        ["and another winner after it", f"{100 * match['forced self-atari, winner changed']:.2f}%", ""],
    ]
    title = f"RL policy for {size}x{size}: {metrics['games']:,} games of self-play in {metrics['seconds']:.0f} s."
    return f"{title}\n\n{table(['measure', 'ours', 'paper'], rows)}"


def load_value(settings: Settings, parent: Weights) -> Network:
    """Load the value network of the baseline. It must fit the planes of the policy, to which it adds the colour."""
    size = parent.description.size
    path = find_weights("value", size, settings.value, settings.run)
    value = Network.load(path, threads=settings.threads or os.cpu_count() or 1)
    if value.description.family != "value" or value.size != size:
        raise UserError(f"{path} is not a value network for {size}x{size}.")
    if value.description.planes != parent.description.planes + 1:
        raise UserError(f"learn.baseline=value needs a policy with {value.description.planes - 1} planes.")
    return value


def main(settings: Settings) -> dict[str, float]:
    choose_device(settings.device)  # refuses a device that is not there, before anything is opened
    parent = Weights.load(find_weights("policy", settings.size, settings.parent, settings.run))
    if parent.description.family != "policy":
        raise UserError(f"{settings.parent} is a {parent.description.family} network, not a policy network.")
    inputs = [Input(KINDS["policy"].stage, settings.parent, parent.fingerprint())]
    value = None
    if settings.learn.baseline == "value":
        value = load_value(settings, parent)
        inputs.append(Input(KINDS["value"].stage, settings.value, value.weights.fingerprint()))
    folder = stage_folder(settings.run, STAGE)
    precision = choose_precision(settings.precision, choose_device(settings.device))
    chosen = dataclasses.replace(settings, precision=str(precision).removeprefix("torch."))
    manifest = done_once(
        folder,
        STAGE,
        chosen,
        inputs,
        lambda key: run_stage(chosen, parent, value, folder, key),
        drafts=[checkpoint_path(folder)],
    )
    print(text_of(manifest["metrics"]))
    print(f"\nNetwork, pool, curves and manifest: {folder}")
    match = manifest["metrics"]["match"]
    return {"won against SL": match["won"] / match["games"], "seconds": manifest["metrics"]["seconds"]}


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
