"""The game store: many games in a few flat, memory-mapped files.

| file         | contents                                                        |
|--------------|-----------------------------------------------------------------|
| `games.npy`  | one `GAME` record for each game, which points into the others   |
| `moves.npy`  | int16, the moves of all games, concatenated (`data.replay`)     |
| `setup.npy`  | int16 rows of ply, colour and point (`data.replay`)             |
| `texts.npy`  | bytes: the source of a game, the players' names, the date       |
| `store.json` | format, board size, counts and fingerprint                      |

Games are stored, not planes. A position is (game, ply, symmetry); a kernel replays the game up to it in microseconds.
"""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from data.record import ILLEGAL, TORN, Record
from data.replay import decode_move, replay
from go.board import BLACK, BOARD, EMPTY, WHITE, set_turn
from go.coordinates import SYMMETRIES, symmetry_table
from go.jit import kernel
from go.position import Position
from pipeline.artefact import check_seal, read_json, stage_path
from pipeline.catalogue import call
from pipeline.errors import UserError
from pipeline.stage import Input

STAGE = "data.prepare"
FORMAT = 2  # 2: `store.json` has a checksum
ANEW = "remove the folder, and make it anew with data.prepare"
GAME = np.dtype(
    [
        ("key", np.uint64),  # `identity.game_keys`
        ("opening", np.uint64),
        ("first_move", np.int64),
        ("first_setup", np.int64),
        ("first_text", np.int64),
        ("n_moves", np.int32),
        ("n_setup", np.int32),
        ("n_text", np.int32),
        ("komi", np.float32),  # NaN if unknown
        ("margin", np.float32),
        ("ranks", np.int16, 2),  # black's and white's, as in `data.fields`
        ("year", np.int16),  # 0 if unknown
        ("handicap", np.int16),
        ("size", np.uint8),
        ("winner", np.int8),
        ("ending", np.uint8),
        ("flaw", np.uint8),  # index in FLAWS
        ("learn", np.uint8),  # whose moves to learn from: BLACK, WHITE or their sum
        ("split", np.uint8),  # `identity.SPLITS`
    ]
)
FLAWS = ("", ILLEGAL, TORN)
FILES = {"games": GAME, "moves": np.dtype(np.int16), "setup": np.dtype(np.int16), "texts": np.dtype(np.uint8)}


def fingerprint(folder: Path) -> str:
    """Return a hash of the contents of a store. The same games in the same order have the same fingerprint."""
    digest = hashlib.sha256()
    for name in FILES:
        with (folder / f"{name}.npy").open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:32]


@kernel
def _replay_batch(boards, empty, games, moves, setup, which, plies, symmetries, table):
    for i in range(len(which)):
        game = games[which[i]]
        boards[i] = empty[0]  # takes 20% less time than clearing each board
        replay(
            boards[i],
            moves[game.first_move : game.first_move + game.n_moves],
            setup[game.first_setup : game.first_setup + game.n_setup],
            plies[i],
            table[symmetries[i]],
        )


