"""Assemble a search: find and load the policies and networks that its settings ask for."""

import functools
from pathlib import Path

from apv_mcts.evaluator import Evaluator
from apv_mcts.search import Search
from apv_mcts.settings import SearchSettings
from nets.find import find_weights
from nets.network import Answering
from pipeline.errors import UserError
from rollout.model import Model
from rollout.playout import PlayoutPolicy, new_policy
from sl_policy.player import load_network


@functools.lru_cache(4)  # both policies for two boards, at up to 130 MB each
def _patterns(path: Path) -> PlayoutPolicy:
    return new_policy(Model.load(path))


def _playout_policy(name: str, size: int, run: str) -> PlayoutPolicy:
    if name == "uniform":
        return new_policy(None)
    return _patterns(find_weights(name, size, "run" if run else "shipped", run))


def check_value(settings: SearchSettings) -> None:
    """Raise `UserError` if a search needs a value network: there is none yet."""
    if settings.value:
        raise UserError(
            "This player asks a value network, and there is none yet; flat, uct, uct_patterns, alpha_r, alpha_p and "
            "alpha_rp do without."
        )


def new_evaluator(
    settings: SearchSettings, size: int, run: str, seed: int, network: Answering | None
) -> Evaluator | None:
    """Return what answers for the networks that the settings ask for; None if they ask for none."""
    if not settings.policy and not settings.value:
        return None
    if network is None:
        check_value(settings)
        network = load_network(size, run, precision=settings.precision)
    return Evaluator(network, settings.beta, seed, settings.batch_size)


def new_search(
    settings: SearchSettings,
    size: int,
    run: str = "",
    seed: int = 1,
    network: Answering | None = None,
    evaluator: Evaluator | None = None,
) -> Search:
    """Return a search with the parts that its settings ask for.

    `network` answers instead of the one that the settings name. Searches of many games may share an evaluator.
    """
    evaluator = evaluator or new_evaluator(settings, size, run, seed, network)
    priors = _playout_policy("tree" if settings.priors == "tree" else "uniform", size, run)
    playouts = _playout_policy("rollout" if settings.rollouts == "rollout" else "uniform", size, run)
    return Search(settings, size, priors, playouts, evaluator, seed)
