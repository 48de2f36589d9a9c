"""Play the paper's experiments in strength at our scale, and lay the results beside its figures.

Each part (`arena.ablation_tables`) is a small tournament in a folder of its own. A part that was killed goes on with
the games that have no file. Its page, CSV files and plot are written anew from the games at each call.
"""

import dataclasses
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

from hydra.core.hydra_config import HydraConfig

from arena import ablation_tables as tables
from arena.ablation_pages import Made, main_table, write_part
from arena.ablation_results import answer, measure
from arena.ablation_tables import BUDGETS, SECONDS, Part
from arena.games_folder import GamesFolder, player_key
from arena.player_text import Budget, read_player, read_players
from arena.players import PlayerSettings, searches
from arena.schedule import slots_of
from arena.series import check_players, end_players, games_at_once, warn_if_busy
from arena.terms import DAY, MOST_GAMES, ArenaSettings
from arena.tournament import games_csv, play_tournament
from go.errors import GoError
from nets.find import find_weights
from pipeline.artefact import made as made_folder
from pipeline.artefact import stage_path, write_atomic
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import setting
from pipeline.stage import Outcome, done_once
from sl_policy.snapshots import read_snapshots, spread

STAGE = "arena.ablation"
ALL = "all"
PARAMETERS = tuple(tables.PARAMETERS)
PARTS = (
    *("variants", "lambda_mix", "threads", "table3", "accuracy"),
    *(*PARAMETERS, "tree_policy", "priors", "value_games"),
)
WHOLE, WITHOUT_VALUE = "alpha_rvp", "alpha_rp"  # whose settings are varied, with and without a value network
NOT_SHOWN = ("parts", "out", "parallel")  # settings that the command on a page leaves out or replaces


@dataclasses.dataclass
class Settings(ArenaSettings):
    scale: str = setting("laptop", "preset for the amount of work", result=False)
    run: str = setting("laptop", "name of the run: results go to runs/<run>/arena.ablation/<part>/", result=False)
    parts: str = setting(ALL, f"parts, with commas between: {', '.join(PARTS)}; all: those that can run", result=False)
    games: int = setting(20, "games of each pair, with those already there", least=2, most=MOST_GAMES, result=False)
    simulations: int = setting(400, "simulations per move, in parts of equal simulations", least=1, result=False)
    seconds: float = setting(0.2, "seconds per move, in parts of equal time", above=0, most=DAY, result=False)
    equal: str = setting("", "what players have equal; empty: as each part says", choices=("", *BUDGETS), result=False)
    base: str = setting(
        "", f"player that is varied; empty: {WHOLE}, or {WITHOUT_VALUE} without a value network", result=False
    )
    snapshots: str = setting(
        "", "accuracy: run whose sl_policy.train has kept snapshots; empty: this run", result=False
    )
    checkpoints: int = setting(5, "accuracy: snapshots that play, at most", least=2, most=1_000, result=False)
    value_sl: str = setting("", "value_games: run of a value network that learnt from SL games", result=False)
    value_rl: str = setting("", "value_games: run of a value network that learnt from RL games", result=False)
    out: str = setting("", "folder for <part>.md, .csv and .svg, besides those in the run", result=False)


class Plan(NamedTuple):
    """A part that can be played: its description, its players, and how many games are played at the same time."""

    part: Part
    players: list[PlayerSettings]
    parallel: int


def budget_of(settings: Settings, equal: str) -> Budget:
    """Return what all players of a part have."""
    simulations, seconds = (0, settings.seconds) if equal == SECONDS else (settings.simulations, 0.0)
    return Budget(simulations, seconds, settings.threads, settings.weights)


def usual_base(settings: Settings) -> str:
    """Return the whole search, or the one without a value network if there is none."""
    try:
        check_players([read_player(WHOLE, budget_of(settings, ""))], settings.board.size)
    except (UserError, GoError):
        return WITHOUT_VALUE
    return WHOLE


def describe(name: str, settings: Settings, base: str) -> Part:
    """Return the description of a part. Raise `UserError` if it needs runs that are not there."""
    whole = settings.base or WHOLE
    if name == "variants":
        return tables.variants()
    if name == "lambda_mix":
        return tables.lambda_mix(whole)
    if name == "accuracy":
        run = settings.snapshots or settings.run
        return tables.accuracy(base, spread(read_snapshots(run), settings.checkpoints))
    if name == "value_games":
        runs = settings.value_sl, settings.value_rl
        if not all(runs):
            raise UserError("value_sl=RUN and value_rl=RUN must name two runs with a value network.")
        of_sl, of_rl = (find_weights("value", settings.board.size, "run", run) for run in runs)
        return tables.value_games(whole, of_sl, of_rl)
    if name in PARAMETERS:
        return tables.parameter(name, base)
    return {part.__name__: part for part in (tables.threads, tables.table3, tables.tree_policy, tables.priors)}[name](
        base
    )


def plan(name: str, settings: Settings, base: str) -> Plan:
    """Return how a part is played. Raise `UserError` or `GoError` if it cannot be."""
    part = describe(name, settings, base)
    if settings.equal and settings.equal != SECONDS and part.is_timed_only:
        raise UserError(f"It compares players at equal time, not with equal={settings.equal}.")
    part = part._replace(equal=settings.equal or part.equal)
    players = read_players([row.player for row in part.rows], budget_of(settings, part.equal))
    for need in part.needs:
        for player in filter(searches, players):
            if not getattr(player.search, need):
                raise UserError(f"The player {player.name} has no {need} network.")
    check_players(players, settings.board.size)
    return Plan(part, players, games_at_once(players, 1 if part.is_alone else settings.parallel))


