"""A game of the arena as an SGF file: what the players thought of their moves is in comments, the rest in the header.

The comment of the root node holds what has no header field, in lines that `read_game` reads again.
"""

import re
from pathlib import Path
from typing import NamedTuple

from sgfmill import sgf

from arena.game import Played, Record, Slot, Thought
from go.board import BLACK, WHITE
from go.sgf import COLORS, position_sgf
from pipeline.errors import UserError

MARK = "Prezero arena"
ROOT = re.compile(
    rf"{MARK}, opening (?P<opening>\d+)\n"
    r"Ended by: (?P<how>.*)\n"
    r"(?P<why>.*)\n"
    r"Failed: (?P<failed>black|white|nobody)\n"
    r"Black: (?P<b_decisions>\d+) decisions, (?P<b_seconds>[\d.]+) s, slowest (?P<b_slowest>[\d.]+) s\n"
    r"White: (?P<w_decisions>\d+) decisions, (?P<w_seconds>[\d.]+) s, slowest (?P<w_slowest>[\d.]+) s"
)
WIN_RATE = re.compile(r"^win rate: ([\d.]+)%", re.MULTILINE)


def write_game(record: Record) -> bytes:
    """Write a game as SGF."""
    played, slot = record.played, record.played.slot
    failed = {"": "nobody", slot.black: "black", slot.white: "white"}[played.failed]
    lines = [f"{MARK}, opening {slot.opening}", f"Ended by: {played.how}", played.why, f"Failed: {failed}"]
    for name, thought in zip(("Black", "White"), played.thoughts, strict=True):
        lines.append(f"{name}: {thought.decisions} decisions, {thought.seconds:.3f} s, slowest {thought.slowest:.3f} s")
    header = {"PB": slot.black, "PW": slot.white, "RE": played.result, "C": "\n".join(lines)}
    return position_sgf(record.position, header, record.comments)


def parse_game(data: bytes) -> Played | None:
    """Read what `write_game` wrote; return None if it is another game."""
    if MARK.encode() not in data:
        return None
    try:
        tree = sgf.Sgf_game.from_bytes(data)
        root = tree.get_root()
        found = ROOT.fullmatch(root.get("C"))
        slot = Slot(root.get("PB"), root.get("PW"), int(found["opening"]))
        failed = {"nobody": "", "black": slot.black, "white": slot.white}[found["failed"]]
        black, white = (
            Thought(int(found[f"{c}_decisions"]), float(found[f"{c}_seconds"]), float(found[f"{c}_slowest"]))
            for c in "bw"
        )
        moves = len(tree.get_main_sequence()) - 1
        return Played(slot, root.get("RE"), found["how"], found["why"], failed, moves, (black, white))
    except (ValueError, KeyError, TypeError):
        return None


def read_game(path: Path) -> Played:
    """Read a file that `write_game` wrote. Raise `UserError` if it is damaged."""
    played = parse_game(path.read_bytes())
    if played is None:
        raise UserError(f"{path} is not a game as we wrote it; remove it to have it played anew.")
    return played


class Evaluation(NamedTuple):
    """What a player expected when it moved: its chance to win, from 0 to 1; None if it did not say."""

    ply: int  # the number of the move, from 0
    color: int
    win_rate: float | None


def read_evaluations(data: bytes) -> list[Evaluation]:
    """Return the players' evaluations of a game, move by move."""
    found = []
    for ply, node in enumerate(sgf.Sgf_game.from_bytes(data).get_main_sequence()[1:]):
        color = COLORS.get(node.get_move()[0])
        rate = WIN_RATE.search(node.get("C")) if node.has_property("C") else None
        if color in (BLACK, WHITE):
            found.append(Evaluation(ply, color, float(rate[1]) / 100 if rate else None))
    return found
