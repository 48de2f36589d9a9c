"""Reading game records, and positions from the store, compared with sgfmill.

- Reading is `./prezero data.prepare` as a user runs it, from the archive to the finished store, including its start and
  all its processes. Memory is the sum over the processes, sampled ten times a second.
- Positions are random ones of random games in random symmetries, replayed from the store in batches of 256, as in the
  training of a network.
- sgfmill replays the games on its board to reach such positions. "From SGF" includes parsing the record, as a program
  without a store must do for each position. For "moves at hand", the record is parsed beforehand.
"""

import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
from sgfmill import sgf, sgf_moves
from sgfmill.boards import Board

from benchmarks.measure import Bar, in_turn, median, ratio
from data.positions import Positions, PositionSampler
from data.record import to_sgf
from data.store import GameStore
from pipeline.tables import table

EMBEDDED = "embedded"
BATCH = 256
BATCHES = {9: 200, 19: 80}  # per measurement of the store: about 0.1 s
PEER_POSITIONS = {9: 150, 19: 40}


def prepare(source: str, size: int, folder: Path) -> tuple[float, float]:
    """Make a store of a source. Return the time in seconds and the peak memory in MB."""
    arguments = [f"sources={source}", f"board={size}x{size}", f"run={size}"]
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "data.prepare", *arguments],
        env={**os.environ, "PREZERO_RUNS": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    most = 0
    while process.poll() is None:
        most = max(most, memory_of(psutil.Process(process.pid)))
        time.sleep(0.1)
    if process.returncode:
        raise RuntimeError(f"data.prepare {' '.join(arguments)} ended with {process.returncode}")
    return time.perf_counter() - began, most / 1e6


def memory_of(process: psutil.Process) -> int:
    """Return the memory of a process and its children in bytes."""
    total = 0
    try:
        for member in (process, *process.children(recursive=True)):
            total += member.memory_info().rss
    except psutil.NoSuchProcess:  # it has just ended
        return total
    return total


def draw(sampler: PositionSampler, counter: list[int], count: int) -> Positions:
    counter[0] += 1
    return sampler.batch(counter[0], count)


def store_rate(sampler: PositionSampler, counter: list[int], threads: int, pool: ThreadPoolExecutor) -> float:
    """Return positions per second from the store. They are drawn beforehand, as for sgfmill."""
    store = sampler.store
    batches = [draw(sampler, counter, BATCH) for _ in range(threads * BATCHES[store.size])]

    def replay_some(thread: int) -> None:
        for batch in batches[thread::threads]:
            store.boards(batch.games, batch.plies, batch.symmetries)

    began = time.perf_counter()
    list(pool.map(replay_some, range(threads)))
    return len(batches) * BATCH / (time.perf_counter() - began)


def sgfmill_rate(sampler: PositionSampler, counter: list[int], from_sgf: bool) -> float:
    """Return positions per second of sgfmill, for positions drawn in the same way."""
    store, count = sampler.store, PEER_POSITIONS[sampler.store.size]
    drawn = draw(sampler, counter, count)
    records = [to_sgf(store.record(game)) for game in drawn.games.tolist()]
    parsed = [sgf_moves.get_setup_and_moves(sgf.Sgf_game.from_bytes(record)) for record in records]
    began = time.perf_counter()
    for record, start, ply in zip(records, parsed, drawn.plies.tolist(), strict=True):
        board, moves = sgf_moves.get_setup_and_moves(sgf.Sgf_game.from_bytes(record)) if from_sgf else start
        replay(board, moves, ply)
    return count / (time.perf_counter() - began)


def replay(start: Board, moves: list, ply: int) -> Board:
    board = start.copy()
    for colour, move in moves[:ply]:
        if move is not None:
            board.play(*move, colour)
    return board


def positions_table(stores: dict[int, GameStore], rounds: int) -> tuple[str, list[Bar]]:
    entries = {}
    with ThreadPoolExecutor(2) as pool:
        for size, store in stores.items():
            sampler, counter = PositionSampler(store, "train"), [0]
            for threads in (1, 2):
                entries[f"{threads} {size}"] = functools.partial(store_rate, sampler, counter, threads, pool)
            entries[f"sgf {size}"] = functools.partial(sgfmill_rate, sampler, counter, True)
            entries[f"moves {size}"] = functools.partial(sgfmill_rate, sampler, counter, False)
        rates = in_turn(entries, rounds, "measurements of positions")
    rows, bars = [], []
    for size in stores:
        for threads in (1, 2):
            ours = f"{threads} {size}"
            row = [f"{size}x{size}, threads: {threads}", f"{median(rates, ours):,.0f}"]
            for peer, name in (("sgf", "from SGF"), ("moves", "moves at hand")):
                over = ratio(rates, ours, f"{peer} {size}")
                row += [f"{median(rates, f'{peer} {size}'):,.0f}", f"{over:,.0f}x"]
                bars.append(Bar(f"{row[0]}: positions/s over sgfmill, {name}", over, 300))
            rows.append(row)
    if 19 in stores:
        bars.append(Bar("a random 19x19 position", 1e6 / median(rates, "1 19"), 50, at_most=True, unit=" µs"))
    header = ["positions/s", "store", "sgfmill, from SGF", "over it", "sgfmill, moves at hand", "over it"]
    return table(header, rows), bars


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Run all measurements. Return the tables and the bars. Without an archive, only the embedded corpus is read."""
    sources = {9: EMBEDDED} | ({19: archive} if archive else {})
    rows, bars, stores = [], [], {}
    with tempfile.TemporaryDirectory() as folder:
        for size, source in sources.items():
            print(f"reading {source}", file=sys.stderr)
            runs = [prepare(source, size, Path(folder, str(attempt))) for attempt in range(1 if size == 19 else 3)]
            seconds, memory = (statistics.median(values) for values in zip(*runs, strict=True))
            stores[size] = store = GameStore(Path(folder, "0", str(size), "data.prepare"))
            on_disk = sum(path.stat().st_size for path in store.folder.glob("*.npy")) / 1e6
            counts = [f"{len(store):,}", f"{len(store.moves):,}"]
            rows.append([Path(source).name, *counts, f"{seconds:.1f} s", f"{memory:,.0f} MB", f"{on_disk:.1f} MB"])
            if size == 19:
                bars += [
                    Bar(f"reading {Path(source).name}", seconds, 180, at_most=True, unit=" s"),
                    Bar(f"memory while reading {Path(source).name}", memory, 1000, at_most=True, unit=" MB"),
                    Bar(f"store of {len(store):,} games", on_disk, 100, at_most=True, unit=" MB"),
                ]
        text, more = positions_table(stores, rounds)
        reading = table(["source", "games", "moves", "time", "most memory", "store"], rows)
        return f"{reading}\n\n{text}", bars + more
