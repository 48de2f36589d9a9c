"""The fields of the Candidate Generation System, slowly and obviously, from a board drawn as text."""

import math
from itertools import product

from classics.settings import LINE_WEIGHTS

STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0))
EMPTY = "."


def board_of(position):
    """Return the stones by (row, column)."""
    colors = position.colors
    return {(r, c): ".XO"[colors[r, c]] for r, c in product(range(len(colors)), repeat=2)}


def near(board, place):
    return [(place[0] + i, place[1] + j) for i, j in STEPS if (place[0] + i, place[1] + j) in board]


def region(board, start, belongs):
    found, todo = {start}, [start]
    while todo:
        for other in near(board, todo.pop()):
            if other not in found and belongs(board[other]):
                found.add(other)
                todo.append(other)
    return frozenset(found)


def blocks(board):
    return {
        region(board, place, lambda stone, own=stone: stone == own) for place, stone in board.items() if stone != EMPTY
    }


def liberties(board, block):
    return {other for place in block for other in near(board, place) if board[other] == EMPTY}


def color_of(board, block):
    return board[next(iter(block))]


def linked(board, one, other, needed):
    """Tell if stones of two blocks at a distance of 2 have enough common empty neighbours."""
    if color_of(board, one) != color_of(board, other):
        return False
    return any(
        sum(board[place] == EMPTY for place in set(near(board, e)) & set(near(board, f))) >= needed
        for e, f in product(one, other)
        if abs(e[0] - f[0]) + abs(e[1] - f[1]) == 2
    )


def groups(board, needed):
    found = [{block} for block in blocks(board)]
    joined = True
    while joined:
        joined = False
        for one, other in product(found, found):
            if one is not other and any(linked(board, a, b, needed) for a, b in product(one, other)):
                found.remove(other)
                one |= other
                joined = True
                break
    return found


def is_eye(board, place, color):
    if board[place] != EMPTY or any(board[other] != color for other in near(board, place)):
        return False
    corners = [(place[0] + i, place[1] + j) for i, j in product((-1, 1), repeat=2)]
    inside = [corner for corner in corners if corner in board]
    return sum(board[corner] not in (EMPTY, color) for corner in inside) + (len(inside) < 4) < 2


def alive(board, color):
    """Return the blocks of a colour with two eye spaces, all of whose points touch the block (Benson, strictly)."""
    own = {block for block in blocks(board) if color_of(board, block) == color}
    all_own = set(own)
    spaces = {region(board, place, lambda stone: stone != color) for place in board if board[place] != color}
    while True:
        around = {s: {b for b in all_own if any(set(near(board, p)) & b for p in s)} for s in spaces}
        spaces = {s for s in spaces if around[s] <= own}
        eyes = {b: sum(all(set(near(board, p)) & b for p in s) for s in spaces) for b in own}
        kept = {b for b in own if eyes[b] >= 2}
        if kept == own:
            return own
        own = kept


def safeties(board, settings):
    needed = {"two": 2, "one": 1}[settings.links]
    living = alive(board, "X") | alive(board, "O") if settings.safety == "full" else set()
    found = {}
    for group in groups(board, needed):
        shared = set().union(*(liberties(board, block) for block in group))
        color = color_of(board, next(iter(group)))
        stones = set().union(*group)
        eyes = sum(is_eye(board, p, color) and bool(set(near(board, p)) & stones) for p in board if board[p] == EMPTY)
        for block in group:
            own = len(liberties(board, block))
            value = (own - 1) / (settings.full_liberties - 1)
            if settings.safety == "full":
                value += 0.5 * (len(shared) - own) / (settings.full_liberties - 1) + 0.25 * eyes
            value = min(max(value, 0), 0.9)
            found[block] = 1.0 if settings.safety == "none" or block in living else value
    return found


def weight(place, size, settings):
    if settings.weights == "none":
        return 1.0
    lines = [min(x, size - 1 - x, len(LINE_WEIGHTS) - 1) for x in place]
    return LINE_WEIGHTS[lines[0]] * LINE_WEIGHTS[lines[1]]


def influence(board, settings):
    """Return IP by (row, column)."""
    size = math.isqrt(len(board))
    ip = dict.fromkeys(board, 0.0)
    for block, safety in safeties(board, settings).items():
        color = color_of(board, block)
        for stone in block:
            distances, todo = {stone: 0}, [stone]
            for place in todo:  # grows while it is read
                stopped = settings.blocked and board[place] not in (EMPTY, color)
                if distances[place] < settings.reach and not stopped:
                    for other in near(board, place):
                        if other not in distances:
                            distances[other] = distances[place] + 1
                            todo.append(other)
            for place, distance in distances.items():
                amount = weight(stone, size, settings) * safety * settings.decay**distance
                ip[place] += amount if color == "X" else -amount
    return ip


def probability(ip, settings):
    return {place: 0.5 + 0.5 * math.tanh(value / settings.tau) for place, value in ip.items()}
