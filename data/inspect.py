"""Show the contents of a game store: tables and plots of all games, or a drawing of one game or position."""

import dataclasses
import functools
import math
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from data import plots, summary
from data.fields import ENDINGS, NO_RESULT, printable, rank_name, result_name
from data.identity import SPLITS
from data.overlap import overlap_table
from data.record import Record, to_sgf
from data.replay import decode_move
from data.store import GameStore, store_of_run
from go.board import COLOR_NAMES, EMPTY
from go.coordinates import PASS, SYMMETRIES, gtp_from_point, symmetry_table
from go.errors import GoError
from go.position import Position
from go.text import write_board
from pipeline.artefact import made, stage_folder, write_atomic
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import RunSettings, setting

NAME = "data.inspect"
MOST_FOUND = 20  # games listed by `find`


@dataclasses.dataclass
class Settings(RunSettings):
    store: str = setting("", "folder of a game store, if not that of the run")
    out: str = setting("", "folder for report and drawings, by default runs/<run>/data.inspect/")
    overlap: bool = setting(False, "also count validation and test positions that occur in the training games")
    game: int | None = setting(None, "show one game instead: its number", least=0)
    ply: int | None = setting(None, "with game: show the position after this many moves, and the next move", least=0)
    symmetry: int = setting(
        0, "with game: show it in one of the eight symmetries; 0 is as it was played", least=0, most=SYMMETRIES - 1
    )
    sgf: str = setting("", "with game: file to write the game to as SGF")
    find: str = setting("", "list the games that have this text in a player's name, the date or the source instead")

    def check(self) -> None:
        """Raise `UserError` if settings contradict each other."""
        about_one = {"ply": self.ply is not None, "symmetry": self.symmetry != 0, "sgf": self.sgf != ""}
        if self.game is None and any(about_one.values()):
            first = next(name for name, is_given in about_one.items() if is_given)
            raise UserError(f"{first} is about one game: name it with game=NUMBER.")
        if self.game is not None and self.find:
            raise UserError("find looks for games, and game shows one: take one of the two.")


class Section(NamedTuple):
    """A section of the report: its title, its table, and its plots by file name."""

    title: str
    text: Callable[[GameStore], str]
    plots: dict[str, Callable[[GameStore, Path], None]]


def _groups(what: str, groups: Callable[[GameStore], list[summary.Group]]) -> Callable[[GameStore], str]:
    return lambda store: summary.group_table(what, groups(store))


SECTIONS = (
    Section("Games and positions", summary.summary, {}),
    Section("Lengths", summary.length_table, {"lengths.svg": plots.draw_lengths}),
    Section("Results by komi", summary.results_by_komi, {"results.svg": plots.draw_results}),
    Section("Endings", _groups("ended by", summary.ending_groups), {}),
    Section("Handicap", _groups("stones", summary.handicap_groups), {"handicap.svg": plots.draw_handicaps}),
    Section("Players", summary.rank_table, {"ranks.svg": plots.draw_ranks}),
    Section("Years", _groups("year", summary.year_groups), {"years.svg": plots.draw_years}),
    Section(
        "First moves on the empty board, the eight images of a point as one",
        summary.first_move_table,
        {
            "first_moves.svg": functools.partial(plots.draw_first_moves, folded=False),
            "first_moves_folded.svg": functools.partial(plots.draw_first_moves, folded=True),
        },
    ),
    Section("Games cut off", _groups("game", summary.cut_groups), {}),
    Section("Whose moves are learnt", _groups("learnt", summary.learning_groups), {}),
)


OVERLAP = Section("Positions set aside that also stand in the training part", overlap_table, {})


def report(store: GameStore, sections: Sequence[Section], folder: Path) -> None:
    """Print all tables, draw all plots, and write a Markdown page with both."""
    page = [f"# Game store {store.about['fingerprint']}"]
    for section in sections:
        text = section.text(store)
        print(f"{section.title}\n\n{text}\n", flush=True)
        page += [f"## {section.title}", text]
        for name, draw in section.plots.items():
            draw(store, folder / name)
            page.append(f"![{section.title}]({name})")
    write_atomic(folder / "report.md", "\n\n".join(page) + "\n")
    print(f"Report and plots: {folder / 'report.md'}")


