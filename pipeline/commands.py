"""The list of all commands: what `./prezero` prints, and what `./prezero lineage` runs."""

import shlex
from typing import NamedTuple

from pipeline.artefact import ROOT

DEFAULT_SCALE = "laptop"


class Command(NamedTuple):
    """A module that is run as a program, what it does in one line, and whether it is a stage of the lineage."""

    module: str
    summary: str
    is_stage: bool = False


COMMANDS = {
    "lineage": Command("pipeline.lineage", "run all stages so far, in their order, into runs/"),
    "status": Command("pipeline.status", "show how far a run has come, and what to run next"),
    "test": Command("pipeline.checks", "run the test suite; arguments go to pytest"),
    "lint": Command("pipeline.checks", "check style, formatting and the layers of the house"),
    "bench": Command("benchmarks", "measure speed beside other engines and print the tables"),
    "go.show": Command("go.show", "draw a position, given by its moves or as text, here and as SVG"),
    "go.random_play": Command(
        "go.random_play", "play random games and lay their statistics beside the published ones", is_stage=True
    ),
    "data.prepare": Command(
        "data.prepare", "turn game records (SGF, folders, archives) into a game store", is_stage=True
    ),
    "data.inspect": Command("data.inspect", "show what is in a game store: tables, plots, any game or position drawn"),
    "data.download": Command("data.download", "download archives of game records, such as those of KGS"),
    "data.teacher": Command("data.teacher", "have two GTP engines play a corpus of games"),
    "features48.census": Command(
        "features48.census", "count in how many positions each of the 48 planes says something", is_stage=True
    ),
    "features48.show": Command("features48.show", "draw a position with all its feature planes as one sheet"),
    "rollout.train": Command(
        "rollout.train", "harvest patterns and learn the rollout and the tree policy", is_stage=True
    ),
    "rollout.evaluate": Command("rollout.evaluate", "test a pattern policy on the held-out games of any store"),
    "rollout.match": Command("rollout.match", "play flat Monte Carlo with one policy against another"),
    "rollout.show": Command("rollout.show", "show the moves of a pattern policy in a position, with their reasons"),
    "sl_policy.train": Command("sl_policy.train", "learn the policy network from the experts' moves", is_stage=True),
    "sl_policy.evaluate": Command("sl_policy.evaluate", "test a policy network on the held-out games of any store"),
    "sl_policy.show": Command("sl_policy.show", "show the moves of a position as the policy network sees them"),
    "sl_policy.table": Command(
        "sl_policy.table", "learn networks of several widths and inputs: Extended Data Table 3 at our scale"
    ),
    "apv_mcts.problems": Command(
        "apv_mcts.problems", "have players solve 40 drawn problems, and say how many each does"
    ),
    "apv_mcts.show": Command(
        "apv_mcts.show", "show what a search finds in a position: the six boards of Figure 5, the tree"
    ),
    "gtp": Command("apv_mcts.engine", "play as a GTP engine, for Sabaki, GoGui and other programs"),
}


def call(command: str, run: str, *settings: str) -> str:
    """Write what to type for a command in a run; a run that bears the name of a scale is taken to be of that scale."""
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
