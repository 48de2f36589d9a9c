"""Stage: the players of a run meet and are rated, from random play to AlphaGo. This is where the lineage leads.

Everyone plays with the policies and networks of the run. It is a tournament (`arena.tournament`) whose players, games
and simulations come from the scale.
"""

import dataclasses
from typing import Any

from arena.player_text import read_players, split_players
from arena.players import PlayerSettings
from arena.terms import MOST_GAMES
from arena.tournament import Settings as TournamentSettings
from arena.tournament import asked, check_entrants, headline, run_tournament
from go.errors import GoError
from gtp.client import EngineError, find_program
from nets.find import KINDS
from pipeline.artefact import read_manifest, stage_folder, stage_path
from pipeline.catalogue import call
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import StageSettings, setting
from pipeline.stage import Input, Outcome, done_once

STAGE = "arena.ladder"
READ = tuple(dict.fromkeys(KINDS[name].stage for name in ("rollout", "policy", "rl", "value")))
PLAYERS = "random,features,cgs,alphabeta,uct,rollout,value,sl,alpha_p,rl,alpha_r,alpha_rp,alpha_vp,alpha_rvp"
CHOSEN = ("players", "engines", "format", "games", "simulations", "seconds", "threads", "anchor", "samples", "weights")


@dataclasses.dataclass
class Settings(TournamentSettings, StageSettings):
    players: str = setting(PLAYERS, "players with their settings, with commas between", result=False)
    engines: str = setting("gnugo", "players that take part only if their program is installed", result=False)
    games: int = setting(2, "games of each pair, with those already there", least=2, most=MOST_GAMES, result=False)
    weights: str = setting("", "run whose policies and networks the players use, by default this run", result=False)
    run: str = setting(
        "laptop", "name of the run, by default the scale: results go to runs/<run>/<stage>/", result=False
    )


def inputs_of(run: str) -> list[Input]:
    """Return the weights of a run that the players use. Raise `UserError` if a stage is still to do."""
    found = []
    for stage in READ:
        folder = stage_path(run, stage)
        manifest = read_manifest(folder)
        if manifest is None:
            raise UserError(f"The run {run} has no results of {stage}; {call(stage, run)} makes them.")
        mark = manifest["metrics"]["fingerprint"]
        found += [Input(stage, str(folder), each) for each in (mark.values() if isinstance(mark, dict) else [mark])]
    return found


def players_of(settings: Settings) -> tuple[list[PlayerSettings], list[str]]:
    """Return the players that can play, and the names of the engines that are not installed."""
    own, engines = split_players(settings.players), split_players(settings.engines)
    players = read_players([*own, *engines], settings.budget()._replace(run=settings.weights or settings.run))
    missing = [player.name for player in players[len(own) :] if not is_installed(player)]
    return [player for player in players if player.name not in missing], missing


def is_installed(engine: PlayerSettings) -> bool:
    """Return whether the program of an engine is on this machine."""
    try:
        find_program(engine.command)
    except EngineError:
        return False
    return True


def main(settings: Settings) -> dict[str, str]:
    inputs = inputs_of(settings.weights or settings.run)
    players, missing = players_of(settings)
    check_entrants(settings, players)
    folder = stage_folder(settings.run, STAGE)

    def work(key: dict[str, Any]) -> Outcome:
        found = run_tournament(settings, players, folder)
        chosen = {name: getattr(settings, name) for name in CHOSEN}
        return Outcome(headline(found), found | {"missing": missing, "chosen": chosen})

    def is_enough(done: dict[str, Any]) -> bool:
        return done["metrics"]["asked"] == asked(settings, players)

    manifest = done_once(folder, STAGE, settings, inputs, work, is_enough=is_enough)
    print(manifest["metrics"]["page"])
    if missing:
        print(f"\nNot installed, and so not in the ladder: {', '.join(missing)}.")
    print(f"\nGames, table and plot: {folder}")
    return {row["player"]: f"{row['elo']:.0f}" for row in manifest["metrics"]["ratings"]}


COMMAND = Command(STAGE, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
