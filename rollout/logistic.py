"""Logistic regression, the textbook form: each candidate move is one row, played or not, fitted by scikit-learn.

Each move is compared with all other moves, not only with those of its own position. The coefficients are used in the
same way as the weights of the softmax. Rows need memory, so only a sample of the moves that were not played is used.
"""

import warnings
from concurrent.futures import Executor

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from data.store import GameStore
from go.coordinates import PASS
from go.jit import kernel
from go.playout import new_rng, random_below
from pipeline.errors import UserError
from pipeline.progress import Progress
from rollout.features import PLACES, Tables, find_candidates, new_candidates
from rollout.games import Games, begin_game, earlier_point, games_of, new_replay, play_ply, prepare_ply
from rollout.lookup import FREE

CHUNK = 32  # games per chunk of rows
ITERATIONS = 20  # solver iterations per step
MOST_ROWS = 40_000_000  # about 3 GB


@kernel
def _make_rows(store, chosen_games, tables, rivals, rng, replay, work, features, played):
    """Write one row of features for each played move and for some or all of its rivals. Return the number of rows."""
    order = np.zeros(len(work.points), np.int64)
    rows = 0
    for index in range(len(chosen_games)):
        game = store.games[chosen_games[index]]
        begin_game(store, replay)
        for ply in range(game.n_moves):
            color, point = prepare_ply(store, replay, game, ply)
            if point != PASS and (color & game.learn) != 0:
                last, before = earlier_point(store, game, ply, 1), earlier_point(store, game, ply, 2)
                count = find_candidates(replay.board[0], replay.tracker[0], tables, last, before, work)
                chosen = -1
                for i in range(count):
                    order[i] = i
                    if work.points[i] == point:
                        chosen = i
                if chosen >= 0:
                    order[0], order[chosen] = chosen, 0
                    wanted = count if rivals == 0 else min(count, 1 + rivals)
                    for i in range(wanted):
                        if i > 0 and wanted < count:
                            other = i + random_below(rng, count - i)
                            order[i], order[other] = order[other], order[i]
                        features[rows] = work.features[order[i]]
                        played[rows] = i == 0
                        rows += 1
            play_ply(replay, point)
    return rows


def rows_of(
    arrays: Games, games: np.ndarray, tables: Tables, weights: int, rivals: int, seed: int, chunk: int
) -> tuple[csr_matrix, np.ndarray]:
    """Return the rows of some games: the features that fire in each row, and which rows were played."""
    most = int(arrays.games["n_moves"][games].sum()) * (1 + (rivals or int(arrays.empty["n_empty"][0])))
    features, played = np.empty((most, PLACES), np.int32), np.zeros(most, np.uint8)
    rng, replay, work = new_rng(seed, chunk), new_replay(), new_candidates()
    rows = _make_rows(arrays, games, tables, rivals, rng, replay, work, features, played)
    fires = features[:rows] != FREE
    ends = np.concatenate([[0], np.cumsum(fires.sum(axis=1))])
    columns = features[:rows][fires]
    matrix = csr_matrix((np.ones(len(columns)), columns, ends), shape=(rows, weights))
    matrix.sort_indices()
    return matrix, played[:rows].copy()


class LogisticTrainer:
    """Fits all rows at once, with `ITERATIONS` solver iterations per step; see `pipeline.training`."""

    unit = "iterations"

    def __init__(
        self,
        store: GameStore,
        games: np.ndarray,
        tables: Tables,
        weights: int,
        rivals: int,
        iterations: int,
        seed: int,
        pool: Executor,
    ) -> None:
        self.steps = -(-iterations // ITERATIONS)
        self.iterations = iterations
        self.coefficients = np.zeros((1, weights + 1))  # the last one is the intercept
        arrays, parts, rows = games_of(store), [], 0
        chunks = [games[start : start + CHUNK] for start in range(0, len(games), CHUNK)]

        def rows_of_chunk(number: int) -> tuple[csr_matrix, np.ndarray]:
            return rows_of(arrays, chunks[number], tables, weights, rivals, seed, number)

        with Progress("games made into rows", len(games)) as progress:
            for part in pool.map(rows_of_chunk, range(len(chunks))):
                parts.append(part)
                rows += part[0].shape[0]
                if rows > MOST_ROWS:
                    raise UserError(f"These are more than {MOST_ROWS:,} rows: set fewer positions or negatives.")
                progress.update(min(CHUNK, len(games) - progress.done))
        self.rows = vstack([part[0] for part in parts], format="csr")
        self.played = np.concatenate([part[1] for part in parts])
        if self.played.all():
            raise UserError("There is no move in these games that was chosen among others.")

    @property
    def weights(self) -> np.ndarray:
        return self.coefficients[0, :-1].astype(np.float32)

    def state(self) -> dict[str, np.ndarray]:
        return {"coefficients": self.coefficients}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self.coefficients = state["coefficients"]

    def step(self, number: int) -> dict[str, float]:
        """Run up to `ITERATIONS` more iterations of the solver."""
        iterations = min(ITERATIONS, self.iterations - number * ITERATIONS)
        fit = LogisticRegression(solver="lbfgs", warm_start=True, max_iter=iterations)
        fit.coef_, fit.intercept_ = self.coefficients[:, :-1].copy(), self.coefficients[:, -1].copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the next step continues
            fit.fit(self.rows, self.played)
        self.coefficients = np.concatenate([fit.coef_, fit.intercept_[:, None]], axis=1)
        return {"iterations": iterations}
