"""Many games in lockstep: each turn of a policy network is one batched encoding and one batched evaluation.

Every game has a random stream of its own, so its moves depend neither on the other games nor on their number.

Moves are sampled from the softmax of the network's scores over the sensible moves: those that are legal (superko
included) and do not fill an own one-point eye. The policy network has no score for passing. A side passes

- if no sensible move is left, or
- if the opponent has just passed and a second pass wins the game as it stands (`go.player.ends_well`).

So a game ends when both sides have nothing left but eyes. All dead stones have been captured by then, and the
Tromp-Taylor count of the board is the result that the players have really reached. The rule has a price: a side that
runs out of other moves must put its own stones in atari, even where passing would be better, as in a seki.
`forced_ply` and `forced_margin` hold the first such move of each game, so that this can be counted.
"""

from typing import NamedTuple, cast

import numpy as np

from features48.effects import move_effect
from go.board import BLACK, BOARD, LEGAL, WHITE, clear, legality, play, repeated_ply
from go.coordinates import PASS, SYMMETRIES
from go.history import HISTORY, begin_history, note_move
from go.jit import kernel
from go.match import MOVES_A_POINT
from go.playout import new_rng, next_random, random_below
from go.score import area_margin, area_owners
from nets.actions import images_of_actions, points_of
from nets.description import SCORES
from nets.inputs import Inputs
from nets.network import Network
from pipeline.errors import UserError

NO_ACTION = -1  # the side passed
NEVER = -1
INFINITE = "The scores of the policy network are not numbers: its weights are too large; set a smaller learning rate."
LEAST_FORCED = 2  # stones; to give up a single stone is often right


class Turn(NamedTuple):
    """What a network saw and chose in one turn of some games. Boards and actions are turned as it saw them."""

    games: np.ndarray  # int64[games]: the numbers of the games
    plies: np.ndarray  # int64[games]: the moves played before
    planes: np.ndarray  # uint8[games, planes, size, size]
    allowed: np.ndarray  # bool[games, actions]: the moves that it chose from
    actions: np.ndarray  # int64[games]: the moves that it chose, NO_ACTION for a pass


class Lockstep:
    """Games on empty boards that are played side by side. Game i draws its random numbers from `new_rng(*seeds[i])`."""

    def __init__(self, size: int, komi: float, seeds: list[tuple[int, ...]], move_limit: int = 0) -> None:
        count = len(seeds)
        self.size, self.komi = size, komi
        self.limit = move_limit or MOVES_A_POINT * size**2
        self.streams = np.array([new_rng(*words)[:1] for words in seeds], np.uint64).reshape(count, 1)
        self.boards, self.history = np.zeros(count, BOARD), np.zeros(count, HISTORY)
        self.hashes = np.zeros((count, self.limit + 1), np.uint64)  # after each ply, for superko
        self.moves = np.zeros((count, self.limit), np.int16)  # points, or PASS
        self.forced_ply = np.full(count, NEVER, np.int32)
        self.forced_margin = np.zeros(count, np.int32)  # black's area minus white's before that move
        self.scratch = np.zeros(1, BOARD)
        self.sources = np.argsort(images_of_actions(size), axis=1)  # [symmetry, turned action]: the action itself
        self.points = points_of(size)
        _begin(self.boards, self.history, size)

    def restart(self, game: int, seed: tuple[int, ...]) -> None:
        """Begin a game anew on an empty board, with another random stream."""
        self.streams[game] = new_rng(*seed)[:1]
        self.moves[game], self.forced_ply[game], self.forced_margin[game] = PASS, NEVER, 0
        _begin(self.boards[game : game + 1], self.history[game : game + 1], self.size)

    @property
    def lengths(self) -> np.ndarray:
        """The number of moves of each game so far, passes included."""
        return self.boards["ply"]

    @property
    def ended(self) -> np.ndarray:
        """bool[games]: which games have ended by two passes."""
        return self.boards["passes"] >= 2

    @property
    def running(self) -> np.ndarray:
        """bool[games]: which games have neither ended nor reached the move limit."""
        return ~self.ended & (self.lengths < self.limit)

    def margins(self) -> np.ndarray:
        """Return black's area minus white's and komi on each board: above 0 if black has won."""
        return np.array([area_margin(board) for board in self.boards], float) - self.komi

    def owners(self) -> np.ndarray:
        """Return the colour that owns each point, as uint8[games, actions]."""
        owners = np.zeros((len(self.boards), self.boards["color"].shape[1]), np.uint8)
        for row, board in zip(owners, self.boards, strict=True):
            area_owners(board, row)
        return owners[:, self.points]

    def take_turn(self, games: np.ndarray, network: Network, temperature: float = 1.0) -> Turn:
        """Let a network make one move in each of some games. Each position is shown to it in a random symmetry."""
        symmetries = np.empty(len(games), np.int64)
        _draw_below(self.streams, games, SYMMETRIES, symmetries)
        inputs = cast(Inputs, network.inputs)  # a policy network's
        planes, allowed = inputs.split(inputs.encoder.boards(self.boards[games], self.history[games], symmetries))
        scores = network.compute(planes)[SCORES]
        if not np.isfinite(scores).all():  # else the side would pass
            raise UserError(INFINITE)
        plies, actions = self.lengths[games], np.empty(len(games), np.int64)
        self._play(games, scores / np.float32(temperature), allowed, symmetries, actions)
        return Turn(games, plies, planes, allowed, actions)

    def draw_below(self, bound: int) -> np.ndarray:
        """Draw a number below `bound` for each game from its own stream."""
        drawn = np.empty(len(self.streams), np.int64)
        _draw_below(self.streams, np.arange(len(drawn)), bound, drawn)
        return drawn

    def play_uniformly(self, games: np.ndarray) -> None:
        """Play a uniformly random legal move in each of some games, own eyes included; pass if there is none."""
        _play_uniformly(self.boards, self.history, self.hashes, self.streams, self.moves, games, self.points)

    def _play(
        self, games: np.ndarray, scores: np.ndarray, allowed: np.ndarray, symmetries: np.ndarray, actions: np.ndarray
    ) -> None:
        _take_turn(
            *(self.boards, self.history, self.hashes, self.streams, self.moves),
            *(games, scores, allowed, symmetries, actions),
            *(self.sources, self.points, self.komi, self.scratch, self.forced_ply, self.forced_margin),
        )


