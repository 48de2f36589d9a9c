"""Waiting times of a user: the copy of a board, the start of a command, and the first compilation."""

import os
import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.measure import Bar
from go.board import new_boards
from go.jit import kernel
from go.position import Position
from pipeline.artefact import ROOT
from pipeline.tables import table

COMMANDS = (("go.show", "playouts=1"), ("go.random_play", "--help"), ("gtp", "player=alpha_rp"), ())


@kernel
def _copy_round(boards, count):
    """Copy boards in a ring of eight, so that the compiler cannot omit a copy."""
    for i in range(count):
        boards[(i + 1) & 7] = boards[i & 7]


def copy_nanoseconds(count: int = 1_000_000) -> float:
    boards = new_boards(8)
    boards[:] = Position(19).boards[0]
    _copy_round(boards, 1)
    began = time.perf_counter()
    _copy_round(boards, count)
    return (time.perf_counter() - began) / count * 1e9


def command_seconds(arguments: tuple[str, ...], cache: str | None = None) -> float:
    """Return the seconds that `./prezero ...` takes, with the kernel cache of the project or the folder `cache`."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    began = time.perf_counter()
    subprocess.run(
        [ROOT / "prezero", *arguments], env=environment, check=True, capture_output=True, stdin=subprocess.DEVNULL
    )
    return time.perf_counter() - began


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Run all measurements. Return the table and the bars."""
    copy = statistics.median(copy_nanoseconds() for _ in range(rounds))
    for arguments in COMMANDS:
        command_seconds(arguments)
    warm = {arguments: statistics.median(command_seconds(arguments) for _ in range(rounds)) for arguments in COMMANDS}
    with tempfile.TemporaryDirectory() as cache:
        print("compiling into an empty cache", file=sys.stderr)
        cold = command_seconds(("go.show", "moves=E5", "playouts=1"), cache)
    rows = [["copy of a 19x19 board", f"{copy:.0f} ns"]]
    for arguments, seconds in warm.items():
        rows.append([" ".join(["./prezero", *arguments]) + " (warm)", f"{seconds:.2f} s"])
    rows += [["the same go.show with every kernel still to compile", f"{cold:.1f} s"]]
    bars = [
        Bar("copy of a 19x19 board", copy, 1000, at_most=True, unit=" ns"),
        Bar("warm start of the slowest command above", max(warm.values()), 3, at_most=True, unit=" s"),
        Bar("first compilation", cold, 60, at_most=True, unit=" s"),
    ]
    return table(["wait for", "time"], rows), bars
