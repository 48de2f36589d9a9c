"""Let two GTP engines play a corpus of games, one SGF file per game, that `data.prepare` can read.

The number of a game determines its opening and colours, so a killed run resumes with the games whose files are missing.
The report is made from the files.
"""

import dataclasses
import os
from collections import Counter
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

from data.engine_game import Game, Played, Seat, Terms, colors_of, play, read_file, to_file
from data.fields import NO_WINNER
from data.openings import longest_opening
from go.board import BLACK, EMPTY, WHITE
from go.errors import GoError
from go.match import ILLEGAL
from gtp.client import EngineError, Fault, find_program
from pipeline.artefact import read_json, stage_folder, write_atomic, write_json
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import setting
from pipeline.stage import Outcome, done_once
from pipeline.tables import table

STAGE = "data.teacher"
MOST_FALSE_STARTS = 3  # consecutive games lost without a move before the run stops
MOST_PARALLEL = 256
DAY = 86_400
PLACES = ("first", "second")
FORFEITS = (*(fault.value for fault in Fault), ILLEGAL)


@dataclasses.dataclass
class Settings(Terms):
    # `games` is not part of the key, so a corpus can be extended. `done_once` checks if there are enough games.
    games: int = setting(100, "games to play, including those already there; colours alternate", least=1, result=False)
    timeout: float = setting(60.0, "seconds that an engine may take for an answer", above=0, most=DAY, result=False)
    parallel: int = setting(
        0, "games played at the same time; 0 for one a core", least=0, most=MOST_PARALLEL, result=False
    )

    def check(self) -> None:
        """Raise `UserError` if the opening is too long."""
        size, longest = self.board.size, longest_opening(self.board.size)
        if self.opening > longest:
            raise UserError(f"opening={self.opening} is not between 0 and {longest}, the longest on {size}x{size}.")
        if 0 < self.move_limit <= self.opening:
            raise UserError(f"move_limit={self.move_limit} leaves no move after an opening of {self.opening}.")


def check_programs(settings: Settings) -> None:
    """Raise `UserError` if an engine is not installed."""
    for command in commands(settings):
        try:
            find_program(command)
        except EngineError as error:
            hint = "; GNU Go is installed with apt install gnugo, or brew install gnu-go"
            raise UserError(f"{str(error)[:-1]}{hint if command.startswith('gnugo') else ''}.") from error


def commands(settings: Settings) -> tuple[str, str]:
    return settings.first, settings.second or settings.first


def file_of(folder: Path, number: int) -> Path:
    return folder / f"{number:06}.sgf"


def claim(folder: Path, key: dict[str, Any]) -> None:
    """Write the settings to the folder of the games, so that games with different settings are never mixed."""
    path = folder / "settings.json"
    if read_json(path) != key and any(folder.glob("*.sgf")):
        raise UserError(f"{folder} holds the games of other settings; name this run with run=NAME, or remove them.")
    write_json(path, key)
    for draft in folder.glob(".*.sgf.*"):  # left by a killed run
        draft.unlink(missing_ok=True)


def work(settings: Settings, pair: list[Seat], todo: SimpleQueue, done: SimpleQueue, stop: Event) -> None:
    """Thread: play games until none is left. Hand over each game with its file, or the error that ended the thread."""
    try:
        while not stop.is_set():
            game = play(settings, todo.get_nowait(), pair)
            done.put((game, to_file(settings, game, pair)))
    except Empty:
        pass
    except BaseException as error:
        done.put(error)
    finally:
        for seat in pair:
            seat.leave()


def play_all(settings: Settings, folder: Path) -> None:
    """Play the missing games, several at a time, each with its own pair of engines."""
    missing = [number for number in range(1, settings.games + 1) if not file_of(folder, number).exists()]
    todo, done, stop = SimpleQueue(), SimpleQueue(), Event()
    for number in missing:
        todo.put(number)
    pairs = [
        [Seat(command, settings.timeout) for command in commands(settings)]
        for _ in range(min(settings.parallel or os.cpu_count() or 1, len(missing)))
    ]
    threads = [Thread(target=work, args=(settings, pair, todo, done, stop)) for pair in pairs]
    false_starts: dict[int, list[Game]] = {0: [], 1: []}
    try:
        with Progress("games of the engines", settings.games, settings.games - len(missing)) as progress:
            for thread in threads:
                thread.start()
            for _ in missing:
                result = done.get()
                if isinstance(result, BaseException):
                    raise result
                game, content = result
                note_false_start(settings, folder, game, false_starts)
                write_atomic(file_of(folder, game.number), content)
                progress.update(1)
    except BaseException:
        stop.set()
        raise
    finally:
        while running := [thread for thread in threads if thread.is_alive()]:
            for engine in (seat.engine for pair in pairs for seat in pair if stop.is_set()):
                if engine:
                    engine.kill()  # also ends the wait for its answer
            running[0].join(0.1)


