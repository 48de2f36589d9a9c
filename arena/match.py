"""Let two players play a match. With `stop=sprt`, it ends as soon as a sequential test has decided who is stronger."""

import dataclasses
import functools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.game import Played, Slot
from arena.games_folder import GAMES, GamesFolder, player_key
from arena.player_text import read_players
from arena.players import PlayerSettings
from arena.ratings import rate
from arena.schedule import slots_of
from arena.scores import failures, failures_table, percent, results_of, tally, thought
from arena.series import check_players, end_players, games_at_once, play_missing, warn_if_busy
from arena.sprt import ACCEPT_H1, Sprt, Verdict, run_test
from arena.terms import MOST_GAMES, ArenaSettings
from go.errors import GoError
from pipeline.artefact import stage_folder
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import setting
from pipeline.stage import Outcome, done_once
from pipeline.tables import table

STAGE = "arena.match"
SPRT = "sprt"


@dataclasses.dataclass
class Settings(ArenaSettings):
    first: str = setting("alpha_rp", "a player: a name with settings, or a GTP engine's command line", result=False)
    second: str = setting("uct", "its opponent, in the same way", result=False)
    games: int = setting(20, "games to play, with those already there", least=2, most=MOST_GAMES, result=False)
    stop: str = setting("", "sprt: end as soon as a test has decided", choices=("", SPRT), result=False)
    elo0: float = setting(0.0, "sprt: H0, the first player is this much stronger", result=False)
    elo1: float = setting(50.0, "sprt: H1, the first player is this much stronger", result=False)
    alpha: float = setting(0.05, "sprt: probability to accept H1 if H0 is true", above=0, below=0.5, result=False)
    beta: float = setting(0.05, "sprt: probability to accept H0 if H1 is true", above=0, below=0.5, result=False)
    run: str = setting("match", "name of the run: results go to runs/<run>/arena.match/", result=False)

    def check(self) -> None:
        super().check()
        if not -2000 < self.elo0 < self.elo1 < 2000:
            raise UserError(f"elo0={self.elo0:g} is not below elo1={self.elo1:g}, or one of them is beyond 2,000.")

    def test(self) -> Sprt | None:
        return Sprt(self.elo0, self.elo1, self.alpha, self.beta) if self.stop == SPRT else None


def pair_scores(played: Mapping[Slot, Played], first: str, second: str) -> list[float]:
    """Return the first player's mean score of each opening, in order, up to the first that lacks a game."""
    scores = []
    while True:
        opening = len(scores) + 1
        slots = Slot(first, second, opening), Slot(second, first, opening)
        if not all(slot in played for slot in slots):
            return scores
        scores.append(sum(played[slot].score_of(first) for slot in slots) / 2)


def verdict(test: Sprt | None, played: Mapping[Slot, Played], first: str, second: str) -> Verdict | None:
    """Return the state of the test; None if the match has none."""
    return run_test(test, pair_scores(played, first, second)) if test else None


def play_match(folder: GamesFolder, slots: list[Slot], test: Sprt | None, parallel: int) -> dict[Slot, Played]:
    """Play the missing games of a match, up to the decision of the test. Return all games, in order."""
    first, second, _ = slots[0]
    played = folder.read(slots)
    tested = functools.partial(verdict, test, played, first, second)
    with Progress("games", len(slots), len(played)) as progress:
        state = tested()
        games = iter(()) if state and state.decision else play_missing(folder, slots, parallel)
        for game in games:
            played[game.slot] = game
            state = tested()
            progress.note = note(played, first, second, test, state)
            progress.above = standings(list(played.values()), first, second)
            progress.update(1)
            if state and state.decision:
                break
    return {slot: played[slot] for slot in slots if slot in played}


def note(
    played: Mapping[Slot, Played], first: str, second: str, test: Sprt | None = None, state: Verdict | None = None
) -> str:
    """Return the score in a few words."""
    won = tally(played.values(), first)
    text = f"{first} {won.points:g} : {won.games - won.points:g} {second}"
    if test and state:
        low, high = test.bounds
        text += f", log-likelihood ratio {state.ratio:+.2f} of {low:.2f} to {high:.2f}"
    return text


def counted(played: Mapping[Slot, Played], state: Verdict | None) -> list[Played]:
    """Return the games that count: after a decision, those of the openings that led to it."""
    most = state.pairs if state and state.decision else MOST_GAMES
    return [game for slot, game in played.items() if slot.opening <= most]


def standings(games: list[Played], first: str, second: str) -> str:
    """Return a table of both players."""
    rows = []
    for name in (first, second):
        all_games, spent = tally(games, name), thought(games, name)
        colors = [percent(tally(games, name, color=color)) for color in ("black", "white")]
        pace = [f"{spent.seconds / max(spent.decisions, 1):.3f}", f"{spent.slowest:.2f}"]
        rows.append([name, f"{all_games.points:g} of {all_games.games}", percent(all_games), *colors, *pace])
    header = ["player", "won", "% [95%]", "as black", "as white", "seconds a move", "slowest"]
    return table(header, rows)


