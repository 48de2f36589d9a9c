"""200 games of the engine against itself on 9x9 over GTP: no crash, no illegal move, no growing memory.

One process of `./prezero gtp player=alpha_rp` with 300 simulations per move on all cores plays both colours of all
games. Some moves use analysis, undo or a clock. GNU Go is the referee: it gets every move and refuses illegal ones, and
so do our own rules. Memory is the resident memory of the process after each game. Its growth is the mean of the last
quarter of the games compared with the mean of the second quarter. All games are played once, for any number of rounds.
"""

import statistics

import psutil

from benchmarks.measure import Bar
from data.engine_game import GNU_GO
from go.board import BLACK, COLOR_NAMES, WHITE
from go.coordinates import point_from_gtp
from go.match import Ending, play_game
from go.player import RESIGN
from go.position import Position
from gtp.client import Engine, EngineError
from gtp.engine_player import EnginePlayer
from pipeline.artefact import ROOT
from pipeline.progress import Progress
from pipeline.tables import table

GAMES = 200
ENGINE = f"{ROOT}/prezero gtp player=alpha_rp player.simulations=300 player.seconds=0 player.resign=-0.95"
SIZE, KOMI = 9, 7.5
MOST_MOVES = 300
MEGABYTE = 1 << 20


class SoakedPlayer(EnginePlayer):
    """A player that also tests analysis during a move, and undo."""

    def choose(self, position: Position) -> int:
        color, ply = position.to_move, len(position.history)
        move = self._watched_move(color) if ply % 16 == 7 else super().choose(position)
        if ply % 16 == 11 and move != RESIGN:
            self.engine.send("undo")
            self.engine.play(color, move)
        return move

    def _watched_move(self, color: int) -> int:
        """Let the engine choose a move and report its analysis."""
        answer = self.engine.send(f"kata-genmove_analyze {COLOR_NAMES[color]} 2 ownership true")
        word = answer.splitlines()[-1].removeprefix("play ")
        return RESIGN if word == "resign" else point_from_gtp(word, SIZE)


def play(engine: Engine, referee: Engine, number: int) -> tuple[Position, Ending]:
    """Play a game. The referee gets every move. Raise `EngineError` if it refuses one."""
    position, player, umpire = Position(SIZE, KOMI), SoakedPlayer(engine), EnginePlayer(referee)
    engine.send("time_settings 600 10 5" if number % 4 == 3 else "time_settings 0 1 0")
    ending = play_game(
        {BLACK: player, WHITE: player},
        position,
        move_limit=MOST_MOVES,
        on_move=lambda after, decision, seconds: umpire.bring_to(after),
    )
    if ending.loser is None:
        engine.send("final_status_list dead")
    return position, ending


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Play all games, for any number of rounds. Return the table and the bars."""
    moves, faults, memory = 0, [], []
    engine, referee = Engine(ENGINE, timeout=300), Engine(GNU_GO)
    process = psutil.Process(engine.process.pid)
    with Progress("games", GAMES) as progress:
        for number in range(GAMES):
            try:
                position, ending = play(engine, referee, number)
                moves += len(position.history)
                fault = ending.why if ending.loser is not None else ""
            except EngineError as error:
                fault = str(error)
            if fault:
                faults.append(fault)
                for side in (engine, referee):
                    side.close()
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
