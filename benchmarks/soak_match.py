"""Games of the engine against itself on 9x9 over GTP: no crash, no illegal move, no growing memory.

One process of `./prezero gtp player=alpha_rp` with 300 simulations per move on all cores plays both colours of all
games. Some moves use analysis, undo or a clock. GNU Go is the referee: it gets every move and refuses illegal ones, and
so do our own rules. Memory is the resident memory of the process after each game. Its growth is the mean of the last
quarter of the games compared with the mean of the second quarter.
"""

import shlex
import statistics
import sys

from benchmarks.measure import Bar
from benchmarks.soak_settings import Section, SoakSettings, no_faults
from data.engine_game import GNU_GO
from go.board import BLACK, COLOR_NAMES, WHITE
from go.coordinates import point_from_gtp
from go.match import Ending, play_game
from go.player import RESIGN
from go.position import Position
from gtp.client import Engine, EngineError
from gtp.engine_player import EnginePlayer
from pipeline.progress import Progress
from pipeline.tables import table

PLAYER = "player=alpha_rp player.simulations=300 player.seconds=0 player.resign=-0.95"
ENGINE = f"{shlex.quote(sys.executable)} -m pipeline gtp {PLAYER}"  # as ./prezero gtp does
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


def section(settings: SoakSettings) -> Section:
    """Play the games. Return the table and the bars."""
    import psutil  # of the extra `bench`

    games, moves = settings.matches, 0
    faults: list[str] = []
    memory: list[float] = []
    engine, referee = Engine(ENGINE, timeout=300), Engine(GNU_GO)
    process = psutil.Process(engine.process.pid)
    with Progress("games over GTP", games) as progress:
        for number in range(games):
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
    quarter = games // 4
    early, late = statistics.mean(memory[quarter : 2 * quarter]), statistics.mean(memory[-quarter:])
    rows = [
        ["games", f"{games:,}"],
        ["moves", f"{moves:,}"],
        ["crashes, refusals and illegal moves", f"{len(faults)}"],
        ["memory after the first game, MB", f"{memory[0]:.0f}"],
        ["mean of the second quarter of the games, MB", f"{early:.0f}"],
        ["mean of the last quarter, MB", f"{late:.0f}"],
    ]
    growth = Bar("match: memory of the last quarter over the second", late / early, 1.05, at_most=True)
    return Section(table(["games over GTP", "measured"], rows), [no_faults("match", faults), growth], faults)
