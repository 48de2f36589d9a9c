"""The catalogue of all commands: what `./prezero` prints, and what `./prezero lineage` runs."""

import importlib
import shlex
import sys
from typing import Any, NamedTuple

from pipeline.artefact import ROOT

DEFAULT_SCALE = "laptop"
HELP = ("-h", "--help")


class Entry(NamedTuple):
    """A command in the catalogue: its module, what it does in one line, and whether it is a stage of the lineage.

    The module has a `COMMAND` (`pipeline.launch.Command`). An entry written `module:function` names a function of the
    arguments instead, and says if it takes any. The catalogue imports no command, so that listing them is fast.

    `extra` is the group of packages in `pyproject.toml` that the command needs: base, train (torch), classroom, dev or
    bench. The launcher asks for it before anything is installed, so this module imports the standard library only.
    """

    module: str
    summary: str
    is_stage: bool = False
    extra: str = "base"
    takes_arguments: bool = True


COMMANDS = {
    "lineage": Entry("pipeline.lineage", "run all stages in their order, into runs/", extra="train"),
    "status": Entry("pipeline.status", "show how far a run has come, and what to run next"),
    "test": Entry("pipeline.checks:test", "run the test suite; arguments go to pytest", extra="dev"),
    "lint": Entry(
        "pipeline.checks:lint",
        "check style, formatting, types and the layers of the house",
        extra="dev",
        takes_arguments=False,
    ),
    "pin": Entry(
        "pipeline.pin:pin",
        "write the exact versions of all packages to constraints.txt",
        extra="dev",
        takes_arguments=False,
    ),
    "setup": Entry(
        "arena.setup:setup",
        "install and compile what playing needs, as the first call does by itself",
        takes_arguments=False,
    ),
    "bench": Entry("benchmarks.bench", "measure speed beside other engines and print the tables", extra="bench"),
    "go.show": Entry("go.show", "draw a position, given by its moves or as text, here and as SVG"),
    "go.random_play": Entry(
        "go.random_play", "play random games and lay their statistics beside the published ones", is_stage=True
    ),
    "data.prepare": Entry(
        "data.prepare", "turn game records (SGF, folders, archives) into a game store", is_stage=True
    ),
    "data.inspect": Entry("data.inspect", "show what is in a game store: tables, plots, any game or position drawn"),
    "data.download": Entry("data.download", "download archives of game records, such as those of KGS"),
    "data.teacher": Entry("data.teacher", "have two GTP engines play a corpus of games"),
    "features48.census": Entry(
        "features48.census", "count in how many positions each of the 48 planes says something", is_stage=True
    ),
    "features48.show": Entry("features48.show", "draw a position with all its feature planes as one sheet"),
    "cgs.show": Entry("classics.show", "show what the program of 2000 sees: influence, safety, candidates"),
    "classics.growth": Entry("classics.growth", "count the positions of minimax and alpha-beta beside w^d"),
    "rollout.train": Entry(
        "rollout.train", "harvest patterns and learn the rollout and the tree policy", is_stage=True
    ),
    "rollout.evaluate": Entry("rollout.evaluate", "test a pattern policy on the held-out games of any store"),
    "rollout.match": Entry("rollout.match", "play flat Monte Carlo with one policy against another"),
    "rollout.show": Entry("rollout.show", "show the moves of a pattern policy in a position, with their reasons"),
    "sl_policy.train": Entry(
        "sl_policy.train", "learn the policy network from the experts' moves", is_stage=True, extra="train"
    ),
    "sl_policy.evaluate": Entry("sl_policy.evaluate", "test a policy network on the held-out games of any store"),
    "sl_policy.show": Entry("sl_policy.show", "show the moves of a position as the policy network sees them"),
    "sl_policy.table": Entry(
        "sl_policy.table",
        "learn networks of several widths and inputs: Extended Data Table 3 at our scale",
        extra="train",
    ),
    "rl_policy.train": Entry(
        "rl_policy.train", "improve the policy network by self-play against its past", is_stage=True, extra="train"
    ),
    "rl_policy.match": Entry("rl_policy.match", "play the RL policy against other players, beside the paper's figures"),
    "rl_policy.show": Entry("rl_policy.show", "draw positions where the RL and the SL policy differ most"),
    "value_net.sample": Entry(
        "value_net.sample", "play self-play games and keep one position of each, for the value network", is_stage=True
    ),
    "value_net.train": Entry(
        "value_net.train", "learn the value network from those positions", is_stage=True, extra="train"
    ),
    "value_net.table": Entry(
        "value_net.table", "errors of value networks beside the paper's: overfitting, rollouts, games", extra="train"
    ),
    "zero.train": Entry("zero.train", "learn from nothing but the rules, by self-play with search", extra="train"),
    "zero.show": Entry("zero.show", "show what both heads of Zero's network say about a position"),
    "zero.architectures": Entry(
        "zero.architectures", "learn four networks from the same games: Figure 4 of the Zero paper", extra="train"
    ),
    "zero.compare": Entry("arena.compare", "plot Elo against seconds, of Zero and of the AlphaGo lineage"),
    "zero.defects": Entry("zero.defects", "measure what four defects of a tutorial cost"),
    "arena.match": Entry("arena.match", "let two players play a match: who is stronger, and by how much"),
    "arena.tournament": Entry("arena.tournament", "let several players meet, and rate them on the Elo scale"),
    "arena.ablation": Entry("arena.ablation", "play the paper's experiments in strength, beside its figures"),
    "arena.elo": Entry("arena.elo", "rate the players of any games: Elo with intervals, table and plot"),
    "arena.course": Entry("arena.course", "judge how games went: who was ahead after 20 moves, after 40, at the end"),
    "arena.resignation": Entry("arena.resignation", "calibrate when to resign, from games played to their end"),
    "arena.problems": Entry("arena.problems", "have players solve 40 drawn problems, and say how many each does"),
    "arena.ladder": Entry(
        "arena.ladder", "let all players of a run meet: the Elo ladder from random play to AlphaGo", is_stage=True
    ),
    "arena.report": Entry(
        "arena.report", "write a run as one page: ladder, curves, games to click through", is_stage=True
    ),
    "apv_mcts.show": Entry(
        "apv_mcts.show", "show what a search finds in a position: the six boards of Figure 5, the tree"
    ),
    "classroom": Entry(
        "classroom.command", "list the chapters of the classroom, or run one and write its page", extra="classroom"
    ),
    "gtp": Entry("arena.engine", "play as a GTP engine, for Sabaki, GoGui and other programs"),
}


def load(name: str) -> Any:
    """Import a command; call it with the list of its arguments. Its exit code is returned, if it has one."""
    module, _, function = COMMANDS[name].module.partition(":")
    return getattr(importlib.import_module(module), function or "COMMAND")


def call(command: str, run: str, *settings: str) -> str:
    """Return the command line for a command in a run. A run with the name of a scale is assumed to be of that scale."""
    names_scale = any(setting.startswith("scale=") for setting in settings)
    if run != DEFAULT_SCALE and not names_scale and (ROOT / "conf" / "scale" / f"{run}.yaml").is_file():
        settings = (f"scale={run}", *settings)
    return " ".join(["./prezero", command, *map(shlex.quote, (f"run={run}", *settings))])


def overview() -> str:
    """List the commands, one line each."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(
        ["Usage: ./prezero COMMAND [setting=value ...]", "", *lines, "", "./prezero COMMAND --help lists its settings."]
    )


def extra_of(name: str) -> str:
    """Return the extra that a command needs, or that of most commands if there is no such command."""
    return COMMANDS[name].extra if name in COMMANDS else Entry._field_defaults["extra"]


if __name__ == "__main__":  # as the launcher calls it
    print(extra_of(sys.argv[1]))
