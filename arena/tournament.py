"""Let several players meet, everyone against everyone or one against all others, and rate them."""

import csv
import dataclasses
import io
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.game import Played, Slot
from arena.games_folder import GAMES, GamesFolder, player_key
from arena.player_text import read_players, split_players
from arena.players import PlayerSettings
from arena.rating_tables import (
    anchors_for,
    rating_rows,
    rating_table,
    read_anchors,
    remarks,
    superiority_table,
    write_ratings,
)
from arena.ratings import Ratings, rate
from arena.schedule import FORMATS, ROUND_ROBIN, pairings, slots_of
from arena.scores import cross_table, failures, failures_table, results_of, thought
from arena.series import check_players, end_players, games_at_once, play_missing, warn_if_busy
from arena.terms import MOST_GAMES, ArenaSettings
from go.errors import GoError
from pipeline.artefact import stage_folder, write_atomic
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import setting
from pipeline.stage import Outcome, done_once
from pipeline.tables import table

STAGE = "arena.tournament"
PLAYERS = "random,rollout,sl,uct,alpha_r,alpha_rp"
COLUMNS = ("black", "white", "opening", "result", "ended_by", "failed", "moves", "black_seconds", "white_seconds")
RENEWED = 2.0  # seconds between two ratings of the live table


@dataclasses.dataclass
class Settings(ArenaSettings):
    players: str = setting(PLAYERS, "players with their settings, or command lines, with commas between", result=False)
    format: str = setting(
        ROUND_ROBIN,
        "everyone against everyone, the first player against all others, or each against the next two of the list",
        choices=FORMATS,
        result=False,
    )
    games: int = setting(10, "games of each pair, with those already there", least=2, most=MOST_GAMES, result=False)
    anchor: str = setting(
        "", "rating of a player that is known, as in gnugo=1800; empty: that of GNU Go, if it plays", result=False
    )
    run: str = setting("tournament", "name of the run: results go to runs/<run>/arena.tournament/", result=False)


def play_tournament(
    folder: GamesFolder, slots: list[Slot], anchor: str, parallel: int, what: str = "games"
) -> dict[Slot, Played]:
    """Play the missing games of a tournament, and show `what` is played. Return all games, in order."""
    played = folder.read(slots)
    looked = -RENEWED
    with Progress(what, len(slots), len(played)) as progress:
        for game in play_missing(folder, slots, parallel):
            played[game.slot] = game
            if time.monotonic() - looked >= RENEWED:
                ratings = rated(list(played.values()), anchor, samples=0, compares=False)
                progress.note, progress.above = f"{ratings.names[0]} leads", rating_table(ratings)
                looked = time.monotonic()
            progress.update(1)
    return {slot: played[slot] for slot in slots}


def rated(games: list[Played], anchor: str, samples: int, compares: bool = True) -> Ratings:
    """Rate the players of some games."""
    results = results_of(games)
    names = sorted({name for result in results for name in result[:2]})
    known = {name: value for name, value in read_anchors(anchor).items() if name in names}
    return rate(results, known or anchors_for("", names), samples=samples, compares=compares)


def time_table(games: list[Played], names: list[str]) -> str:
    """Return a table of the time that each player took."""
    rows = []
    for name in names:
        spent = thought(games, name)
        pace = spent.seconds / max(spent.decisions, 1)
        rows.append([name, f"{spent.decisions:,}", f"{pace:.3f}", f"{spent.slowest:.2f}"])
    return table(["player", "moves", "seconds a move", "slowest"], rows)


def page(games: list[Played], ratings: Ratings) -> str:
    """Return the result of a tournament as a Markdown page."""
    parts = [
        rating_table(ratings),
        remarks(ratings),
        cross_table(ratings.names, results_of(games)),
        superiority_table(ratings),
        time_table(games, ratings.names),
        failures_table(failures(games)),
    ]
    if stopped := sum(game.is_stopped for game in games):
        parts.append(f"Stopped at the move limit, and counted as draws: {stopped:,} games.")
    return "\n\n".join(parts)


def games_csv(played: Mapping[Slot, Played]) -> str:
    """Return one line for each game."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for slot, game in played.items():
        spent = [f"{one.seconds:.3f}" for one in game.thoughts]
        writer.writerow([*slot, game.result, game.how, game.failed, game.moves, *spent])
    return text.getvalue()


def run_tournament(settings: Settings, players: list[PlayerSettings], path: Path) -> dict[str, Any]:
    """Play a tournament in a folder, or what is left of it. Write its pages, and return its results."""
    folder = GamesFolder(path, settings, {player.name: player for player in players})
    folder.claim()
    parallel = games_at_once(players, settings.parallel)
    warn_if_busy(players)
    pairs = pairings([player.name for player in players], settings.format)
    slots = list(slots_of(pairs, (settings.games + 1) // 2))
    try:
        played = play_tournament(folder, slots, settings.anchor, parallel)
    finally:
        end_players()
    games = list(played.values())
    ratings = rated(games, settings.anchor, settings.samples)
    title = f"{len(games):,} games on {settings.board.size}x{settings.board.size}"
    shown = page(games, ratings)
    write_ratings(ratings, path, shown, title)
    write_atomic(path / "games.csv", games_csv(played))
    return {
        "games": len(games),
        "ratings": rating_rows(ratings),
        "superiority": ratings.superiority.tolist(),
        "first move": ratings.first_move,
        "remarks": remarks(ratings),
        "failures": failures(games),
        "page": shown,
        "asked": asked(settings, players),
    }


def asked(settings: Settings, players: list[PlayerSettings]) -> dict[str, Any]:
    """Return what a tournament must have been asked for to be this one."""
    return {
        "players": [player_key(player, settings.board.size) for player in players],
        "format": settings.format,
        "games": settings.games,
        "anchor": settings.anchor,
        "samples": settings.samples,
    }


def headline(found: dict[str, Any]) -> str:
    best = ", ".join(f"{row['player']} {row['elo']:.0f}" for row in found["ratings"][:3])
    return f"{found['games']:,} games; Elo: {best}"


def check_entrants(settings: Settings, players: list[PlayerSettings]) -> None:
    """Raise `UserError` if these players cannot meet as the settings say, before anything is played."""
    if len(players) < 2:
        raise UserError(f"players={settings.players} names fewer than two players.")
    check_players(players, settings.board.size)
    anchors_for(settings.anchor, [player.name for player in players])
    games_at_once(players, settings.parallel)


def main(settings: Settings) -> dict[str, str]:
    players = read_players(split_players(settings.players), settings.budget())
    check_entrants(settings, players)
    folder = stage_folder(settings.run, STAGE)

    def work(key: dict[str, Any]) -> Outcome:
        found = run_tournament(settings, players, folder)
        return Outcome(headline(found), found)

    manifest = done_once(
        folder, STAGE, settings, [], work, is_enough=lambda done: done["metrics"]["asked"] == asked(settings, players)
    )
    print(manifest["metrics"]["page"])
    print(f"\nGames, table and plot: {folder / GAMES}, {folder / 'elo.csv'}, {folder / 'elo.svg'}")
    return {row["player"]: f"{row['elo']:.0f}" for row in manifest["metrics"]["ratings"]}


COMMAND = Command(STAGE, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
