"""One game of the arena, as a function of plain data: terms, players and an opening in, the game and its result out.

A game is named by its slot: who is black, who is white, and the number of the opening. The slot and the terms determine
its opening and the seeds of both players, so a game can be played in any process, at any time.
"""

import dataclasses
import json
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from arena.players import PlayerSettings, new_player, rehearse, searches
from data.fields import NO_WINNER, read_result
from data.openings import draw_opening, longest_opening
from go.abilities import Closing, Renewable
from go.board import BLACK, WHITE
from go.match import Ending, play_game
from go.player import Decision, Player
from go.position import Position
from go.settings import BoardSettings
from nets.find import find_weights
from pipeline.errors import UserError
from pipeline.settings import seed_setting, setting
from rollout.judge import judge_dead
from rollout.model import Model
from rollout.playout import PlayoutPolicy, new_policy

JUDGES = ("rollouts", "agreed", "area")  # who tells which stones are dead
MOST_KEPT = 4  # players that a process keeps for its next games; a search can hold hundreds of megabytes


@dataclasses.dataclass
class GameTerms:
    """The settings that determine a game, besides its players."""

    board: BoardSettings = setting(BoardSettings, "the board")
    opening: int = setting(4, "random moves at the start; each opening is played twice, with colours swapped", least=0)
    score: str = setting(
        "rollouts", "who tells dead stones: rollouts, both players if they agree, or nobody (area)", choices=JUDGES
    )
    move_limit: int = setting(0, "moves after which a game is a draw; 0 for 4 per point of the board", least=0)
    seed: int = seed_setting()

    def check(self) -> None:
        """Raise `UserError` if the opening is too long."""
        longest, size = longest_opening(self.board.size), self.board.size
        if self.opening > longest:
            raise UserError(f"opening={self.opening} is not between 0 and {longest}, the longest on {size}x{size}.")
        if 0 < self.move_limit <= self.opening:
            raise UserError(f"move_limit={self.move_limit} leaves no move after an opening of {self.opening}.")


class Slot(NamedTuple):
    """A game to play: two names of players, and the number of an opening, from 1."""

    black: str
    white: str
    opening: int

    @property
    def pair(self) -> tuple[frozenset[str], int]:
        """What both games of an opening have in common: the players and the opening."""
        return frozenset((self.black, self.white)), self.opening

    def seed(self, seed: int) -> int:
        words = (seed, self.opening, zlib.crc32(self.black.encode()), zlib.crc32(self.white.encode()))
        return int(np.random.SeedSequence(words).generate_state(1)[0] >> 1)


class Thought(NamedTuple):
    """What a player spent on a game: its decisions, the seconds for all of them, and for the slowest."""

    decisions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def plus(self, seconds: float) -> "Thought":
        return Thought(self.decisions + 1, self.seconds + seconds, max(self.slowest, seconds))

    def with_game(self, other: "Thought") -> "Thought":
        seconds = self.seconds + other.seconds
        return Thought(self.decisions + other.decisions, seconds, max(self.slowest, other.slowest))


class Played(NamedTuple):
    """A finished game. `failed` names the player that crashed, hung or played an illegal move; empty if none did."""

    slot: Slot
    result: str  # as SGF writes it
    how: str
    why: str
    failed: str
    moves: int  # with those of the opening
    thoughts: tuple[Thought, Thought]  # black's, white's

    @property
    def score(self) -> float:
        """Black's score: 1, 0, or 0.5 for a draw and for a game that was stopped."""
        winner = read_result(self.result)[0]
        return {BLACK: 1.0, WHITE: 0.0}.get(winner, 0.5)

    @property
    def is_stopped(self) -> bool:
        return read_result(self.result)[0] == NO_WINNER

    def score_of(self, name: str) -> float:
        return self.score if name == self.slot.black else 1.0 - self.score

    def thought_of(self, name: str) -> Thought:
        return self.thoughts[name != self.slot.black]


class Record(NamedTuple):
    """A game as it was played: the final position, and what the players said about their moves, by move number."""

    played: Played
    position: Position
    comments: dict[int, str]


class RolloutJudge:
    """Tells dead stones by the rollouts of the policy that comes with Prezero: the same for all players."""

    name = "rollouts"

    def __init__(self, size: int) -> None:
        self.policy: PlayoutPolicy = new_policy(Model.load(find_weights("rollout", size)))

    def dead_stones(self, position: Position) -> set[int]:
        return judge_dead(position, self.policy)