def summary(
    games: list[Played], first: str, second: str, samples: int, test: Sprt | None, state: Verdict | None
) -> dict[str, Any]:
    """Return all that is known about a match, as plain data."""
    ratings = rate(results_of(games), {second: 0.0}, samples=samples)
    place = ratings.names.index(first)
    won = tally(games, first)
    bounds, boot = (
        [None if math.isnan(part[place]) else round(float(part[place]), 1) for part in pair]
        for pair in ((ratings.low, ratings.high), (ratings.boot_low, ratings.boot_high))
    )
    return {
        "players": [first, second],
        "games": won.games,
        "points": won.points,
        "elo": round(float(ratings.elo[place]), 1),
        "elo interval": bounds,
        "elo interval, bootstrap": boot,
        "superiority": float(ratings.superiority[place, 1 - place]),
        "first move": round(float(ratings.first_move), 1),
        "stopped": sum(game.is_stopped for game in games),
        "failures": failures(games),
        "test": {**test._asdict(), **state._asdict()} if test and state else None,
        "table": standings(games, first, second),
    }


def report(found: dict[str, Any]) -> str:
    """Return the result of a match for people."""
    low, high = found["elo interval"]
    boot = "by bootstrap [{:+.0f}; {:+.0f}]; ".format(*found["elo interval, bootstrap"]) if has_bootstrap(found) else ""
    first, second = found["players"]
    lines = [
        found["table"],
        "",
        f"{first} is {found['elo']:+.0f} Elo stronger than {second}, 95% [{low:+.0f}; {high:+.0f}], "
        f"{boot}stronger with probability {100 * found['superiority']:.1f}%. "
        f"The first move is worth {found['first move']:+.0f}.",
        failures_table(found["failures"]),
    ]
    if found["points"] in (0, found["games"]):
        lines.append("One of them won all games, so that only the prior bounds the difference.")
    if found["stopped"]:
        lines.append(f"Stopped at the move limit, and counted as draws: {found['stopped']:,} games.")
    if found["test"]:
        lines.append(test_sentence(found["test"]))
    return "\n".join(lines)


def has_bootstrap(found: dict[str, Any]) -> bool:
    return None not in found["elo interval, bootstrap"]


def test_sentence(test: dict[str, Any]) -> str:
    """Say how the sequential test ended."""
    if not test["decision"]:
        how = "The test has not decided"
    else:
        h1 = test["decision"] == ACCEPT_H1
        how = f"The test accepts {test['decision']}: Elo {'≥' if h1 else '≤'} {test['elo1' if h1 else 'elo0']:g}"
    return (
        f"{how} (H0: Elo {test['elo0']:g}, H1: Elo {test['elo1']:g}), after {test['pairs']:,} pairs of games with "
        f"{', '.join(map(str, test['counts']))} of them worth 0, ½, 1, 1½ and 2 points; log-likelihood ratio "
        f"{test['ratio']:+.2f}."
    )


def headline(found: dict[str, Any]) -> str:
    first, second = found["players"]
    low, high = found["elo interval"]
    lost = found["games"] - found["points"]
    return f"{first} {found['points']:g} : {lost:g} {second}, Elo {found['elo']:+.0f} [{low:+.0f}; {high:+.0f}]"


def run_match(settings: Settings, players: list[PlayerSettings], path: Path) -> dict[str, Any]:
    """Play a match in a folder, or what is left of it. Return its summary."""
    first, second = (player.name for player in players)
    folder = GamesFolder(path, settings, {player.name: player for player in players})
    folder.claim()
    parallel = games_at_once(players, settings.parallel)
    warn_if_busy(players)
    slots = list(slots_of([(first, second)], (settings.games + 1) // 2))
    try:
        played = play_match(folder, slots, settings.test(), parallel)
    finally:
        end_players()
    state = verdict(settings.test(), played, first, second)
    found = summary(counted(played, state), first, second, settings.samples, settings.test(), state)
    return found | {"asked": asked(settings, players), "not counted": len(played) - found["games"]}


def asked(settings: Settings, players: list[PlayerSettings]) -> dict[str, Any]:
    """Return what a match must have been asked for to be this one."""
    test = settings.test()
    return {
        "players": [player_key(player, settings.board.size) for player in players],
        "games": settings.games,
        "samples": settings.samples,
        "test": list(test) if test else None,
    }


def main(settings: Settings) -> dict[str, str]:
    players = read_players([settings.first, settings.second], settings.budget())
    check_players(players, settings.board.size)
    games_at_once(players, settings.parallel)
    folder = stage_folder(settings.run, STAGE)

    def work(key: dict[str, Any]) -> Outcome:
        found = run_match(settings, players, folder)
        return Outcome(headline(found), found)

    manifest = done_once(
        folder,
        STAGE,
        settings,
        [],
        work,
        is_enough=lambda done: done["metrics"]["asked"] == asked(settings, players),
    )
    found = manifest["metrics"]
    print(report(found))
    print(f"\nGames: {folder / GAMES}")
    return {"result": manifest["result"]}


COMMAND = Command(STAGE, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
