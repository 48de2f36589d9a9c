"""Searches of many games in lockstep: they share an evaluator, and their requests make one batch.

Searches and evaluator take turns, and each search runs on one thread, so the results are repeatable. Kernels run
without the global lock: with a pool, the searches of a turn are spread over the cores.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from apv_mcts.search import Search
from apv_mcts.simulation import DONE


def search_many(searches: Sequence[Search], simulations: int, pool: ThreadPoolExecutor | None = None) -> None:
    """Run `simulations` simulations in each search, from the position that is set there.

    Between two batches each search makes `settings.batch_size` simulations, so a batch has at most as many requests of
    each game; with 1, each search goes on as if it were alone with the network.
    """
    evaluator = searches[0].evaluator if searches else None
    if any(search.evaluator is not evaluator for search in searches):
        raise ValueError("searches that go on together share one evaluator")
    for search in searches:
        search.reset()
    while evaluator is not None and evaluator.serve(searches):
        pass
    for search in searches:
        search.add_noise()
    todo = list(searches)
    while todo:
        list((pool.map if pool else map)(lambda search: search.simulate_some(simulations), todo))
        while evaluator is not None and evaluator.serve(todo):
            pass
        todo = [search for search in todo if search.control[DONE] < simulations]