class GameStore:
    """A store that is open for reading. Its files are memory-mapped and shared between processes.

    The fingerprint is checked once, when the store is opened, before any file is interpreted. This takes about 0.02 s
    of CPU time for 40 MB (75,000 games). Later changes to the files are not detected.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = _read_about(folder)
        self.size: int = self.about["size"]
        try:
            is_sound = self.about["fingerprint"] == fingerprint(folder)
        except OSError as error:
            raise UserError(f"The game store in {folder} is damaged ({error}); {ANEW}.") from error
        if not is_sound:
            raise UserError(f"The game store in {folder} is damaged (its files have changed); {ANEW}.")
        self.games, self.moves, setup, self.texts = (
            np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray) for name in FILES
        )
        self.setup = setup.reshape(-1, 3)
        self.empty = Position(self.size).boards  # every replay starts with a copy

    def __len__(self) -> int:
        return len(self.games)

    def as_input(self) -> Input:
        """Return the entry for the store in the manifest of a stage that reads it."""
        return Input(STAGE, str(self.folder), self.about["fingerprint"])

    def checked(self, *positions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return games, plies and symmetries as arrays for the kernels. Raise an error if any is not in the store."""
        games, plies, symmetries = (np.asarray(part, np.int64) for part in positions)
        if not games.shape == plies.shape == symmetries.shape == (len(games),):
            raise ValueError("games, plies and symmetries are not lists of one length")
        bounds = ((games, len(self)), (symmetries, SYMMETRIES))
        if any(((part < 0) | (part >= bound)).any() for part, bound in bounds):
            raise UserError(f"The store in {self.folder} has no such game or symmetry.")
        if ((plies < 0) | (plies > self.games["n_moves"][games])).any():
            raise UserError("A game has no such ply.")
        return games, plies, symmetries

    def boards(self, games: np.ndarray, plies: np.ndarray, symmetries: np.ndarray) -> np.ndarray:
        """Return the boards before move `ply` of each game, with a symmetry applied and the side to move set."""
        games, plies, symmetries = self.checked(games, plies, symmetries)
        boards, table = np.empty(len(games), BOARD), symmetry_table(self.size)
        _replay_batch(boards, self.empty, self.games, self.moves, self.setup, games, plies, symmetries, table)
        return boards

    def position(self, game: int, ply: int, symmetry: int = 0) -> Position:
        """Return a position with its history. The board is the same as that of `boards`."""
        self.checked([game], [ply], [symmetry])
        return position_of(self.record(game), ply, symmetry)

    def record(self, game: int) -> Record:
        """Return a game as the record that was read."""
        entry = self.games[game]
        _, black, white, date = self._text(entry)
        first, start = int(entry["first_move"]), int(entry["first_setup"])
        return Record(
            size=int(entry["size"]),
            moves=np.array(self.moves[first : first + entry["n_moves"]]),
            setup=np.array(self.setup[start : start + entry["n_setup"]]),
            komi=float(entry["komi"]),
            handicap=int(entry["handicap"]),
            winner=int(entry["winner"]),
            ending=int(entry["ending"]),
            margin=float(entry["margin"]),
            ranks=tuple(entry["ranks"].tolist()),
            names=(black, white),
            date=date,
            flaw=FLAWS[entry["flaw"]],
        )

    def source(self, game: int) -> str:
        """Return the source of a game."""
        return self._text(self.games[game])[0]

    def _text(self, entry: np.void) -> list[str]:
        first = int(entry["first_text"])
        return self.texts[first : first + entry["n_text"]].tobytes().decode("utf-8").split("\0")


def store_of_run(run: str) -> GameStore:
    """Open the game store of a run."""
    folder = stage_path(run, STAGE)
    if not (folder / "store.json").exists():
        raise UserError(f"There is no game store in {folder}; {call(STAGE, run)} makes one.")
    return GameStore(folder)


def position_of(record: Record, ply: int, symmetry: int = 0) -> Position:
    """Return the position before move `ply` of a game. The history begins after the last set-up of stones."""
    table = symmetry_table(record.size)[symmetry]
    position = Position(record.size, record.komi if np.isfinite(record.komi) else 0, superko=False)
    for i in range(ply + 1):
        stones = {int(table[point]): color for at, color, point in record.setup.tolist() if at == i}
        if stones:
            of = {color: [p for p, c in stones.items() if c == color] for color in (BLACK, WHITE, EMPTY)}
            position.set_up(of[BLACK], of[WHITE], of[EMPTY])
        if i < len(record.moves):
            color, point = decode_move(record.moves[i])
            if i == ply:
                set_turn(position.board, color)
            else:
                position.play(int(table[point]), color)
    return position


def _read_about(folder: Path) -> dict[str, Any]:
    about = read_json(folder / "store.json")
    if about is None:
        raise UserError(f"There is no game store in {folder}; ./prezero data.prepare makes one.")
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise UserError(f"The game store in {folder} is not of format {FORMAT}; {ANEW}.")
    check_seal(about, folder / "store.json")
    return about
