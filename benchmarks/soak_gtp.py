"""Mutated GTP lines on each kind of player: every line has exactly one right answer, and the board is the right one.

A server (`gtp.server`) runs in a thread and reads from a pipe, as it does from a program. Lines are
drawn from all commands (`benchmarks.gtp_lines`), half of them are mutated, and up to fifty are sent at once. Every
answer is compared with a reference session on sgfmill's board (`benchmarks.gtp_reference`). After each command that may
change the board, `showboard` must show the stones of the reference; after each `final_score`, the score must be that of
the board without the stones that `final_status_list dead` names. Analyses are interrupted by the next line after a
random while. A traceback in the log is a fault, whatever was answered.
"""

import contextlib
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from apv_mcts.player import SearchPlayer
from arena.players import new_player, preset, presets
from arena.registry import KINDS
from benchmarks.gtp_lines import NAMES, line_of
from benchmarks.gtp_reference import CHANGES, EITHER, NO, YES, Facts, Reference, read_words, score_of, score_without
from benchmarks.hostile_files import sound_games
from benchmarks.soak_settings import Section, SoakSettings, no_faults
from go.dead_stones import dead_stones
from go.player import AnyBoard, Player
from go.position import Position
from gtp.server import serve
from pipeline.errors import UserError
from pipeline.progress import Progress
from pipeline.tables import table
from pipeline.workers import in_order

SIMULATIONS, NODES = 4, 64  # of players that search: enough to have searched, and fast
SOLVED = (2, 3)  # boards of a player that looks at all positions; 4x4 would take minutes
OTHER_PROGRAM = "gtp"  # the kind of players that are engines of others
LINES_A_SESSION = 2_000
PATIENCE = 300.0  # seconds for one answer, on a busy machine
MOST_AT_ONCE = 50  # lines; short enough for a pipe
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

    def add(self, other: "Report") -> None:
        """Add what another session with the same player has found."""
        for field in dataclasses.fields(self):
            if field.name != "player":
                setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


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

    def send(self, data: bytes, draw: random.Random) -> None:
        """Send lines, sometimes in two parts."""
        place = draw.randrange(len(data)) if draw.random() < 0.05 else 0
        for part in (data[:place], data[place:]):
            os.write(self.pipe, part)

    def answer(self) -> str:
        """Wait for the end of an answer and return it."""
        while "\n\n" not in self.begun:
            self._more()
        answer, _, self.begun = self.begun.partition("\n\n")
        return f"{answer}\n\n"

    def start_of_answer(self) -> str:
        """Wait for the beginning of an answer and return what has come of it."""
        while not self.begun:
            self._more()
        return self.begun

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
    settings.lookahead.depth = 1
    player = new_player(settings)
    if settings.kind == "solver":
        player.sizes = SOLVED
    return player


def players_by_kind() -> dict[str, str]:
    """Return the players that can play without a run, with their kinds."""
    found = {}
    for name in presets():
        with contextlib.suppress(UserError):  # it needs a network that does not come with Prezero
            if preset(name).kind != OTHER_PROGRAM and tiny_player(name).sizes:
                found[name] = preset(name).kind
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


class Sent(NamedTuple):
    """A line: its id, its words without the id, its command if the server has it, and the lines that check it."""

    line: bytes
    number: str
    words: list[str]
    name: str
    checks: tuple[str, ...]


