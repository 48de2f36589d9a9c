"""Players as text: `alpha_rp`, `alpha_rp simulations=400 n_thr=10`, or the command line of any GTP engine.

The first word is the name of a preset in `conf/player/`, and `name=value` after it changes a setting. A setting of the
search may be written without `search.` before it. Any other text is the command line of a GTP engine. Several players
are separated by commas.
"""

import dataclasses
import difflib
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, cast

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from apv_mcts.settings import SearchSettings
from arena.players import ENGINE, PlayerSettings, preset, presets, searches
from gtp.client import EngineError, find_program
from pipeline.errors import UserError
from pipeline.settings import explain, validate

PART = re.compile(r"""(?:[^,'"]|'[^']*'|"[^"]*")+""")  # between commas, which may be quoted
OWN = {field.name for field in dataclasses.fields(PlayerSettings)}
OF_SEARCH = {field.name for field in dataclasses.fields(SearchSettings)}


class Budget(NamedTuple):
    """What players get whose own text does not say otherwise. 0 stands for the preset's own value.

    Simulations and seconds are for each move of players that search. `run` is where policies and networks come from.
    """

    simulations: int = 0
    seconds: float = 0.0
    threads: int = 1
    run: str = ""


def read_players(texts: Iterable[str], budget: Budget | None = None) -> list[PlayerSettings]:
    """Read players from texts, and give each a name of its own."""
    players: list[PlayerSettings] = []
    for text in texts:
        player = read_player(text, budget)
        same = sum(other.name.partition(" #")[0] == player.name for other in players)
        players.append(dataclasses.replace(player, name=f"{player.name} #{same + 1}") if same else player)
    return players


def split_players(text: str) -> list[str]:
    """Split a list of players at its commas, except those within quotes."""
    return [part.strip() for part in PART.findall(text) if part.strip()]


def read_player(text: str, budget: Budget | None = None) -> PlayerSettings:
    """Read a player from text. Its name is the text, unless the text sets another."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"The player {text!r} cannot be read: {str(error).lower()}.") from error
    if not words:
        raise UserError(f"A player has no name; there are {', '.join(presets())}, and any GTP engine's command line.")
    if words[0] not in presets() or any("=" not in word or word.startswith("-") for word in words[1:]):
        return _engine(text, words)
    given = dict(_override(word) for word in words[1:])
    settings = _changed(preset(words[0]), given, text)
    settings.name = given.get("name") or " ".join(words)
    _give(settings, given, budget or Budget(threads=0))
    validate(settings, f"{words[0]}: ")
    return settings


def _engine(text: str, words: list[str]) -> PlayerSettings:
    """Return the settings of a GTP engine that is given by its command line."""
    try:
        find_program(text)
    except EngineError as error:
        close = difflib.get_close_matches(words[0], presets(), n=1)
        hint = f"did you mean {close[0]}?" if close else f"players are {', '.join(presets())}."
        raise UserError(f"{words[0]} is neither a player nor a program of this machine; {hint}") from error
    name = " ".join([Path(words[0]).name, *words[1:]])
    return PlayerSettings(name=name, kind=ENGINE, command=text, seconds=0.0)


def _override(word: str) -> tuple[str, str]:
    key, _, value = word.partition("=")
    return (f"search.{key}" if key in OF_SEARCH and key not in OWN else key), value


def _changed(settings: PlayerSettings, given: dict[str, str], text: str) -> PlayerSettings:
    known = [key for key, _, _ in explain(PlayerSettings)]
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, [*known, *OF_SEARCH], n=1)
            hint = f"did you mean {close[0]}?" if close else "./prezero gtp --help lists those of players."
            raise UserError(f"The player {text!r} has no setting {key!r}; {hint}")
    try:
        changes = OmegaConf.create({})
        for key, value in given.items():
            OmegaConf.update(changes, key, value)
        return cast(PlayerSettings, OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(settings), changes)))
    except OmegaConfBaseException as error:
        raise UserError(f"The player {text!r} cannot be read: {str(error).splitlines()[0].rstrip('.')}.") from error


def _give(settings: PlayerSettings, given: dict[str, str], budget: Budget) -> None:
    """Give a player what its text has left open."""
    if searches(settings) and not {"simulations", "seconds"} & given.keys() and (budget.simulations or budget.seconds):
        settings.simulations, settings.seconds = budget.simulations, budget.seconds
    elif "simulations" in given and "seconds" not in given and settings.simulations:
        settings.seconds = 0.0  # a number of simulations replaces the time of the preset
    if "search.threads" not in given:
        settings.search.threads = budget.threads
    if "run" not in given:
        settings.run = budget.run
