"""Assemble a search: find and load the policies and networks that its settings ask for."""

import functools
import os
from pathlib import Path

from apv_mcts.evaluator import Evaluator
from apv_mcts.search import Search
from apv_mcts.settings import SearchSettings
from go.player import ALL_SIZES
from nets.find import find_weights
from nets.network import Answering, Network, PolicyAndValue
from pipeline.errors import UserError
from rollout.model import Model
from rollout.playout import PlayoutPolicy, new_policy
from sl_policy.player import load_network, network_sizes


@functools.lru_cache(4)  # both policies for two boards, at up to 130 MB each
def _patterns(path: Path) -> PlayoutPolicy:
    return new_policy(Model.load(path))


def new_playout_policy(name: str, size: int, run: str) -> PlayoutPolicy:
    """Return the policy of playouts by its name: uniform, or the rollout or tree policy of a run or as shipped."""
    if name == "uniform":
        return new_policy(None)
    return _patterns(find_weights(name, size, "run" if run else "shipped", run))


def sizes_of(settings: SearchSettings, run: str) -> tuple[int, ...]:
    """Return the board sizes for which there are all networks that a search needs."""
    kinds = [kind for kind, is_needed in (("policy", settings.policy), ("value", settings.value)) if is_needed]
    sizes = set(ALL_SIZES).intersection(*(network_sizes(run, kind) for kind in kinds))
    if not sizes:
        whose = f"Run {run} has" if run else "Prezero comes with"
        needed = " and ".join(kinds)
        raise UserError(f"{whose} no {needed} network for one board; ./prezero value_net.train makes one.")
    return tuple(sorted(sizes))


def load_networks(settings: SearchSettings, size: int, run: str) -> Answering:
    """Load the networks that the settings ask for.

    Without rollouts the search threads mostly wait for the networks, so these get as many threads as the search.
    """
    threads = 1 if settings.rollouts != "none" else settings.threads or os.cpu_count() or 1

    def load(kind: str) -> Network:
        return load_network(size, run, threads, settings.precision, kind)

    if settings.policy and settings.value:
        return PolicyAndValue(load("policy"), load("value"))
    return load("value" if settings.value else "policy")


def new_evaluator(
    settings: SearchSettings, size: int, run: str, seed: int, network: Answering | None
) -> Evaluator | None:
    """Return what answers for the networks that the settings ask for; None if they ask for none."""
    if not settings.policy and not settings.value:
        return None
    return Evaluator(network or load_networks(settings, size, run), settings.beta, seed, settings.batch_size)


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
    priors = new_playout_policy("tree" if settings.priors == "tree" else "uniform", size, run)
    playouts = new_playout_policy("rollout" if settings.rollouts == "rollout" else "uniform", size, run)
    return Search(settings, size, priors, playouts, evaluator, seed)
