"""Ladders: which moves capture a chain by ataris without end, and which moves get a chain out of them.

A hunter chases a chain, the prey. On his turn he gives atari on one of the prey's two liberties; the prey's owner then
extends on its last liberty, or captures a chain of the hunter's that is in atari and touches the prey anywhere. The
prey has escaped when the hunter meets three liberties, and is captured when no answer is left. Both sides try all of
these moves, and no others: a net is not a ladder.

Reading is bounded by the number of positions and by its depth. Beyond that the outcome is UNKNOWN, which counts for
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

ESCAPED, CAPTURED, UNKNOWN, OPEN = range(4)  # what becomes of the prey; OPEN: to be seen
MOST_POSITIONS = 1000  # read for one move; a ladder right across 19x19 takes about 150
DEPTH = 400  # moves of a ladder; even one that turns at every edge has fewer
MOST_ANSWERS = 16  # to one atari: the extension, and captures of hunters
TOO_MANY = -1

LEFT, HITS = range(2)  # counts: positions that may still be read, and how often that was not enough
ANSWERS, TRIED, WANTED, OTHERWISE = range(4)  # of a frame: moves there are, moves tried, what to hope for, or else


class Scratch(NamedTuple):
    """Memory for reading ladders; every thread needs its own."""

    boards: np.ndarray  # the positions from the first move of a ladder to the one that is being read
    frames: np.ndarray  # how far each of them has been read
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
    """Return the two liberties of a chain that has just two, first the one with more empty points around it.

    A ladder mostly works when the hunter plays there, where the prey would have more room.
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
    """Look at a new position: return what becomes of the prey if that is clear, else OPEN, with the moves to try."""
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
    """Return what becomes of the prey, a stone of a chain, in the position `boards[0]`; either side may be to move.

    A search in depth with a stack of its own: numba cannot keep recursive functions on disk.
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
    """Return what becomes of a chain after a legal move of the side to move."""
    scratch.counts[LEFT] = MOST_POSITIONS
    scratch.boards[0] = b
    play(scratch.boards[0], move)
    found = _read(scratch, prey)
    scratch.counts[HITS] += found == UNKNOWN
    return found


@kernel
def mark_ladders(b, scratch, captures, escapes):
    """Mark by point the moves of the side to move that capture in a ladder, and those that escape from one.

    Captures are of chains with two liberties, escapes are of chains in atari.
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
    """Return the moves of the side to move that bring a chain in atari out of a ladder."""
    return _marks(position)[1]
