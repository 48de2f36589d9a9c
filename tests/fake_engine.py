"""A GTP engine that misbehaves as it is told to: `python fake_engine.py MODE [--after N] [--log FILE] ...`.

Up to its own move number `--after` it plays soundly: the first point in board order that was never played on and has
such a neighbour, so every move is legal. It knows nothing of captures. Then MODE says what it does when it is asked for
a move. `--moves` are played before all that, `--score` is its answer to `final_score`. With `--log` it notes each of
its processes in a file.
"""

import argparse
import os
import subprocess
import sys
import time

COLUMNS = "ABCDEFGHJKLMNOPQRST"
FOREVER = 10_000


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


class FakeEngine:
    def __init__(self, mode: str, after: int, moves: str, score: str) -> None:
        self.mode, self.after, self.moves, self.score = mode, after, moves.split(",") if moves else [], score
        self.size, self.own_moves, self.used, self.last = 19, 0, set(), "pass"

    def answer(self, command: str, arguments: list[str]) -> str | None:
        """Return the text of an answer; None for an unknown command."""
        if command == "boardsize":
            self.size = int(arguments[0])
        elif command == "clear_board":
            self.used, self.own_moves = set(), 0
        elif command == "play":
            self.last = arguments[1].upper()
            self.used.add(self.last)
        elif command == "genmove":
            self.own_moves += 1
            if self.own_moves <= len(self.moves):
                return self.moves[self.own_moves - 1]
            if self.own_moves > self.after:
                return self.misbehave()
            return self.sound_move()
        elif command == "final_score" and self.mode == "crash-at-score":
            sys.exit(9)
        elif command == "final_score" and self.score:
            return self.score
        elif command == "name":
            return f"Fake {self.mode}"
        elif command == "lines":
            return "one\n  two # not a comment\nthree"
        elif command == "known_command":
            return "false"
        elif command not in ("komi", "quit"):
            return None
        return ""

    def sound_move(self) -> str:
        for row in range(1, self.size + 1):
            for column in range(self.size):
                steps = ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0))
                points = [(row + up, column + right) for up, right in steps]
                names = [f"{COLUMNS[c]}{r}" for r, c in points if 1 <= r <= self.size and 0 <= c < self.size]
                if names[0] not in self.used and not set(names[1:]) <= self.used:
                    self.used.add(names[0])
                    return names[0]
        return "pass"

    def misbehave(self) -> str:
        if self.mode == "hang":
            time.sleep(FOREVER)
        if self.mode == "half":
            write("= D")
            time.sleep(FOREVER)
        if self.mode == "crash":
            sys.stderr.write("out of\tluck\n\n")
            sys.exit(7)
        while self.mode == "flood":
            write("x" * 10_000)
        while self.mode == "flood-lines":
            write("=\nx\n" * 10_000)
        if self.mode == "stderr":
            sys.stderr.write("noise " * 200_000)
        if self.mode == "slow":
            time.sleep(0.05)
        wrong = {"occupied": self.last, "off-board": "Z99", "nonsense": "banana", "resign": "Resign"}
        wrong |= {"pass": "PASS", "crash-at-score": "pass"}
        return wrong.get(self.mode) or self.sound_move()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mode")
    parser.add_argument("--after", type=int, default=0)
    parser.add_argument("--moves", default="")
    parser.add_argument("--score", default="")
    parser.add_argument("--log", default="")
    options = parser.parse_args()
    engine = FakeEngine(options.mode, options.after, options.moves, options.score)
    children = [subprocess.Popen(["sleep", str(FOREVER)])] if options.mode in ("stubborn", "child") else []
    if options.log:
        with open(options.log, "a") as log:  # noqa: PTH123, so that this script needs no import that takes time
            log.write("".join(f"{pid}\n" for pid in (os.getpid(), *(child.pid for child in children))))
    if options.mode == "crash-at-start":
        sys.exit("no weights found")
    if options.mode == "deaf":
        time.sleep(FOREVER)
    if options.mode == "odd":
        write("Welcome!\r\n\r\n# thinking\r\n")
    for line in sys.stdin:
        number, command, *arguments = line.split()
        text = engine.answer(command, arguments)
        if options.mode == "stubborn" and command == "quit":
            time.sleep(FOREVER)
        if options.mode == "refuse" and command == "play" and engine.own_moves:
            text = None
        if options.mode == "odd":
            write(f"=99999 late\r\n\r\ndebug\r\n={number}\t{(text or '').lower()}\x07\r\n\r\n")
        elif options.mode == "no-ids":
            write(f"= {text}\n\n" if text is not None else "? unknown command\n\n")
        else:
            write(f"={number} {text}\n\n" if text is not None else f"?{number} illegal or unknown\n\n")
        if command == "quit":
            break


if __name__ == "__main__":
    main()
