"""What a report reads of a run: the manifests of its stages, and the games of its ladder."""

from pathlib import Path
from typing import Any, NamedTuple

from sgfmill import sgf

from arena.game import Played, Slot
from arena.game_file import parse_game, read_evaluations
from arena.games_folder import GAMES
from arena.ladder import STAGE as LADDER
from arena.players import ENGINE
from arena.schedule import pairings, slots_of
from go.board import BLACK, WHITE
from go.coordinates import PASS, gtp_from_point, point_from_rowcol
from go.position import Position
from pipeline.artefact import read_manifest, stage_path
from pipeline.catalogue import COMMANDS, call
from pipeline.errors import UserError

REPORT = "arena.report"


class Reading(NamedTuple):
    """A run, read: manifests by stage, and the games of the ladder with their SGF."""

    run: str
    scale: str
    manifests: dict[str, dict[str, Any]]
    games: dict[Slot, tuple[Played, bytes]]

    @property
    def ladder(self) -> dict[str, Any]:
        return self.manifests[LADDER]["metrics"]

    @property
    def size(self) -> int:
        return self.manifests[LADDER]["settings"]["board"]["size"]

    @property
    def names(self) -> list[str]:
        """The players, best first."""
        return [row["player"] for row in self.ladder["ratings"]]

    @property
    def engines(self) -> list[str]:
        """The players that are programs of their own."""
        return [player["name"] for player in self.ladder["asked"]["players"] if player["kind"] == ENGINE]

    def folder(self, stage: str) -> Path:
        return stage_path(self.run, stage)

    def metrics(self, stage: str) -> dict[str, Any]:
        """Return the metrics of a stage; empty if the run does not have it."""
        return self.manifests[stage]["metrics"] if stage in self.manifests else {}


def read_run(run: str, scale: str) -> Reading:
    """Read a run. Raise `UserError` if it has no ladder, or if games of the ladder are missing."""
    stages = [name for name, command in COMMANDS.items() if command.is_stage and name != REPORT]
    found = {stage: read_manifest(stage_path(run, stage)) for stage in stages}
    manifests = {stage: manifest for stage, manifest in found.items() if manifest is not None}
    if LADDER not in manifests:
        raise UserError(f"The run {run} has no ladder to report on; {call(LADDER, run)} plays it.")
    return Reading(run, scale, manifests, ladder_games(run, manifests[LADDER]["metrics"]))


def ladder_games(run: str, ladder: dict[str, Any]) -> dict[Slot, tuple[Played, bytes]]:
    """Return the games that the ladder was made of, in order."""
    folder = stage_path(run, LADDER) / GAMES
    there = {}
    for path in sorted(folder.glob("*.sgf")):
        data = path.read_bytes()
        played = parse_game(data)
        if played is None:
            raise UserError(f"{path} is not a game as we wrote it; remove it and run {LADDER} again.")
        there[played.slot] = played, data
    asked = ladder["asked"]
    pairs = pairings([player["name"] for player in asked["players"]], asked["format"])
    slots = list(slots_of(pairs, (asked["games"] + 1) // 2))
    missing = [slot for slot in slots if slot not in there]
    if missing:
        manifest = stage_path(run, LADDER) / "manifest.json"
        raise UserError(f"{folder} lacks {len(missing):,} games of the ladder; remove {manifest} to have them played.")
    return {slot: there[slot] for slot in slots}


class Move(NamedTuple):
    """A move of a game, with what its player said of it: its reason, and black's chance to win in its eyes."""

    color: int
    point: str
    why: str
    black_wins: float | None


def moves_of(data: bytes) -> list[Move]:
    """Read the moves of a game of the arena."""
    tree = sgf.Sgf_game.from_bytes(data)
    size, found = tree.get_size(), []
    evaluations = {evaluation.ply: evaluation for evaluation in read_evaluations(data)}
    for ply, node in enumerate(tree.get_main_sequence()[1:]):
        color, place = node.get_move()
        said = node.get("C") if node.has_property("C") else ""
        why = said.partition("why: ")[2].strip()
        rate = evaluations[ply].win_rate
        is_black = color == "b"
        point = PASS if place is None else point_from_rowcol(size - 1 - place[0], place[1], size)
        chance = None if rate is None else rate if is_black else 1 - rate
        found.append(Move(BLACK if is_black else WHITE, gtp_from_point(point, size), why, chance))
    return found


def position_after(data: bytes, number: int) -> Position:
    """Return the position of a game after some moves."""
    tree = sgf.Sgf_game.from_bytes(data)
    position = Position(tree.get_size(), tree.get_komi())
    for move in moves_of(data)[:number]:
        position.play(move.point)
    return position
