"""Ladders: which moves capture a chain by a series of ataris, and which moves escape from one.

A hunter chases a chain, the prey. The hunter gives atari on one of the prey's two liberties. The owner of the prey then
extends on its last liberty, or captures a chain of the hunter that is in atari and touches the prey anywhere. The prey
has escaped when it has three liberties on the hunter's turn. It is captured when no answer is left.
Both sides try all of these moves, and no others: a net is not a ladder.

The number of positions and the depth of reading are bounded. Beyond the bounds the outcome is UNKNOWN, which counts for
neither side.
"""

from typing import NamedTuple

import numpy as np

from go.board import (
    BLACK,
    BOARD,
    EMPTY,
    LEGAL,
    LIBERTY_BITS,
    ORTHOGONAL,
    WHITE,
    count_liberties,
    last_liberty,
    legality,
    play,
)
from go.coordinates import POINTS
from go.jit import kernel
from go.position import Position

ESCAPED, CAPTURED, UNKNOWN, OPEN = range(4)  # outcomes for the prey; OPEN: not known yet
MOST_POSITIONS = 10_000  # read for one move; in real games none takes 1,000, a ladder that fills 19x19 takes 7,000
DEPTH = 400  # moves of one ladder; more than there are points on the board
MOST_ANSWERS = 16  # to one atari: the extension, and captures of hunters
TOO_MANY = -1

LEFT, HITS = range(2)  # counts: positions that may still be read, and ladders that were given up
ANSWERS, TRIED, WANTED, OTHERWISE = range(4)  # of a frame: number of moves, moves tried, outcome wanted, other outcome


class Scratch(NamedTuple):
    """Memory for reading ladders. Each thread needs its own."""

    boards: np.ndarray  # the positions from the first move of a ladder to the current one
    frames: np.ndarray  # the state of the search in each of them
    answers: np.ndarray  # the moves to try there
    counts: np.ndarray


def new_scratch() -> Scratch:
    return Scratch(
        np.zeros(DEPTH, BOARD),
        np.zeros((DEPTH, 4), np.int16),
        np.zeros((DEPTH, MOST_ANSWERS), np.int16),
        np.zeros(2, np.int64),
    )


@kernel
def two_liberties(b, head):
    """Return the two liberties of a chain that has exactly two, the one with more empty points around it first.

    Most ladders work when the hunter plays there, where the prey would have more room.
    """
    first = np.int64(0)
    stone = np.uint64(head)
    while first == 0:
        for step in ORTHOGONAL:
            if b.color[stone + step] == EMPTY:
                first = np.int64(stone + step)
                break
        stone = np.uint64(b.next[stone])
    second = (np.int64(b.libs[head]) & ((1 << LIBERTY_BITS) - 1)) - first
    if _room(b, second) > _room(b, first):
        return second, first
    return first, second


@kernel
def _room(b, point):
    p = np.uint64(point)
    empty = 0
    for step in ORTHOGONAL:
        empty += b.color[p + step] == EMPTY
    return empty


@kernel
def find_answers(b, head, answers):
    """Write the moves that may save a chain in atari: captures of hunters that touch it, then the extension.

    Return how many there are, or TOO_MANY.
    """
    hunter = BLACK + WHITE - b.color[head]
    count = 0
    stone = np.uint64(head)
    while True:
        for step in ORTHOGONAL:
            if b.color[stone + step] == hunter and count_liberties(b, b.chain[stone + step]) == 1:
                capture = last_liberty(b, b.chain[stone + step])
                is_new = True
                for i in range(count):
                    is_new &= answers[i] != capture
                if is_new and count == len(answers) - 1:
                    return TOO_MANY
                if is_new:
                    answers[count] = capture
                    count += 1
        stone = np.uint64(b.next[stone])
        if stone == head:
            break
    extension = last_liberty(b, head)
    for i in range(count):
        if answers[i] == extension:
            return count
    answers[count] = extension
    return count + 1


