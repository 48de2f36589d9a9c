"""Play uniformly random games and compare their statistics with the published ones.

This is the first stage. Before anything is learnt, it shows that the engine plays by the same rules as other programs.
The reference is the statistics of a million 9x9 games that Don Dailey and others published on the computer-go mailing
list in 2008 (`docs/engine.md`).
"""

import dataclasses
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from go.board import BLACK, WHITE
from go.coordinates import MAX_SIZE, PASS, POINTS
from go.errors import GoError
from go.playout import CUT_OFF, new_rng, playout, random_games
from go.position import Position
from go.settings import BoardSettings
from pipeline.artefact import check_seal, read_json, sealed, stage_folder, write_atomic, write_json
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import StageSettings, seed_setting, setting, threads_setting
from pipeline.stage import Outcome, done_once

STAGE = "go.random_play"
PROGRESS = "progress.json"
CHUNK = 1_000  # games that share a random stream
BATCH = 16  # chunks per thread between two checkpoints: a few seconds at most
MARGINS = 2 * MAX_SIZE**2 + 1  # black's area minus white's is from -361 to 361

# By board size: the published value, and the value of an independent program that was written to check it. Only 9x9 has
# published values.
REFERENCE = {
    9: {
        "moves, with passes": ("111.03 to 111.07", "111.08"),
        "moves, without passes": ("107.3 to 107.4", "107.43"),
        "black wins, komi 0": ("0.5245", "0.5239"),
        "black wins, komi 5.5": ("0.4457", "0.4463"),
        "black wins, komi 6": ("0.4467", "0.4463"),
        "black wins, komi 6.5": ("0.4471", "0.4463"),
        "black wins, komi 7": ("0.4334", "0.4337"),
        "black wins, komi 7.5": ("0.4213", "0.4212"),
    },
    5: {"moves, with passes": ("", "42.40"), "black wins, komi 0.5": ("", "0.540")},
    7: {"moves, with passes": ("", "72.44"), "black wins, komi 0.5": ("", "0.532")},
    13: {
        "moves, with passes": ("", "219.4"),
        "moves, without passes": ("", "215.5"),
        "black wins, komi 0.5": ("", "0.516"),
    },
    19: {
        "moves, with passes": ("", "455.3"),
        "moves, without passes": ("", "451.0"),
        "black wins, komi 0.5": ("", "0.512"),
    },
}
KOMIS = {9: (0.0, 5.5, 6.0, 6.5, 7.0, 7.5)}


@dataclasses.dataclass
class Settings(StageSettings):
    board: BoardSettings = setting(BoardSettings, "the board")
    playouts: int = setting(1_000_000, "random games to play", least=1)
    threads: int = threads_setting("threads that play")
    seed: int = seed_setting()


@dataclasses.dataclass
class Tally:
    """Sums over games. All are integers, so they do not depend on the order of addition."""

    games: int
    moves: int
    moves_squared: int
    stones: int  # moves that were not passes
    stones_squared: int
    cut_off: int  # games stopped by the move limit
    margins: np.ndarray  # number of games with each margin
    tried: np.ndarray  # number of games with each first move
    half_wins: np.ndarray  # by first move: twice black's wins; a tie is half a win

    @classmethod
    def empty(cls) -> "Tally":
        return cls(0, 0, 0, 0, 0, 0, *(np.zeros(n, np.int64) for n in (MARGINS, POINTS, POINTS)))

    def add(self, other: "Tally") -> None:
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def to_plain(self) -> dict[str, Any]:
        return {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in vars(self).items()}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> "Tally":
        values: dict[str, Any] = {k: np.array(v, np.int64) if isinstance(v, list) else v for k, v in plain.items()}
        return cls(**values)


def play_chunk(board: BoardSettings, count: int, seed: int, chunk: int) -> Tally:
    """Play games from the empty board with the random stream of a chunk. Runs without the GIL."""
    games, _ = random_games(Position(board.size).boards, count, new_rng(seed, chunk))
    moves, stones = games["moves"].astype(np.int64), (games["moves"] - games["passes"]).astype(np.int64)
    half_wins = 1 + np.sign(games["margin"] - board.komi)
    return Tally(
        games=count,
        moves=int(moves.sum()),
        moves_squared=int((moves**2).sum()),
        stones=int(stones.sum()),
        stones_squared=int((stones**2).sum()),
        cut_off=int((moves == CUT_OFF * board.size**2).sum()),
        margins=np.bincount(games["margin"] + MAX_SIZE**2, minlength=MARGINS),
        tried=np.bincount(games["first"], minlength=POINTS),
        half_wins=np.bincount(games["first"], half_wins, minlength=POINTS).astype(np.int64),
    )