def open_store(settings: Settings) -> GameStore:
    if settings.store and not Path(settings.store).is_dir():
        raise UserError(f"store={settings.store} is not a folder; ./prezero data.prepare makes game stores.")
    store = GameStore(Path(settings.store)) if settings.store else store_of_run(settings.run)
    if len(store) == 0:
        raise UserError(f"The game store in {store.folder} has no games.")
    return store


def open_folder(settings: Settings) -> Path:
    if not settings.out:
        return stage_folder(settings.run, NAME)
    return made(Path(settings.out))


def player(record: Record, side: int) -> str:
    return f"{printable(record.names[side]) or 'not named'} ({rank_name(record.ranks[side])})"


def result(record: Record) -> str:
    return result_name(record.winner, record.ending, record.margin) or "not known"


def describe(store: GameStore, game: int) -> str:
    """Describe a game: everything except its moves."""
    record, entry = store.record(game), store.games[game]
    ending = f" ({ENDINGS[record.ending]})" if record.ending != NO_RESULT else ""
    learnt = [name for color, name in COLOR_NAMES.items() if entry["learn"] & color]
    rows = {
        "black": player(record, 0),
        "white": player(record, 1),
        "result": result(record) + ending,
        "komi": f"{record.komi:g}" if math.isfinite(record.komi) else "not known",
        "handicap": str(record.handicap or "none"),
        "date": printable(record.date) or "not known",
        "source": printable(store.source(game)),
        "split": f"{list(SPLITS)[entry['split']]}, to learn from {' and '.join(learnt) or 'neither side'}",
        "moves": str(len(record.moves)) + (f", cut off there ({record.flaw})" if record.flaw else ""),
    }
    lines = [f"{name:<8}  {text}" for name, text in rows.items()]
    return "\n".join([f"Game {game} of {len(store):,} (0 to {len(store) - 1}), {record.size}x{record.size}", *lines])


def numbered(position: Position, record: Record, turned: np.ndarray) -> tuple[dict[int, int], list[str]]:
    """Return the move number of each stone on the final board, and the moves whose stones are no longer there.

    A stone belongs to the last move on its point, unless a later set-up changed the point.
    """
    setup = {int(turned[point]): ply for ply, _, point in record.setup.tolist()}
    points = [int(turned[decode_move(code)[1]]) for code in record.moves]
    last = {point: number for number, point in enumerate(points, 1) if point != PASS}
    there = {
        point: number
        for point, number in last.items()
        if position.color_at(point) != EMPTY and setup.get(point, 0) < number
    }
    gone = [
        f"{number} at {there[point] if point in there else gtp_from_point(point, record.size)}"
        for number, point in enumerate(points, 1)
        if point != PASS and there.get(point) != number
    ]
    return there, gone


def show_game(store: GameStore, game: int, symmetry: int, folder: Path) -> None:
    """Print a game and draw its final board with the numbers of the moves."""
    record = store.record(game)
    turned = symmetry_table(record.size)[symmetry]
    position = store.position(game, len(record.moves), symmetry)
    numbers, gone = numbered(position, record, turned)
    points = [decode_move(code)[1] for code in record.moves]
    passes = [str(number) for number, point in enumerate(points, 1) if point == PASS]
    print(describe(store, game))
    print()
    print(write_board(position.colors, int(turned[points[-1]]) if points else PASS))
    for what, moves in (("Stones no longer there", gone), ("Passes", passes)):
        if moves:
            print(_wrapped(f"{what}: {', '.join(moves)}."))
    title = f"{player(record, 0)} - {player(record, 1)}, {result(record)}"
    path = folder / f"game-{game}{_suffix(symmetry)}.svg"
    write_atomic(path, position.to_svg(labels=numbers, last_move=PASS, title=title))
    print(f"Drawn to {path}.")


