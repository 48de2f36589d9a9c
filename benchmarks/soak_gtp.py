"""Mutated GTP lines on each kind of player: every line has exactly one right answer, and the board is the right one.

A server (`gtp.server`) runs in a thread of this process and reads from a pipe, as it does from a program. Lines are
drawn from all commands (`benchmarks.gtp_lines`); half of them are mutated. Every answer is compared with a reference
session on sgfmill's board (`benchmarks.gtp_reference`). After each command that may change the board, `showboard` must
show the stones of the reference; after each `final_score`, the score must be that of the board without the stones that
`final_status_list dead` names. Analyses are interrupted by the next line after a random while. A traceback in the log
is a fault, whatever was answered.
"""

import dataclasses
import math
import os
import queue
import random
import re
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from apv_mcts.player import SearchPlayer
from arena.players import new_player, preset, presets
from arena.registry import KINDS
from benchmarks.gtp_lines import NAMES, line_of
from benchmarks.gtp_reference import CHANGES, EITHER, NO, YES, Facts, Reference, read_words, score_of, score_without
from benchmarks.hostile_files import sound_games
from benchmarks.soak_settings import Section, SoakSettings, no_faults
from go.player import AnyBoard, Player
from gtp.server import serve
from pipeline.errors import UserError
from pipeline.progress import Progress
from pipeline.tables import table

SIMULATIONS, NODES = 4, 64  # of players that search: enough to have searched, and fast
LINES_A_SESSION = 2_000
PATIENCE = 60.0  # seconds for one answer
LONGEST_PAUSE = 0.05  # seconds before an analysis is interrupted; reports come every 0.02 seconds at most
ANSWER = re.compile(r"([=?])(\d*) ?(.*)\n\n", re.DOTALL)
STREAMS = ("lz-analyze", "kata-analyze")
MOST_FAULTS = 20  # of one player; then it is given up


class MissingError(Exception):
    """An answer did not come, or came when there should be none."""


@dataclasses.dataclass
class Report:
    """What one player was sent, and what was wrong."""

    player: str
    lines: int = 0
    mutated: int = 0
    accepted: int = 0
    refused: int = 0
    silent: int = 0
    analyses: int = 0
    reports: int = 0
    boards: int = 0
    seconds: float = 0.0
    faults: list[str] = dataclasses.field(default_factory=list)
    commands: Counter = dataclasses.field(default_factory=Counter)


class _Output:
    """The stream that a server answers on."""

    def __init__(self) -> None:
        self.pieces: queue.SimpleQueue[str] = queue.SimpleQueue()

    def write(self, text: str) -> None:
        self.pieces.put(text)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


class _Log(_Output):
    """The log of a server. Only tracebacks are kept."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text = (self.text + text)[-5_000:]


class Conversation:
    """A server in a thread, and what is said to it."""

    def __init__(self, player: Player, size: int, ponder: bool) -> None:
        reader, self.pipe = os.pipe()
        self.stdin = os.fdopen(reader, "rb", buffering=0)
        self.output, self.log, self.begun = _Output(), _Log(), ""
        options: dict[str, Any] = {"size": size, "version": "1", "ponder": ponder, "log": self.log}
        self.others = set(threading.enumerate())
        self.thread = threading.Thread(
            target=serve, args=(player, self.stdin, self.output), kwargs=options, daemon=True
        )
        self.thread.start()

    def send(self, line: bytes, draw: random.Random) -> None:
        """Send a line, sometimes in two parts."""
        data = line + b"\n"
        place = draw.randrange(len(data)) if draw.random() < 0.05 else 0
        for part in (data[:place], data[place:]):
            os.write(self.pipe, part)

    def start_of_answer(self) -> str:
        """Wait for the first piece of an answer."""
        self._more()
        return self.begun

    def answer(self) -> str:
        """Wait for the end of an answer and return all of it."""
        while "\n\n" not in self.begun:
            self._more()
        answer, self.begun = self.begun, ""
        if answer.index("\n\n") != len(answer) - 2 or not self.output.pieces.empty():
            raise MissingError(f"there is more than one answer: {answer!r}")
        return answer

    def _more(self) -> None:
        try:
            self.begun += self.output.pieces.get(timeout=PATIENCE)
        except queue.Empty:
            raise MissingError(f"there is no answer within {PATIENCE:g} seconds") from None

    def hang_up(self) -> None:
        """End the input of the server."""
        os.close(self.pipe)

    def close(self) -> None:
        """Wait for the end. The pipe is closed when no thread reads from it: its number may be that of the next one."""
        self.thread.join(PATIENCE)
        for thread in set(threading.enumerate()) - self.others:  # the one that read
            thread.join(PATIENCE)
        self.stdin.close()

    def has_ended(self) -> bool:
        self.thread.join(PATIENCE)
        return not self.thread.is_alive()


def tiny_player(name: str) -> AnyBoard | SearchPlayer:
    """Make a player of a preset that thinks next to nothing."""
    settings = preset(name)
    if settings.simulations or settings.seconds:
        settings.simulations = SIMULATIONS
    settings.seconds = 0.0
    settings.search.threads, settings.search.nodes = 1, NODES
    return new_player(settings)


def players_by_kind() -> dict[str, str]:
    """Return a preset of each kind of player that can be made without a run; of searches, all of them."""
    found = {}
    for name in presets():
        try:
            tiny_player(name)
        except UserError:  # it needs a network that does not come with Prezero
            continue
        found[name] = preset(name).kind
    missing = KINDS.keys() - set(found.values())
    if missing:
        raise UserError(f"No player of kind {', '.join(sorted(missing))} can be made without a run.")
    return found


@contextmanager
def working_folder() -> Iterator[Path]:
    """Work in a temporary folder with games to load, and forget it afterwards."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, game in zip(NAMES, sound_games(3), strict=False):
            (folder / name).write_bytes(game)
        (folder / "torn.sgf").write_bytes(sound_games(1)[0][:-20])
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