def play_all(settings: Settings, folder: Path, key: dict[str, Any]) -> Tally:
    """Play all games in chunks on several threads. Continue an interrupted run that has the same key."""
    done, tally = 0, Tally.empty()
    path = folder / PROGRESS
    saved = read_json(path)
    try:
        if saved is not None and saved["key"] == key:
            check_seal(saved, path)
            done, tally = int(saved["chunks"]), Tally.from_plain(saved["tally"])
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path} is not what we wrote; remove it to begin anew.") from error

    def play(chunk: int) -> Tally:
        games = min(CHUNK, settings.playouts - chunk * CHUNK)
        return play_chunk(settings.board, games, settings.seed, chunk)

    chunks = -(-settings.playouts // CHUNK)
    threads = settings.threads or os.cpu_count() or 1
    what = f"random games on {settings.board.size}x{settings.board.size}"
    with Progress(what, settings.playouts, tally.games) as progress, ThreadPoolExecutor(threads) as pool:
        while done < chunks:
            batch = range(done, min(done + BATCH * threads, chunks))
            for part in pool.map(play, batch):
                tally.add(part)
                progress.update(part.games)
            done = batch.stop
            write_json(path, sealed({"key": key, "chunks": done, "tally": tally.to_plain()}))
    return tally


def mean_and_error(total: int, squares: int, games: int) -> tuple[float, float]:
    mean = total / games
    return mean, float(np.sqrt(max(squares / games - mean**2, 0) / games))


def black_win_rate(margins: np.ndarray, komi: float) -> tuple[float, float]:
    """Return black's win rate with this komi (a tie is half a win) and its standard error."""
    scores = np.arange(MARGINS) - MAX_SIZE**2 - komi
    value = 0.5 * (1 + np.sign(scores))
    games = margins.sum()
    mean = float((value * margins).sum() / games)
    return mean, float(np.sqrt(max((value**2 * margins).sum() / games - mean**2, 0) / games))


def statistics(tally: Tally, size: int, komi: float) -> dict[str, tuple[float, float]]:
    """Return each statistic with its standard error, named as in `REFERENCE`."""
    table = {
        "moves, with passes": mean_and_error(tally.moves, tally.moves_squared, tally.games),
        "moves, without passes": mean_and_error(tally.stones, tally.stones_squared, tally.games),
    }
    for k in sorted({*KOMIS.get(size, (0.5,)), komi}):
        table[f"black wins, komi {k:g}"] = black_win_rate(tally.margins, k)
    table["cut off"] = mean_and_error(tally.cut_off, tally.cut_off, tally.games)
    return table


def report(size: int, games: int, table: dict[str, Any]) -> str:
    """Compare the statistics with the reference, as a Markdown table."""
    reference = REFERENCE.get(size, {})
    lines = [
        f"Uniform random play on {size}x{size}, {games:,} games:",
        "",
        "| quantity | ours | published | second program |",
        "|---|---|---|---|",
    ]
    for name, (mean, error) in table.items():
        digits = 2 if name.startswith("moves") else 4
        published, rerun = reference.get(name, ("", ""))
        lines.append(f"| {name} | {mean:.{digits}f} ± {error:.{digits}f} | {published} | {rerun} |")
    return "\n".join(lines)


def draw(settings: Settings, tally: Tally, folder: Path) -> None:
    """Draw black's win rate after each first move, and one whole game with its score."""
    position = Position(settings.board.size, settings.board.komi)
    percent = 50 * tally.half_wins / np.maximum(tally.tried, 1)
    tried = {int(point): f"{percent[point]:.0f}" for point in np.flatnonzero(tally.tried) if point != PASS}
    lowest = min((percent[point] for point in tried), default=0)
    heat = position.by_row_and_column(np.where(tally.tried > 0, percent - lowest, 0))
    title = f"Random play: black's wins by first move, percent, komi {settings.board.komi:g}"
    write_atomic(folder / "first_move.svg", position.to_svg(heat=heat, labels=tried, title=title))

    playout(position.board, new_rng(settings.seed))
    owners = position.owners()
    territory = (owners == BLACK).astype(float) - (owners == WHITE)
    title = f"A random game after {position.board['ply']} moves: {position.result()}"
    write_atomic(folder / "game.svg", position.to_svg(territory=territory, title=title))


def headline(metrics: dict[str, Any], komi: float) -> dict[str, str]:
    """Return the two most important numbers, with their standard errors."""
    moves, black = metrics["moves, with passes"], metrics[f"black wins, komi {komi:g}"]
    return {"moves": f"{moves[0]:.2f} ± {moves[1]:.2f}", "black wins": f"{black[0]:.4f} ± {black[1]:.4f}"}


def main(settings: Settings) -> dict[str, str]:
    size, komi = settings.board.size, settings.board.komi
    folder = stage_folder(settings.run, STAGE)

    def work(key: dict[str, Any]) -> Outcome:
        tally = play_all(settings, folder, key)
        draw(settings, tally, folder)
        metrics = {name: list(values) for name, values in statistics(tally, size, komi).items()}
        found = headline(metrics, komi)
        return Outcome(f"{found['moves']} moves a game, black wins {found['black wins']} with komi {komi:g}", metrics)

    manifest = done_once(folder, STAGE, settings, [], work, drafts=[folder / PROGRESS])
    print(report(size, settings.playouts, manifest["metrics"]))
    print(f"\nDrawings and manifest: {folder}")
    return headline(manifest["metrics"], komi)


COMMAND = Command(STAGE, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