def plan_all(settings: Settings) -> tuple[list[Plan], dict[str, str]]:
    """Return the parts that can be played, and why others cannot.

    Raise `UserError` if a part was asked for by name and cannot be played.
    """
    base = settings.base or usual_base(settings)
    wanted = PARTS if settings.parts == ALL else [name.strip() for name in settings.parts.split(",") if name.strip()]
    plans, reasons = [], {}
    for name in dict.fromkeys(wanted):
        if name not in PARTS:
            raise UserError(f"There is no part {name}; there are {', '.join(PARTS)}.")
        try:
            plans.append(plan(name, settings, base))
        except (UserError, GoError) as error:
            if settings.parts != ALL:
                raise UserError(f"The part {name} cannot be played: {error}") from error
            reasons[name] = str(error)
    if not plans:
        raise UserError("No part can be played: " + " ".join(f"{name}: {why}" for name, why in reasons.items()))
    return plans, reasons


def play_part(settings: Settings, planned: Plan, folder: Path, what: str) -> dict[str, Any]:
    """Play a part in a folder, or what is left of it. Return what was measured."""
    part, players = planned.part, planned.players
    games_folder = GamesFolder(folder, settings, {player.name: player for player in players})
    games_folder.claim()
    slots = list(slots_of(part.pairs(), (settings.games + 1) // 2))
    try:
        played = play_tournament(games_folder, slots, "", planned.parallel, what)
    finally:
        end_players()
    write_atomic(folder / "games.csv", games_csv(played))
    found = measure(part, list(played.values()), settings.samples)
    wanted, weights = asked(settings, players), {}
    for player in wanted["players"]:
        for kind, fingerprint in player["weights"].items():
            prints = weights.setdefault(kind, [])
            prints += [fingerprint] if fingerprint not in prints else []
    return found | {"weights": weights, "asked": wanted, "cores": os.cpu_count() or 1}


def asked(settings: Settings, players: list[PlayerSettings]) -> dict[str, Any]:
    """Return what a part must have been asked for to be this one."""
    described = [player_key(player, settings.board.size) for player in players]
    return {"players": described, "games": settings.games, "samples": settings.samples}


def terms_text(settings: Settings, part: Part, found: dict[str, Any]) -> str:
    """Return what all games of a part have in common, for its page."""
    size, cores = settings.board.size, found["cores"]
    threads = settings.threads or cores
    equal = f"{settings.seconds:g} seconds" if part.equal == SECONDS else f"{settings.simulations:,} simulations"
    return (
        f"{settings.games + settings.games % 2} games of each pair, {equal} a move for players that search, on "
        f"{threads} search thread{'s' * (threads > 1)} each where the name does not say otherwise, {size}x{size}, komi "
        f"{settings.board.komi:g}, on a machine with {cores} cores. Openings of {settings.opening} random moves, each "
        "played twice with colours swapped. The bootstrap draws pairs of games."
    )


def command_text(part: Part) -> str:
    """Return the command that plays a part: as it was called, for this part alone."""
    given = list(HydraConfig.get().overrides.task) if HydraConfig.initialized() else []
    kept = [word for word in given if word.partition("=")[0] not in NOT_SHOWN]
    return " ".join(["./prezero", STAGE, f"parts={part.name}", *kept])


def finish_part(settings: Settings, planned: Plan, number: int, total: int) -> str:
    """Play a part unless it is done, write its files, and print its answer. Return the answer."""
    part, folder = planned.part, made_folder(stage_path(settings.run, STAGE) / planned.part.name)
    print(f"{chr(10) if number > 1 else ''}{part.title}\n", flush=True)
    warn_if_busy(planned.players)

    def work(key: dict[str, Any]) -> Outcome:
        found = play_part(settings, planned, folder, f"{part.name} ({number} of {total}), games")
        return Outcome(answer(part, found), found)

    wanted = asked(settings, planned.players)
    manifest = done_once(
        folder, f"{STAGE}/{part.name}", settings, [], work, is_enough=lambda done: done["metrics"]["asked"] == wanted
    )
    found = manifest["metrics"]
    made = Made(command_text(part), terms_text(settings, part, found), manifest["code"], found["weights"])
    write_part(part, found, made, folder, "results")
    if settings.out:
        write_part(part, found, made, Path(settings.out), part.name)
    print(
        f"{main_table(part, found)}\n\n{answer(part, found)}\n\nPage, CSV and plot: {folder / 'results.md'}", flush=True
    )
    return answer(part, found)


def main(settings: Settings) -> dict[str, str]:
    if settings.out and not Path(settings.out).is_dir():
        raise UserError(f"out={settings.out} is not a folder.")
    plans, reasons = plan_all(settings)
    for name, why in reasons.items():
        print(f"Left out, {name}: {why}", file=sys.stderr, flush=True)
    games = [len(one.part.pairs()) * (settings.games + settings.games % 2) for one in plans]
    print(f"{len(plans)} part{'s' * (len(plans) > 1)}, {sum(games):,} games.\n", flush=True)
    return {one.part.name: finish_part(settings, one, number, len(plans)) for number, one in enumerate(plans, 1)}


COMMAND = Command(STAGE, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