class Soak:
    """Sends lines to one player and compares the answers."""

    def __init__(self, name: str, folder: Path, seed: int) -> None:
        self.player = tiny_player(name)
        self.draw = random.Random(f"{seed} {name}")
        self.folder, self.report = folder, Report(name)

    def ask(self, line: str) -> str:
        """Send a plain line. Return what a successful answer says."""
        self.talk.send(line.encode(), self.draw)
        found = ANSWER.fullmatch(self.talk.answer())
        if not found or found[1] != YES:
            raise MissingError(f"{line}: no success")
        return found[3]

    def begin(self) -> None:
        """Start a server and learn what it says of itself."""
        size = 9 if 9 in self.player.sizes else self.player.sizes[0]
        self.talk = Conversation(self.player, size, ponder=self.draw.random() < 0.5)
        labels = self.ask("gogui-analyze_commands").splitlines()
        maps = tuple(line.partition("prezero-colors ")[2] for line in labels if "prezero-colors " in line)
        commands = tuple(self.ask("list_commands").splitlines())
        facts = Facts(self.ask("name"), "1", commands, maps, self.player.sizes)
        self.reference = Reference(facts, size, 7.5, self.folder)
        self.open_line: tuple[bytes, list[str], str] | None = None  # an analysis that is still going on

    def end(self) -> None:
        """End the input, which also interrupts an analysis, and look at the log."""
        self.talk.hang_up()
        try:
            if self.open_line:
                self.close_analysis()
        except MissingError as error:
            self.report.faults.append(f"at the end: {error}")
        self.talk.close()
        if "Traceback" in self.talk.log.text:
            self.report.faults.append(f"in the log: {self.talk.log.text[-1500:]}")

    def fault(self, line: bytes, words: str) -> None:
        self.report.faults.append(f"{line!r}: {words}")

    def step(self) -> bool:
        """Send one line and deal with its answer. Return whether the server goes on."""
        line, is_mutated = line_of(self.draw, self.reference.size)
        report = self.report
        report.lines += 1
        report.mutated += is_mutated
        words = read_words(line)
        number = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
        self.talk.send(line, self.draw)
        if self.open_line and (words or number):
            self.close_analysis()
        if not words and not number:
            report.silent += 1
            if self.open_line:  # any input ends an analysis
                self.close_analysis()
            return True
        report.commands[words[0] if words and words[0] in self.reference.facts.commands else "(no command)"] += 1
        if words and words[0] in STREAMS and words[0] in self.reference.facts.commands:
            begun = self.talk.start_of_answer()
            if begun.startswith("="):
                if self.draw.random() < 0.8:
                    time.sleep(self.draw.random() * LONGEST_PAUSE)
                self.open_line = (line, words, number)
                return True
        return self.judge(line, words, number, self.talk.answer())

    def close_analysis(self) -> None:
        """Take the rest of an analysis that the next line has interrupted."""
        assert self.open_line is not None
        line, words, number = self.open_line
        self.open_line = None
        while "\n\n" not in self.talk.begun:
            self.talk._more()
        answer, _, self.talk.begun = self.talk.begun.partition("\n\n")
        self.report.analyses += 1
        self.report.reports += answer.count("\n")
        self.judge(line, words, number, f"{answer}\n\n")

    def judge(self, line: bytes, words: list[str], number: str, answer: str) -> bool:
        """Compare an answer with the reference. Return whether the server goes on."""
        report, reference = self.report, self.reference
        found = ANSWER.fullmatch(answer)
        if not found or found[2] != number or "\n\n" in found[3] or "\r" in answer:
            self.fault(line, f"{answer!r} is no answer to it")
            return True
        sign, text = found[1], found[3].removeprefix("\n") if words and words[0] == "showboard" else found[3]
        expected = reference.expected(words)
        if expected != EITHER and sign != expected:
            self.fault(line, f"{answer!r}, but it must {'succeed' if expected == YES else 'fail'}")
        if sign == NO:
            report.refused += 1
            return True
        report.accepted += 1
        try:
            wrong = reference.take(words, text.strip("\n"))
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        if wrong:
            self.fault(line, f"{wrong} ({answer!r})")
        if words[0] == "quit":
            return self.has_left(line)
        self.check_state(line, words[0], text)
        return True

    def has_left(self, line: bytes) -> bool:
        if not self.talk.has_ended():
            self.fault(line, "the server did not end")
        return False

    def check_state(self, line: bytes, name: str, text: str) -> None:
        """Compare the board, or the score, with the reference."""
        if self.talk.begun:  # an answer to the next line is already coming
            return
        if name in CHANGES and not self.open_line:
            self.report.boards += 1
            shown = self.ask("showboard")
            if wrong := self.reference.take(["showboard"], shown):
                self.fault(line, f"{wrong}:\n{shown}")
        if name == "final_score":
            score = score_without(self.reference, self.ask("final_status_list dead"))
            if not math.isclose(score, score_of(text.strip()), rel_tol=1e-5, abs_tol=1e-5):
                self.fault(line, f"{text}, but without the dead stones the score is {score}")