@kernel
def _open(scratch, depth, prey):
    """Start on a new position. Return its outcome if that is clear, else OPEN, and list the moves to try."""
    b = scratch.boards[depth]
    answers, frame = scratch.answers[depth], scratch.frames[depth]
    head = b.chain[prey]
    frame[TRIED] = 0
    if b.color[prey] == b.to_move:
        frame[ANSWERS], frame[WANTED], frame[OTHERWISE] = find_answers(b, head, answers), ESCAPED, CAPTURED
    else:
        liberties = count_liberties(b, head)
        if liberties >= 3:
            return ESCAPED
        if liberties == 1:
            return CAPTURED if legality(b, last_liberty(b, head), np.int64(b.to_move)) == LEGAL else ESCAPED
        answers[0], answers[1] = two_liberties(b, head)
        frame[ANSWERS], frame[WANTED], frame[OTHERWISE] = 2, CAPTURED, ESCAPED
    if depth + 1 == len(scratch.boards) or frame[ANSWERS] == TOO_MANY:
        return UNKNOWN
    return OPEN


@kernel
def _next_answer(scratch, depth):
    """Return the next legal move to try in a position, 0 if there is none."""
    b, frame = scratch.boards[depth], scratch.frames[depth]
    while frame[TRIED] < frame[ANSWERS]:
        move = np.int64(scratch.answers[depth, frame[TRIED]])
        frame[TRIED] += 1
        if legality(b, move, np.int64(b.to_move)) == LEGAL:
            return move
    return 0


@kernel
def _read(scratch, prey):
    """Return the outcome for the chain of the stone `prey` in the position `boards[0]`, whoever is to move.

    A depth-first search with an explicit stack: numba cannot cache recursive functions on disk.
    """
    boards, frames, counts = scratch.boards, scratch.frames, scratch.counts
    depth = 0
    found = _open(scratch, depth, prey)
    while True:
        while found == OPEN:
            move = _next_answer(scratch, depth)
            if move == 0:
                found = np.int64(frames[depth, OTHERWISE])
            elif counts[LEFT] == 0:
                found = UNKNOWN
            else:
                counts[LEFT] -= 1
                boards[depth + 1] = boards[depth]
                depth += 1
                play(boards[depth], move)
                found = _open(scratch, depth, prey)
        if depth == 0:
            return found
        depth -= 1
        if found != frames[depth, WANTED]:
            if found == UNKNOWN:
                frames[depth, OTHERWISE] = UNKNOWN
            found = OPEN


@kernel
def _outcome(b, scratch, prey, move):
    """Return the outcome for a chain after a legal move of the side to move."""
    scratch.counts[LEFT] = MOST_POSITIONS
    scratch.boards[0] = b
    play(scratch.boards[0], move)
    found = _read(scratch, prey)
    scratch.counts[HITS] += found == UNKNOWN
    return found


@kernel
def mark_ladders(b, scratch, captures, escapes):
    """Mark the points where a move captures in a ladder, and those where a move escapes from one.

    Captures are of chains with two liberties, escapes of chains in atari.
    """
    color = np.int64(b.to_move)
    moves = np.zeros(MOST_ANSWERS, np.int16)
    for p in range(POINTS):
        captures[p] = False
        escapes[p] = False
    for p in range(POINTS):
        if b.chain[p] != p or p == 0:
            continue
        liberties = count_liberties(b, p)
        if (b.color[p] == color) & (liberties == 1):
            tried, wanted, marks = find_answers(b, p, moves), ESCAPED, escapes
        elif (b.color[p] != color) & (liberties == 2):
            moves[0], moves[1] = two_liberties(b, p)
            tried, wanted, marks = 2, CAPTURED, captures
        else:
            continue
        scratch.counts[HITS] += tried == TOO_MANY
        for i in range(tried):
            move = np.int64(moves[i])
            if not marks[move] and legality(b, move, color) == LEGAL:
                marks[move] = _outcome(b, scratch, p, move) == wanted


@kernel
def _mark_ladders(boards, scratch, captures, escapes):
    mark_ladders(boards[0], scratch, captures, escapes)


def _marks(position: Position) -> tuple[set[int], set[int]]:
    captures, escapes = np.zeros(POINTS, np.uint8), np.zeros(POINTS, np.uint8)
    _mark_ladders(position.boards, new_scratch(), captures, escapes)
    return set(np.flatnonzero(captures).tolist()), set(np.flatnonzero(escapes).tolist())


def ladder_captures(position: Position) -> set[int]:
    """Return the moves of the side to move that capture a chain with two liberties in a ladder."""
    return _marks(position)[0]


def ladder_escapes(position: Position) -> set[int]:
    """Return the moves of the side to move that save a chain in atari from a ladder."""
    return _marks(position)[1]
