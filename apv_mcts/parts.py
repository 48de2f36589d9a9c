"""The parts of a search: pattern policies and networks, those that come with Prezero or those that a run has learnt."""

import functools
from pathlib import Path

from apv_mcts.evaluator import Evaluator
from apv_mcts.search import Search
from apv_mcts.settings import SearchSettings
from go.coordinates import MAX_SIZE, MIN_SIZE
from nets.find import find_weights, shipped_sizes
from nets.network import Answering, Network
from nets.weights import Weights
from pipeline.errors import UserError
from rollout.model import Model
from rollout.playout import PlayoutPolicy, new_policy


def weights_path(name: str, size: int, run: str = "") -> Path:
    """Return the file of a policy or network: that of a run, or without one that which comes with Prezero."""
    return find_weights(name, size, "run" if run else "shipped", run)


def load_network(size: int, run: str = "", threads: int = 1, precision: str = "auto") -> Network:
    """Load the policy network of a run, or without one that which comes with Prezero."""
    network = Network.load(weights_path("policy", size, run), threads=threads, precision=precision)
    if network.size != size:
        raise UserError(
            f"The policy network of run={run} plays on {network.size}x{network.size}, not on {size}x{size}."
        )
    return network


def sizes_of(needs_network: bool, run: str = "") -> tuple[int, ...]:
    """Return the boards that a player can play on: patterns fit every board, a network only its own."""
    if not needs_network:
        return tuple(range(MIN_SIZE, MAX_SIZE + 1))
    return (Weights.load(weights_path("policy", 0, run)).description.size,) if run else shipped_sizes("policy")


@functools.lru_cache(4)
def _patterns(name: str, size: int, run: str) -> PlayoutPolicy:
    return new_policy(None if name == "uniform" else Model.load(weights_path(name, size, run)))


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
    priors = _patterns("tree" if settings.priors == "tree" else "uniform", size, run)
    playouts = _patterns("rollout" if settings.rollouts == "rollout" else "uniform", size, run)
    return Search(settings, size, priors, playouts, evaluator, seed)