class Soak:
    """Sends lines to one player and compares the answers."""

    def __init__(self, name: str, folder: Path, seed: int) -> None:
        self.player = tiny_player(name)
        self.draw = random.Random(f"{seed} {name}")
        self.folder, self.report = folder, Report(name)

    def ask(self, line: str) -> str:
        """Send a plain line. Return what a successful answer says."""
        self.talk.send(f"{line}\n".encode(), self.draw)
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
        self.open_line: Sent | None = None  # an analysis that is still going on

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

    def batch(self, most: int) -> bool:
        """Send up to `most` lines at once, then judge their answers. Return whether the server goes on.

        A batch ends with `quit`, with an analysis, which the next batch interrupts after a while, and with a file,
        which must be looked at before the next command writes to it.
        """
        sent: list[Sent] = []
        data = b""
        while len(sent) < most:
            sent.append(self.line())
            data += sent[-1].line + b"\n" + b"".join(line.encode() + b"\n" for line in sent[-1].checks)
            if sent[-1].name in (*STREAMS, "quit", "loadsgf", "printsgf"):
                break
        self.talk.send(data, self.draw)
        if self.open_line:
            self.close_analysis()
        goes_on = all(self.take(one) for one in sent)  # only the last one can end it
        if goes_on and not self.open_line and (self.talk.begun or not self.talk.output.pieces.empty()):
            raise MissingError("there is an answer to nothing")
        return goes_on

    def line(self) -> "Sent":
        """Draw a line, and the lines that check what it did."""
        line, is_mutated = line_of(self.draw, self.reference.size)
        words = read_words(line)
        number = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
        self.report.lines += 1
        self.report.mutated += is_mutated
        name = words[0] if words and words[0] in self.reference.facts.commands else ""
        checks = ("showboard",) if name in CHANGES else ("final_status_list dead",) if name == "final_score" else ()
        return Sent(line, number, words, name, checks)

    def take(self, sent: "Sent") -> bool:
        """Take the answers to a line and to its checks. Return whether the server goes on."""
        if not sent.words and not sent.number:
            self.report.silent += 1
            return True
        self.report.commands[sent.name or "(no command)"] += 1
        if sent.name in STREAMS and self.talk.start_of_answer().startswith(YES):
            if self.draw.random() < 0.8:
                time.sleep(self.draw.random() * LONGEST_PAUSE)
            self.open_line = sent
            return True
        text = self.judge(sent, self.talk.answer())
        if sent.name == "quit":
            if not self.talk.has_ended():
                self.fault(sent.line, "the server did not end")
            return False
        for check in sent.checks:
            found = ANSWER.fullmatch(self.talk.answer())
            if not found or found[1] != YES:
                self.fault(sent.line, f"{check} fails after it")
            else:
                self.check_state(sent, text, found[3])
        return True

    def close_analysis(self) -> None:
        """Take the rest of an analysis that input has interrupted."""
        sent, self.open_line = self.open_line, None
        assert sent is not None
        answer = self.talk.answer()
        self.report.analyses += 1
        self.report.reports += answer.count("\n") - 2
        self.judge(sent, answer)

    def judge(self, sent: "Sent", answer: str) -> str | None:
        """Compare an answer with the reference. Return what it says, or None for a failure."""
        report, reference, words = self.report, self.reference, sent.words
        found = ANSWER.fullmatch(answer)
        if not found or found[2] != sent.number or "\r" in answer:
            self.fault(sent.line, f"{answer!r} is no answer to it")
            return None
        expected = reference.expected(words)
        if expected != EITHER and found[1] != expected:
            self.fault(sent.line, f"{answer!r}, but it must {'succeed' if expected == YES else 'fail'}")
        if found[1] == NO:
            report.refused += 1
            return None
        report.accepted += 1
        try:
            wrong = reference.take(words, found[3].strip("\n"))
        except Exception as error:  # the answer made no sense at all
            wrong = f"{type(error).__name__}: {error}"
        if wrong:
            self.fault(sent.line, f"{wrong} ({answer!r})")
        return found[3].strip()

    def check_state(self, sent: "Sent", text: str | None, shown: str) -> None:
        """Compare the board, or the score without dead stones, with the reference."""
        if sent.name in CHANGES:
            self.report.boards += 1
            if wrong := self.reference.take(["showboard"], shown):
                self.fault(sent.line, f"{wrong}:\n{shown}")
        elif text is not None:
            score = score_without(self.reference, shown)
            if not math.isclose(score, score_of(text), rel_tol=1e-5, abs_tol=1e-5):
                self.fault(sent.line, f"{text}, but without the dead stones the score is {score}")


def soak(name: str, lines: int, seed: int = 1) -> Report:
    """Send lines to a player, in a temporary folder."""
    with working_folder() as folder:
        soaked, began = Soak(name, folder, seed), time.monotonic()
        report = soaked.report
        while report.lines < lines and len(report.faults) < MOST_FAULTS:
            soaked.begin()
            try:
                goes_on = True
                while goes_on and report.lines < lines and len(report.faults) < MOST_FAULTS:
                    goes_on = soaked.batch(min(soaked.draw.randint(1, MOST_AT_ONCE), lines - report.lines))
            except MissingError as error:
                report.faults.append(f"line {report.lines}: {error}")
            soaked.end()
        report.seconds = time.monotonic() - began
        return report


def rehearse_all(name: str) -> None:
    """Have everything compiled that commands may need, before an answer is waited for."""
    player = tiny_player(name)
    position = Position(player.sizes[0])
    player.get_ready(position.size)
    player.decide(position)
    dead_stones(player, position)
    for heat_map in player.heat_maps().values():
        heat_map(position)


def lines_by_player(lines: int) -> dict[str, int]:
    """Return how many lines each player gets: all of them for the richest of a kind, a tenth for the others."""
    kinds = players_by_kind()
    richest = {kind: max((name for name in kinds if kinds[name] == kind), key=len) for kind in kinds.values()}
    richest["search"] = "alpha_rp"  # with a network, rollouts and both policies
    return {name: lines if richest[kind] == name else lines // 10 for name, kind in kinds.items()}


def run_gtp(lines: dict[str, int], seed: int = 1, workers: int = 1) -> list[Report]:
    """Send lines to players, so many to each, in sessions that several processes hold."""
    sessions = [
        (name, min(LINES_A_SESSION, count - start), seed + start)
        for name, count in lines.items()
        for start in range(0, count, LINES_A_SESSION)
    ]
    reports = {name: Report(name) for name in lines}
    for name in lines:
        rehearse_all(name)
    with Progress("GTP lines", sum(lines.values())) as progress:
        for found in in_order(soak, iter(sessions), workers):
            reports[found.player].add(found)
            progress.note = found.player
            progress.update(found.lines)
    return list(reports.values())


def section(settings: SoakSettings) -> Section:
    """Send lines to all players, and lay out the answers."""
    reports = run_gtp(lines_by_player(settings.lines), settings.seed, settings.workers or os.cpu_count() or 1)
    counts = ("lines", "mutated", "accepted", "refused", "silent", "analyses", "reports", "boards")
    kinds = players_by_kind()
    rows = [
        [r.player, kinds[r.player], *(f"{getattr(r, name):,}" for name in counts), f"{len(r.faults)}"] for r in reports
    ]
    header = ["player", "kind", "lines", "mutated", "accepted", "refused", "no command", "analyses interrupted"]
    faults = [f"{report.player}: {fault}" for report in reports for fault in report.faults]
    text = table([*header, "reports", "boards compared", "faults"], rows)
    if missing := sorted(KINDS.keys() - {OTHER_PROGRAM, *kinds.values()}):
        text += f"\n\nNot tried, because no network for them comes with Prezero: {', '.join(missing)}."
    return Section(text, [no_faults("gtp", faults)], faults)