def show_position(store: GameStore, game: int, ply: int, symmetry: int, folder: Path) -> None:
    """Print and draw the position before a move, with the move marked."""
    record = store.record(game)
    turned = symmetry_table(record.size)[symmetry]
    moves = [(color, int(turned[point])) for color, point in map(decode_move, record.moves)]
    position = store.position(game, ply, symmetry)
    last = moves[ply - 1][1] if ply else PASS
    print(describe(store, game))
    print(f"\nAfter {ply} of {len(moves)} moves" + (f", in symmetry {symmetry}:" if symmetry else ":"))
    print(write_board(position.colors, last))
    if ply:
        print(f"Last, move {ply}: {_move(moves[ply - 1], record.size)}.")
    if position.ko:
        print(f"Ko: {COLOR_NAMES[position.to_move]} may not play {gtp_from_point(position.ko, record.size)}.")
    marks = {}
    if ply < len(moves):
        color, point = moves[ply]
        learnt = point != PASS and store.games["learn"][game] & color
        print(f"Next, move {ply + 1}: {_move(moves[ply], record.size)}{'' if learnt else ' (not learnt)'}.")
        marks = {point: "triangle"} if point != PASS else {}
        title = f"Game {game} after {ply} moves; next is {_move(moves[ply], record.size)}"
    else:
        title = f"Game {game} after {ply} moves, its end"
    path = folder / f"game-{game}-ply-{ply}{_suffix(symmetry)}.svg"
    write_atomic(path, position.to_svg(last_move=last, marks=marks, title=title))
    print(f"Drawn to {path}.")


def _move(move: tuple[int, int], size: int) -> str:
    color, point = move
    return f"{COLOR_NAMES[color]} {gtp_from_point(point, size)}"


def _wrapped(text: str) -> str:
    """Break a list into lines, but never inside an entry such as "12 at D4"."""
    return textwrap.fill(text.replace(" at ", "\xa0at\xa0"), width=100).replace("\xa0", " ")


def _suffix(symmetry: int) -> str:
    return f"-symmetry-{symmetry}" if symmetry else ""


def find_games(store: GameStore, wanted: str) -> str:
    """List the games whose texts contain `wanted`, ignoring case."""
    texts, wanted = store.texts.tobytes(), wanted.casefold()
    places = zip(store.games["first_text"].tolist(), store.games["n_text"].tolist(), strict=True)
    found = [n for n, (at, length) in enumerate(places) if wanted in texts[at : at + length].decode().casefold()]
    lines = [f"{len(found):,} of {len(store):,} games" + (f"; the first {MOST_FOUND}:" if found[MOST_FOUND:] else "")]
    for game in found[:MOST_FOUND]:
        record = store.record(game)
        facts = f"{player(record, 0)} - {player(record, 1)}, {result(record)}, {len(record.moves)} moves"
        lines.append(f"game={game:<7} {facts}, {printable(f'{record.date}, {store.source(game)}')}")
    return "\n".join(lines)


def main(settings: Settings) -> None:
    store = open_store(settings)
    if settings.find:
        print(find_games(store, settings.find))
        return
    if settings.game is None:
        report(store, (*SECTIONS, OVERLAP) if settings.overlap else SECTIONS, open_folder(settings))
        return
    if settings.game >= len(store):
        raise UserError(f"There is no game {settings.game} in {store.folder}: they go from 0 to {len(store) - 1}.")
    moves = int(store.games["n_moves"][settings.game])
    if settings.ply is not None and settings.ply > moves:
        raise UserError(f"Game {settings.game} has no ply {settings.ply}: they go from 0 to {moves}.")
    if settings.ply is None:
        show_game(store, settings.game, settings.symmetry, open_folder(settings))
    else:
        show_position(store, settings.game, settings.ply, settings.symmetry, open_folder(settings))
    if settings.sgf:
        write_atomic(Path(settings.sgf), to_sgf(store.record(settings.game)))
        print(f"Written to {settings.sgf}.")


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
