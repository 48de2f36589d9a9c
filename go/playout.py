"""Uniform random playouts by the reference rules of computer Go (Dailey 2008), and the random numbers for them.

The rules: a uniformly random legal move that does not fill an own one-point eye; simple ko; no suicide; a pass if
there is none; the game ends with two passes. Positional superko is left out here, as everywhere in playouts: it costs
more than it is worth. So a game that goes round in a cycle is cut off after `CUT_OFF * points` moves and scored as it
stands, which is as good as never but on the smallest boards, where there is no room to live (`docs/engine.md`).
"""

import numpy as np

from go.board import has_room, is_eye, play
from go.coordinates import PASS, POINTS
from go.jit import kernel
from go.score import area_owners

CUT_OFF = 10  # moves per point of the board; a game takes about 1.4 on 9x9 and 1.26 on 19x19

GAME = np.dtype(
    [
        ("first", np.int16),  # the first move
        ("moves", np.int16),  # how many, passes included
        ("passes", np.int16),
        ("margin", np.int16),  # black's area minus white's
    ]
)

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def next_random(rng):
    """Draw 64 random bits by splitmix64; `rng` is made by `new_rng` and holds the state."""
    rng[0] += GOLDEN
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def random_below(rng, bound):
    """Draw an integer in [0, bound); the bias, at most bound / 2**32, is far below what any experiment can see."""
    return np.int64(((next_random(rng) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


def new_rng(*seeds: int) -> np.ndarray:
    """Make the random state of a stream that is named by some integers, such as a seed and a chunk number.

    Only the first word is used. The others keep the states of two threads out of one cache line, over which the
    processors would fight at every draw.
    """
    rng = np.zeros(8, np.uint64)
    rng[0] = np.random.SeedSequence((len(seeds), *seeds)).generate_state(1, np.uint64)[0]
    return rng


def random_games(start: np.ndarray, count: int, rng: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Run playouts from a board (an array of one record); return a `GAME` for each, and `owned` as in `playouts`."""
    games, owned = np.zeros(count, GAME), np.zeros((3, POINTS), np.int64)
    playouts(start, rng, games, owned)
    return games, owned


@kernel
def random_move(b, rng):
    """Draw uniformly among the legal moves of the side to move that fill no own eye; PASS if there is none.

    Refused candidates are swapped to the end of the list of empty points and not drawn again, so the draw is exact.
    """
    color = np.int64(b.to_move)
    candidates = np.int64(b.n_empty)
    while candidates > 0:
        i = random_below(rng, candidates)
        p = np.int64(b.empties[i])
        if (p != b.ko) and (not is_eye(b, p, color)) and has_room(b, p, color):
            return p
        candidates -= 1
        last = b.empties[candidates]
        b.empties[candidates] = p
        b.where[p] = candidates
        b.empties[i] = last
        b.where[last] = i
    return PASS


@kernel
def playout(b, rng):
    """Play the game to its end; return the first move, the number of moves, and how many of them were passes."""
    first = PASS
    moves = 0
    passes = 0
    limit = CUT_OFF * b.rows * b.columns
    while (b.passes < 2) & (moves < limit):
        move = random_move(b, rng)
        play(b, move)
        if moves == 0:
            first = move
        moves += 1
        passes += move == PASS
    return first, moves, passes


@kernel
def playouts(start, rng, games, owned):
    """Run playouts from a board (an array of one record), one for each record of `games` (`GAME`).

    `owned[color, p]` grows by the number of games at whose end a colour owned a point.
    """
    work = np.empty_like(start)
    b = work[0]
    owners = np.zeros(POINTS, np.uint8)
    for i in range(len(games)):
        work[0] = start[0]
        games[i].first, games[i].moves, games[i].passes = playout(b, rng)
        games[i].margin = area_owners(b, owners)
        for p in range(POINTS):
            owned[owners[p], p] += 1
