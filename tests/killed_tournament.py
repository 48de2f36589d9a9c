"""Play a tournament that is killed at random moments.

`python killed_tournament.py COMMAND FOLDER KILLS SEED SETTING=VALUE`: the command that plays, and its folder of games.

The process imports everything once and then forks for each attempt, because a new start of Python takes seconds. It
has one thread, so forking is safe. After each kill it writes a line of JSON: the games that are there, by file, with a
checksum, and whether the tournament claims to be done. After the last kill, an attempt may finish.
"""

import json
import os
import random
import signal
import sys
import time
import zlib
from pathlib import Path

from pipeline.catalogue import load

MOST_NEW = 6  # games until the next kill
GAMES = "games/*.sgf"


def games_of(folder: Path) -> dict[str, int]:
    return {path.name: zlib.crc32(path.read_bytes()) for path in folder.glob(GAMES)}


def attempt(command: str, arguments: list[str]) -> int:
    """Begin to play in a process of its own."""
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(1, 2)
        sys.argv[1:] = arguments
        try:
            load(command)(arguments)
        finally:
            os._exit(0)
    return pid


def main() -> None:
    command, folder, kills, rng = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), random.Random(int(sys.argv[4]))
    arguments = sys.argv[5:]
    load(command)  # imports everything once
    for _ in range(kills):
        pid = attempt(command, arguments)
        target = len(games_of(folder)) + rng.randrange(MOST_NEW)
        while len(list(folder.glob(GAMES))) < target and os.waitpid(pid, os.WNOHANG) == (0, 0):
            time.sleep(0.003)
        time.sleep(rng.random() * 0.02)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        is_done = (folder / "manifest.json").exists()
        print(json.dumps({"games": games_of(folder), "done": is_done}), flush=True)
    os.waitpid(attempt(command, arguments), 0)
    print(json.dumps({"games": games_of(folder), "done": (folder / "manifest.json").exists()}))


if __name__ == "__main__":
    main()