@kernel
def _begin(boards, history, size):
    for i in range(len(boards)):
        clear(boards[i], size, size)
        begin_history(history[i], boards[i])


@kernel
def _draw_below(streams, games, bound, drawn):
    for i in range(len(games)):
        drawn[i] = random_below(streams[games[i]], bound)


@kernel
def draw_action(scores, allowed, rng):
    """Sample an action from the softmax of the scores over the allowed moves; NO_ACTION if there is none."""
    highest = -np.inf
    for a in range(len(scores)):
        if allowed[a] and scores[a] > highest:
            highest = np.float64(scores[a])
    if highest == -np.inf:
        return NO_ACTION
    total = 0.0
    for a in range(len(scores)):
        if allowed[a]:
            total += np.exp(np.float64(scores[a]) - highest)
    left = np.float64(next_random(rng) >> np.uint64(11)) * (1.0 / (1 << 53)) * total
    last = NO_ACTION
    for a in range(len(scores)):
        if allowed[a]:
            last = a
            left -= np.exp(np.float64(scores[a]) - highest)
            if left < 0:
                break
    return last


@kernel
def _wins_by_passing(b, komi):
    """Return whether the opponent has just passed and a second pass wins the game."""
    if b.passes == 0:
        return False
    margin = area_margin(b) - komi
    return margin > 0 if b.to_move == BLACK else margin < 0


@kernel
def _is_forced(b, scratch, allowed, turn, points, move):
    """Return whether all allowed moves are self-atari, and `move` puts several stones in atari."""
    _, stones, liberties = move_effect(b, scratch, move)
    is_forced = (liberties == 1) & (stones >= LEAST_FORCED)
    a = 0
    while is_forced and a < len(allowed):
        if allowed[a]:
            _, _, liberties = move_effect(b, scratch, points[turn[a]])
            is_forced = liberties == 1
        a += 1
    return is_forced


@kernel
def _advance(b, past, hashes, moves, move):
    """Play a legal move, or PASS, and note it."""
    moves[b.ply] = move
    play(b, move)
    note_move(past, b, move)
    hashes[b.ply] = b.hash


@kernel
def _strike_off_repetitions(b, hashes, allowed, turn, points):
    """Strike off the moves that would repeat an earlier position of the game."""
    if b.captured[BLACK] + b.captured[WHITE] == 0:  # without a capture, stones only become more
        return
    color = np.int64(b.to_move)
    for a in range(len(allowed)):
        if allowed[a] and repeated_ply(b, points[turn[a]], color, hashes, b.ply + 1) >= 0:
            allowed[a] = False


@kernel
def _take_turn(
    boards,
    history,
    hashes,
    streams,
    moves,
    games,
    scores,
    allowed,
    symmetries,
    actions,
    sources,
    points,
    komi,
    scratch,
    forced_ply,
    forced_margin,
):
    """Sample and play a move in each of some games, and strike off moves against superko from `allowed`.

    All of them, drawn or not: the policy that learns is the softmax over the moves that could really be played.
    """
    for i in range(len(games)):
        g = games[i]
        b, turn = boards[g], sources[symmetries[i]]
        move, actions[i] = PASS, NO_ACTION
        if not _wins_by_passing(b, komi):
            _strike_off_repetitions(b, hashes[g], allowed[i], turn, points)
            actions[i] = draw_action(scores[i], allowed[i], streams[g])
            if actions[i] != NO_ACTION:
                move = points[turn[actions[i]]]
        if move != PASS and forced_ply[g] == NEVER and _is_forced(b, scratch, allowed[i], turn, points, move):
            forced_ply[g], forced_margin[g] = b.ply, area_margin(b)
        _advance(b, history[g], hashes[g], moves[g], move)


@kernel
def _play_uniformly(boards, history, hashes, streams, moves, games, points):
    for i in range(len(games)):
        g = games[i]
        b = boards[g]
        move, tried = PASS, 0
        order = points.copy()
        while tried < len(order):
            k = tried + random_below(streams[g], len(order) - tried)
            point = order[k]
            order[k] = order[tried]
            tried += 1
            color = np.int64(b.to_move)
            if legality(b, point, color) == LEGAL and repeated_ply(b, point, color, hashes[g], b.ply + 1) < 0:
                move = point
                break
        _advance(b, history[g], hashes[g], moves[g], move)