def note_false_start(settings: Settings, folder: Path, game: Game, false_starts: dict[int, list[Game]]) -> None:
    """Raise `UserError` if an engine loses several games in a row before its first move: it does not work."""
    for place, color in enumerate(colors_of(game.number)):
        if color in game.movers():
            false_starts[place].clear()
        elif color == game.ending.loser:
            false_starts[place].append(game)
        if len(false_starts[place]) >= min(MOST_FALSE_STARTS, settings.games):
            for lost in false_starts[place]:
                file_of(folder, lost.number).unlink(missing_ok=True)
            raise UserError(f"The {PLACES[place]} engine does not get to its first move: {game.ending.why}")


def statistics(games: list[Played]) -> dict[str, Any]:
    """Return the games played and won by each engine with each colour, and counts of the endings with an example."""
    engines: dict[str, dict[str, Any]] = {}
    for place, name in enumerate(PLACES):
        titles = Counter(game.names[colors_of(game.number)[place] == WHITE] for game in games)
        engines[name] = {"name": titles.most_common(1)[0][0]}
        for color, colored in ((BLACK, "black"), (WHITE, "white")):
            played = [game for game in games if colors_of(game.number)[place] == color]
            engines[name][colored] = {"played": len(played), "won": sum(game.winner == color for game in played)}
    endings = {}
    for how, count in Counter(game.how for game in games).most_common():
        endings[how] = {"games": count, "example": next(f"{g.number:06}: {g.why}" for g in games if g.how == how)}
    return {
        "games": len(games),
        "drawn": sum(game.winner == EMPTY for game in games),
        "no result": sum(game.winner == NO_WINNER for game in games),
        "forfeits": sum(game.how in FORFEITS for game in games),
        "moves a game": sum(game.moves for game in games) / len(games),
        "engines": engines,
        "endings": endings,
    }


def report(metrics: dict[str, Any]) -> str:
    """Return Markdown tables of the wins and of how the games ended."""
    rows = []
    for place, engine in metrics["engines"].items():
        wins = [f"{engine[color]['won']:,} of {engine[color]['played']:,}" for color in ("black", "white")]
        rows.append([place, engine["name"], *wins])
    endings = [[how, f"{ending['games']:,}", ending["example"]] for how, ending in metrics["endings"].items()]
    return "\n".join(
        [
            f"{metrics['games']:,} games of {metrics['moves a game']:.1f} moves on average, with opening and passes; "
            f"drawn: {metrics['drawn']:,}, without a result: {metrics['no result']:,}, "
            f"forfeited: {metrics['forfeits']:,}.",
            "",
            table(["engine", "name", "won as black", "won as white"], rows),
            "",
            table(["ended by", "games", "for example"], endings),
        ]
    )


def headline(metrics: dict[str, Any]) -> str:
    """Return one line with the wins of each engine."""
    first, second = metrics["engines"].values()
    wins = [sum(engine[color]["won"] for color in ("black", "white")) for engine in (first, second)]
    return f"{metrics['games']:,} games, {first['name']} {wins[0]:,} : {wins[1]:,} {second['name']}"


def main(settings: Settings) -> dict[str, str]:
    check_programs(settings)
    folder = stage_folder(settings.run, STAGE)

    def have_played(key: dict[str, Any]) -> Outcome:
        claim(folder, key)
        play_all(settings, folder)
        games = [read_file(file_of(folder, number)) for number in range(1, settings.games + 1)]
        metrics = statistics(games)
        return Outcome(headline(metrics), metrics)

    manifest = done_once(
        folder, STAGE, settings, [], have_played, is_enough=lambda done: done["metrics"]["games"] >= settings.games
    )
    print(report(manifest["metrics"]))
    print(f"\nGames, to be read with ./prezero data.prepare sources={folder}")
    return {"games": manifest["result"]}


COMMAND = Command(STAGE, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
