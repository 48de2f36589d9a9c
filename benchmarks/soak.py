"""200 games of the engine with itself on 9x9 over GTP: no crash, no illegal move, no memory that grows.

One process of `./prezero gtp player=alpha_rp` with 300 simulations a move on all cores plays both colours of all games,
with analyses, undone moves and a clock in between. GNU Go is the referee: it is told every move and would refuse one
against its rules; so would our own. Memory is that of the process (resident), after each game; it is said to grow by
what the mean of the last quarter of the games has more than that of the second. All games are played once, whatever the
rounds.
"""

import statistics

import psutil

from benchmarks.measure import Bar
from data.engine_game import GNU_GO
from go.board import COLOR_NAMES
from go.coordinates import gtp_from_point, point_from_gtp
from go.errors import GoError
from go.position import Position
from gtp.client import RESIGN, Engine, EngineError
from pipeline.artefact import ROOT
from pipeline.progress import Progress
from pipeline.tables import table

GAMES = 200
ENGINE = f"{ROOT}/prezero gtp player=alpha_rp player.simulations=300 player.seconds=0 player.resign=-0.95"
MOST_MOVES = 300
MEGABYTE = 1 << 20


def watched_move(engine: Engine, color: int) -> int:
    """Have the engine move while it reports what it thinks."""
    answer = engine.send(f"kata-genmove_analyze {COLOR_NAMES[color]} 2 ownership true")
    word = answer.splitlines()[-1].removeprefix("play ")
    return RESIGN if word == "resign" else point_from_gtp(word, 9)


def play(engine: Engine, referee: Engine, number: int) -> Position:
    """Play a game, and raise an error if a rule is broken."""
    position = Position(9, komi=7.5)
    for side in (engine, referee):
        side.boardsize(9)
        side.clear_board()
        side.komi(7.5)
    engine.send("time_settings 600 10 5" if number % 4 == 3 else "time_settings 0 1 0")
    while not position.is_over and len(position.history) < MOST_MOVES:
        color, ply = position.to_move, len(position.history)
        move = watched_move(engine, color) if ply % 16 == 7 else engine.genmove(color)
        if move == RESIGN:
            break
        if ply % 16 == 11:
            engine.send("undo")
            engine.play(color, move)
        position.play(move)
        referee.send(f"play {COLOR_NAMES[color]} {gtp_from_point(move, 9)}")
    engine.send("final_status_list dead")
    return position


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Play all games, whatever the rounds; return the table and the bars."""
    moves, faults, memory = 0, [], []
    engine, referee = Engine(ENGINE, timeout=300), Engine(GNU_GO)
    process = psutil.Process(engine.process.pid)
    with Progress("games", GAMES) as progress:
        for number in range(GAMES):
            try:
                moves += len(play(engine, referee, number).history)
            except (EngineError, GoError) as error:
                faults.append(str(error))
                engine.close()
                engine, referee = Engine(ENGINE, timeout=300), Engine(GNU_GO)
                process = psutil.Process(engine.process.pid)
            memory.append(process.memory_info().rss / MEGABYTE)
            progress.update(1)
    for side in (engine, referee):
        side.close()
    quarter = GAMES // 4
    early, late = statistics.mean(memory[quarter : 2 * quarter]), statistics.mean(memory[-quarter:])
    rows = [
        ["games", f"{GAMES:,}"],
        ["moves", f"{moves:,}"],
        ["crashes, refusals and illegal moves", f"{len(faults)}"],
        *([f"fault {number}", fault] for number, fault in enumerate(faults, 1)),
        ["memory after 10 games, MB", f"{memory[9]:.0f}"],
        ["mean of games 51 to 100, MB", f"{early:.0f}"],
        ["mean of games 151 to 200, MB", f"{late:.0f}"],
    ]
    bars = [
        Bar("crashes, refusals and illegal moves", len(faults), 0, at_most=True, unit=""),
        Bar("memory of the last quarter over the second", late / early, 1.05, at_most=True),
    ]
    return table(["soak", "measured"], rows), bars
