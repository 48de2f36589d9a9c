"""Uniform random playouts by the reference rules of computer Go (Dailey 2008), and their random numbers.

The rules: play a uniformly random legal move that does not fill an own one-point eye; pass if there is none; simple ko;
no suicide; two passes end the game. Playouts do not check positional superko, because it costs more than it is worth. A
game that repeats in a cycle is therefore cut off after `CUT_OFF * points` moves and scored as it stands. This almost
never happens, except on the smallest boards, where there is no room to live (`docs/engine.md`).
"""

import numpy as np

from go.board import has_room, is_eye, play
from go.coordinates import PASS, POINTS
from go.jit import kernel
from go.score import area_owners

CUT_OFF = 10  # moves per point of the board; a game has about 1.4 on 9x9 and 1.26 on 19x19

GAME = np.dtype(
    [
        ("first", np.int16),  # the first move
        ("moves", np.int16),  # number of moves, passes included
        ("passes", np.int16),
        ("margin", np.int16),  # black's area minus white's
    ]
)

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def next_random(rng):
    """Draw 64 random bits with splitmix64. `rng` holds the state and is made by `new_rng`."""
    rng[0] += GOLDEN
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def random_below(rng, bound):
    """Draw an integer in [0, bound). The bias is at most bound / 2**32, too small for any experiment to detect."""
    return np.int64(((next_random(rng) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


def new_rng(*seeds: int) -> np.ndarray:
    """Make the random state of a stream, named by integers such as a seed and a chunk number.

    Only the first word is used. The others are padding: the states of two threads must not share a cache line, or the
    processors would contend for it at every draw.
    """
    rng = np.zeros(8, np.uint64)
    rng[0] = np.random.SeedSequence((len(seeds), *seeds)).generate_state(1, np.uint64)[0]
    return rng


def random_games(start: np.ndarray, count: int, rng: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Run playouts from a board (an array of one record). Return a `GAME` for each, and `owned` as in `playouts`."""
    games, owned = np.zeros(count, GAME), np.zeros((3, POINTS), np.int64)
    playouts(start, rng, games, owned)
    return games, owned


@kernel
def random_move(b, rng):
    """Draw uniformly among the legal moves of the side to move that fill no own eye; PASS if there is none.

    Rejected candidates are swapped to the end of the list of empty points and not drawn again, so the draw is exact.
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
    """Play the game to its end. Return the first move, the number of moves and the number of passes."""
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
    """Run one playout from a board (an array of one record) for each record of `games` (`GAME`).

    `owned[color, p]` grows by the number of games in which `color` owned `p` at the end.
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