class Seats:
    """The players of a process. They are kept for its next games, because loading them takes time.

    That makes no difference to the games: a player that cannot forget the last one is made anew.
    """

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}  # players that can begin another game
        self.rehearsed: set[str] = set()
        self.rollout_judges: dict[int, RolloutJudge] = {}

    def take(self, settings: PlayerSettings, size: int, seed: int) -> Player:
        """Return a player for a game. Call `put_back` after the game."""
        key = _key(settings)
        if searches(settings) and settings.seconds and key not in self.rehearsed:
            rehearse(settings, size)  # no kernel is loaded while a clock runs
            self.rehearsed.add(key)
        player = self.kept.pop(key, None)
        if player is None:
            return new_player(dataclasses.replace(settings, seed=seed))
        player.begin_game(seed)
        return player

    def put_back(self, settings: PlayerSettings, player: Player, has_failed: bool) -> None:
        """Keep a player for later, unless it has failed or cannot begin another game."""
        if isinstance(player, Renewable) and not has_failed:
            self.kept[_key(settings)] = player
        elif isinstance(player, Closing):
            player.close()
        while len(self.kept) > MOST_KEPT:
            self._drop(next(iter(self.kept)))

    def judges(self, terms: GameTerms, seated: Mapping[int, Player]) -> list[Any]:
        """Return who tells the dead stones at the end of a game."""
        size = terms.board.size
        if terms.score != "rollouts":
            return list(seated.values()) if terms.score == "agreed" else []
        if size not in self.rollout_judges:
            self.rollout_judges[size] = RolloutJudge(size)
        return [self.rollout_judges[size]]

    def close(self) -> None:
        for key in list(self.kept):
            self._drop(key)

    def _drop(self, key: str) -> None:
        player = self.kept.pop(key)
        if isinstance(player, Closing):
            player.close()


def _key(settings: PlayerSettings) -> str:
    return json.dumps(dataclasses.asdict(settings), sort_keys=True)


def play(terms: GameTerms, slot: Slot, players: Mapping[str, PlayerSettings], seats: Seats | None = None) -> Record:
    """Play a game. Whoever crashes, hangs or plays an illegal move loses it."""
    own = seats or Seats()
    size, seed = terms.board.size, slot.seed(terms.seed)
    position = Position(size, terms.board.komi)
    for move in draw_opening(size, terms.opening, terms.seed, slot.opening):
        position.play(move)
    names = {BLACK: slot.black, WHITE: slot.white}
    seated: dict[int, Player] = {
        color: own.take(players[name], size, seed + (color == WHITE)) for color, name in names.items()
    }
    thoughts, comments = {BLACK: Thought(), WHITE: Thought()}, {}

    def note(before: Position, decision: Decision, seconds: float) -> None:
        thoughts[before.to_move] = thoughts[before.to_move].plus(seconds)
        comments[len(before.history)] = comment_on(decision, seconds)

    failed: int | None = None
    try:
        judges = own.judges(terms, seated)
        ending = play_game(seated, position, move_limit=terms.move_limit, judges=judges, on_decision=note)
        failed = ending.loser
    finally:
        for color, name in names.items():
            own.put_back(players[name], seated[color], color == failed)
        if seats is None:
            own.close()
    return Record(_played(slot, position, ending, names, thoughts), position, comments)


def _played(
    slot: Slot, position: Position, ending: Ending, names: dict[int, str], thoughts: dict[int, Thought]
) -> Played:
    failed = names[ending.loser] if ending.loser is not None else ""
    return Played(
        slot,
        ending.result,
        ending.how,
        " ".join(ending.why.split()),
        failed,
        len(position.history),
        (thoughts[BLACK], thoughts[WHITE]),
    )


def comment_on(decision: Decision, seconds: float) -> str:
    """Return what a player says about its move, as a comment for a game record."""
    rate = [] if decision.win_rate is None else [f"win rate: {100 * decision.win_rate:.1f}%"]
    return "\n".join([*rate, f"seconds: {seconds:.3f}", f"why: {decision.why}"])


def result_key(terms: GameTerms) -> dict[str, Any]:
    """Return what the games of an arena depend on besides their players, as JSON has it."""
    found = {field.name: getattr(terms, field.name) for field in dataclasses.fields(GameTerms)}
    return json.loads(json.dumps(found | {"board": dataclasses.asdict(terms.board)}))
