"""The games of a match or tournament in a folder: one SGF file for each slot, and the settings they were played with.

A game that has a file is played, one that has none is not: nothing else is kept, so a kill can lose nothing but the
games under way. Players may be added later. A name stands for the same settings and weights forever.
"""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from arena.game import GameTerms, Played, Record, Slot, result_key
from arena.game_file import read_game, write_game
from arena.players import PlayerSettings
from arena.weights_used import fingerprint, weights_used
from nets.find import find_weights
from pipeline.artefact import made, read_json, write_atomic, write_json
from pipeline.errors import UserError

GAMES, SETTINGS = "games", "settings.json"
LONGEST = 60  # characters of a player's name in the name of a file
UNSAFE = re.compile(r"[^\w.=]+")


def player_key(settings: PlayerSettings, size: int) -> dict[str, Any]:
    """Return all that makes a player what it is on a board: its settings, and fingerprints of its weights."""
    found = dataclasses.asdict(settings)
    found.pop("seed")  # each game has its own
    return found | {"weights": weights_used(settings, size)}


class GamesFolder:
    """The folder of some games. `claim` it before reading or writing games."""

    def __init__(self, folder: Path, terms: GameTerms, players: Mapping[str, PlayerSettings]) -> None:
        self.folder, self.terms, self.players = folder, terms, dict(players)
        self.short: dict[str, str] = {}  # names as parts of file names

    def claim(self) -> None:
        """Write terms and players to the folder. Raise `UserError` if it holds games of other settings."""
        path = self.folder / SETTINGS
        saved = read_json(path) or {"terms": self._terms(), "players": {}}
        if saved.get("terms") != self._terms():
            raise UserError(f"{self.folder} holds games of other settings; name this run with run=NAME, or remove it.")
        known = saved["players"]
        for name, settings in self.players.items():
            described = player_key(settings, self.terms.board.size)
            if name in known and known[name]["settings"] != described:
                raise UserError(
                    f"{self.folder} holds games of a player {name} with other settings or weights ("
                    f"{_difference(known[name]['settings'], described)}); name this run with run=NAME, "
                    "or the player with name=NAME."
                )
            taken = {other["short"].lower() for other in known.values()}
            known.setdefault(name, {"settings": described, "short": _short(name, taken)})
        write_json(path, saved)
        self.short = {name: about["short"] for name, about in known.items()}
        for draft in made(self.folder / GAMES).glob(".*.sgf.*"):  # left by a killed run
            draft.unlink(missing_ok=True)

    def _terms(self) -> dict[str, Any]:
        policy = find_weights("rollout", self.terms.board.size)
        return result_key(self.terms) | {"judge": fingerprint(policy) if self.terms.score == "rollouts" else ""}

    def file_of(self, slot: Slot) -> Path:
        name = f"{self.short[slot.black]}-{self.short[slot.white]}-{slot.opening:04}.sgf"
        return self.folder / GAMES / name

    def write(self, record: Record) -> None:
        write_atomic(self.file_of(record.played.slot), write_game(record))

    def read(self, slots: Iterable[Slot]) -> dict[Slot, Played]:
        """Return the games of some slots that have been played, in the order of the slots."""
        found = {}
        for slot in slots:
            path = self.file_of(slot)
            if path.exists():
                found[slot] = read_game(path)
                if found[slot].slot != slot:
                    raise UserError(f"{path} is a game of another slot; remove it to have it played anew.")
        return found


def _short(name: str, taken: set[str]) -> str:
    """Return a name as a part of file names, unlike those that are taken (upper and lower case are the same)."""
    plain = UNSAFE.sub("_", name).strip("_.")[:LONGEST] or "player"
    found, number = plain, 1
    while found.lower() in taken:
        number += 1
        found = f"{plain}~{number}"
    return found


def _difference(old: dict[str, Any], new: dict[str, Any], prefix: str = "") -> str:
    """Return the first difference of two settings as text."""
    for key in old.keys() | new.keys():
        before, after = old.get(key), new.get(key)
        if before != after:
            if isinstance(before, dict) and isinstance(after, dict):
                return _difference(before, after, f"{prefix}{key}.")
            return f"{prefix}{key} was {before}, is {after}"
    return "none"