def soak(name: str, lines: int, folder: Path, seed: int = 1, advance: Callable[[int], Any] = lambda n: None) -> Report:
    """Send lines to a player, in sessions of some thousand lines."""
    soaked, began = Soak(name, folder, seed), time.monotonic()
    report = soaked.report
    while report.lines < lines and len(report.faults) < MOST_FAULTS:
        soaked.begin()
        last = min(lines, report.lines + LINES_A_SESSION)
        try:
            while report.lines < last and len(report.faults) < MOST_FAULTS and soaked.step():
                advance(1)
            advance(1)
        except MissingError as error:
            report.faults.append(f"line {report.lines}: {error}")
        soaked.end()
    report.seconds = time.monotonic() - began
    return report


def lines_by_player(lines: int) -> dict[str, int]:
    """Return how many lines each player gets: all of them for the richest of a kind, a tenth for the others."""
    kinds = players_by_kind()
    richest = {kind: max((name for name in kinds if kinds[name] == kind), key=len) for kind in kinds.values()}
    richest["search"] = "alpha_rp"
    return {name: lines if richest[kind] == name else lines // 10 for name, kind in kinds.items()}


def run_gtp(lines: dict[str, int], seed: int = 1) -> list[Report]:
    """Send lines to players, so many to each."""
    with working_folder() as folder, Progress("GTP lines", sum(lines.values())) as progress:
        reports = []
        for name, count in lines.items():
            progress.note = name
            reports.append(soak(name, count, folder, seed, progress.update))
        return reports


def section(settings: SoakSettings) -> Section:
    """Send lines to all players, and lay out the answers."""
    reports = run_gtp(lines_by_player(settings.lines), settings.seed)
    counts = ("lines", "mutated", "accepted", "refused", "silent", "analyses", "reports", "boards")
    kinds = players_by_kind()
    rows = [
        [r.player, kinds[r.player], *(f"{getattr(r, name):,}" for name in counts), f"{len(r.faults)}"] for r in reports
    ]
    header = ["player", "kind", "lines", "mutated", "accepted", "refused", "no command", "analyses interrupted"]
    faults = [f"{report.player}: {fault}" for report in reports for fault in report.faults]
    text = table([*header, "reports", "boards compared", "faults"], rows)
    return Section(text, [no_faults("gtp", faults)], faults)
