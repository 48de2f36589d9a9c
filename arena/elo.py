"""Rate the players of any games on the Elo scale: those of a match or tournament, or any SGF files.

Games of the arena that share an opening are one unit of the bootstrap; any other game is a unit of its own.
"""

import dataclasses
from collections import Counter
from pathlib import Path

from arena.game_file import parse_game
from arena.match import STAGE as MATCH
from arena.rating_tables import (
    anchors_for,
    rating_table,
    remarks,
    superiority_table,
    write_ratings,
)
from arena.ratings import PRIOR, Result, rate
from arena.scores import cross_table, results_of
from arena.tournament import STAGE as TOURNAMENT
from data.fields import NO_WINNER
from data.record import Record, Refusal, read_records
from data.sources import Item, Reading, Trouble, files_of, find_sources
from go.board import BLACK, EMPTY
from go.coordinates import MAX_SIZE
from pipeline.artefact import stage_path
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import seed_setting, setting

NAME = "arena.elo"
MOST_SHOWN = 30  # players in the tables of everyone against everyone


@dataclasses.dataclass
class Settings:
    sources: str = setting("", "SGF files, folders or archives, with commas between; empty: the games of run")
    run: str = setting("tournament", "run whose match and tournament to rate, if there are no sources")
    size: int = setting(0, "rate games on this board only; 0 for all", least=0, most=MAX_SIZE)
    min_games: int = setting(1, "leave out players with fewer games", least=1)
    anchor: str = setting("", "rating of a player that is known, as in gnugo=1800; empty: that of GNU Go, if it plays")
    first_move: bool = setting(True, "estimate the advantage of the first move")
    prior: float = setting(PRIOR, "standard deviation of the prior of a rating, in points", least=1, most=100_000)
    samples: int = setting(1000, "bootstrap samples for the intervals", least=0, most=100_000)
    seed: int = seed_setting("seed of the bootstrap")
    out: str = setting("", "folder to write elo.md, elo.csv and elo.svg to")


def sources_of(sources: str, run: str) -> list[Path]:
    """Return what to read: the sources, or if there are none, the games of a run."""
    if sources:
        return find_sources(sources)
    folders = [stage_path(run, stage) for stage in (TOURNAMENT, MATCH)]
    found = [folder / "games" for folder in folders if (folder / "games").is_dir()]
    if not found:
        raise UserError(f"The run {run} has no games; ./prezero {TOURNAMENT} run={run} plays some.")
    return found


def read_results(sources: list[Path], size: int = 0) -> tuple[list[Result], Counter[str]]:
    """Read all games that have a result. Return also how many were left out, by reason."""
    results: list[Result] = []
    left_out: Counter[str] = Counter()
    files = files_of(sources)
    reading = Reading(files)
    total = sum(path.stat().st_size for path in files if path.is_file())
    with Progress("bytes", total) as progress:
        for item in reading:
            if isinstance(item, Trouble):
                left_out[item.reason] += 1
                continue
            for found in _results(item, size):
                if isinstance(found, Result):
                    results.append(found)
                else:
                    left_out[found.reason] += 1
            progress.update(reading.consumed - progress.done)
    return results, left_out


def _results(item: Item, size: int) -> list[Result | Refusal]:
    own = parse_game(item.data)
    if own is not None and (not size or b"SZ[%d]" % size in item.data):
        return [*results_of([own])]
    return [
        record if isinstance(record, Refusal) else _result(record, f"{item.name}/{number}", size)
        for number, record in enumerate(read_records(item.data))
    ]


def _result(record: Record, unit: str, size: int) -> Result | Refusal:
    black, white = record.names
    if size and record.size != size:
        return Refusal("another board size")
    if not black or not white or black == white:
        return Refusal("players without names")
    if record.winner == NO_WINNER:
        return Refusal("no result")
    if record.handicap or len(record.setup):
        return Refusal("handicap or set-up stones")
    return Result(black, white, 0.5 if record.winner == EMPTY else float(record.winner == BLACK), unit)


def of_frequent(results: list[Result], least: int) -> list[Result]:
    """Leave out players with few games, again and again until all that are left have enough."""
    while True:
        games = Counter(name for result in results for name in result[:2])
        kept = [result for result in results if min(games[result.black], games[result.white]) >= least]
        if len(kept) == len(results):
            return kept
        results = kept


def main(settings: Settings) -> dict[str, str]:
    if settings.out and not Path(settings.out).is_dir():
        raise UserError(f"out={settings.out} is not a folder.")
    results, left_out = read_results(sources_of(settings.sources, settings.run), settings.size)
    for reason, number in left_out.most_common():
        print(f"Left out, {reason}: {number:,}")
    results = of_frequent(results, settings.min_games)
    if not results:
        raise UserError("There is no game between named players with a result to rate.")
    names = sorted({name for result in results for name in result[:2]})
    anchors = anchors_for(settings.anchor, names)
    ratings = rate(results, anchors, settings.prior, settings.first_move, settings.samples, settings.seed)
    parts = [rating_table(ratings), remarks(ratings)]
    if len(ratings.names) <= MOST_SHOWN:
        parts += [cross_table(ratings.names, results), superiority_table(ratings)]
    page = "\n\n".join(parts)
    print(f"{len(results):,} games of {len(names):,} players.\n\n{page}")
    if settings.out:
        write_ratings(ratings, Path(settings.out), page, f"{len(results):,} games")
        print(f"\nWritten to {settings.out}: elo.md, elo.csv, elo.svg.")
    return {name: f"{elo:.0f}" for name, elo in zip(ratings.names, ratings.elo, strict=True)}


COMMAND = Command(NAME, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
