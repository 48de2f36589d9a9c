"""Play the missing games of a folder in several processes, with progress; stop and go on at any time.

Timed games never share a core: there are at most as many games at a time as all their threads have cores.
"""

import atexit
import os
import sys
from collections.abc import Iterable, Iterator, Mapping

from arena.game import GameTerms, Played, Record, Seats, Slot, play
from arena.games_folder import GamesFolder
from arena.players import PlayerSettings, new_player, searches
from go.player import check_board
from pipeline.errors import UserError
from pipeline.workers import as_done

MOST_FALSE_STARTS = 3  # consecutive games that a player loses before its first move, until the run stops
BUSY = 0.3  # load of the machine per core at which timed games begin to suffer

_SEATS = Seats()  # of this process; only saves the time to load players again
atexit.register(_SEATS.close)


def check_players(players: Iterable[PlayerSettings], size: int) -> None:
    """Raise an error for a player that cannot play on this board: here, and not in the middle of a match."""
    for settings in players:
        check_board(settings.name, new_player(settings).sizes, size)


def is_timed(settings: PlayerSettings) -> bool:
    """Return whether a player has a time for each move, so that it plays worse on a busy machine."""
    return settings.seconds > 0 and settings.kind in ("search", "zero", "gtp")


def games_at_once(players: Iterable[PlayerSettings], parallel: int) -> int:
    """Return how many games to play at the same time: as many as have a core for each thread, or `parallel`."""
    cores = os.cpu_count() or 1
    found = list(players)
    threads = max((settings.search.threads or cores) if searches(settings) else 1 for settings in found)
    room = max(1, cores // threads)
    if parallel > room and any(map(is_timed, found)):
        raise UserError(
            f"parallel={parallel} timed games with {threads} search threads each do not fit on {cores} cores; "
            f"at most {room} do. Use simulations instead of seconds, or fewer threads."
        )
    return parallel or room


def warn_if_busy(players: Iterable[PlayerSettings]) -> None:
    """Say so if timed games begin on a machine that is at work already."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > BUSY * cores and any(map(is_timed, players)):
        print(f"This machine is busy (load {load:.1f} on {cores} cores): timed games will be weaker.", file=sys.stderr)


def play_missing(folder: GamesFolder, slots: Iterable[Slot], parallel: int) -> Iterator[Played]:
    """Play those of the slots that have no file, and yield each game after its file was written.

    The caller may stop at any time. A player that does not get to its first move three times in a row stops the run
    with a `UserError`, and these games are not written.
    """
    tasks = (
        (folder.terms, slot, {name: folder.players[name] for name in slot[:2]})
        for slot in slots
        if not folder.file_of(slot).exists()
    )
    held: dict[str, list[Record]] = {}  # games lost before the first move, by the player that lost them
    for record in as_done(play_here, tasks, parallel) if parallel > 1 else (play_here(*task) for task in tasks):
        for ready in _sound(record, held):
            folder.write(ready)
            yield ready.played
    for lost in held.values():
        for record in lost:
            folder.write(record)
            yield record.played


def play_here(terms: GameTerms, slot: Slot, players: Mapping[str, PlayerSettings]) -> Record:
    """Play a game with the players that this process keeps."""
    return play(terms, slot, players, _SEATS)


def end_players() -> None:
    """Close what this process keeps, such as engines."""
    _SEATS.close()


def _sound(record: Record, held: dict[str, list[Record]]) -> list[Record]:
    """Return the games that can be written now: a player that failed before its first move may not work at all."""
    played, ready = record.played, []
    for name in played.slot[:2]:
        if played.thought_of(name).decisions:
            ready += held.pop(name, [])
    if played.failed and not played.thought_of(played.failed).decisions:
        held.setdefault(played.failed, []).append(record)
        if len(held[played.failed]) >= MOST_FALSE_STARTS:
            raise UserError(f"The player {played.failed} does not get to its first move: {played.why}")
        return ready
    return [*ready, record]
