"""The parts of a search: pattern policies and networks, those that come with Prezero or those that a run has learnt."""

import functools
from pathlib import Path

from apv_mcts.evaluator import Evaluator, Values
from apv_mcts.search import Search
from apv_mcts.settings import SearchSettings
from go.coordinates import MAX_SIZE, MIN_SIZE
from pipeline.errors import UserError
from rollout.model import Model
from rollout.playout import PlayoutPolicy, new_policy
from rollout.policies import policy_path
from rollout.shipped import shipped_path as shipped_patterns
from sl_policy.inference import Policy
from sl_policy.shipped import SIZES, network_path
from sl_policy.weights import PolicyWeights


def patterns_path(name: str, size: int, run: str = "") -> Path:
    """Return the file of a pattern policy: that of a run, or without one that which comes with Prezero."""
    return policy_path(run, name) if run else shipped_patterns(name, size)


def load_network(size: int, run: str = "", threads: int = 1) -> Policy:
    """Load the policy network of a run, or without one that which comes with Prezero."""
    policy = Policy(PolicyWeights.load(network_path("run" if run else "shipped", run, size)), threads=threads)
    if policy.size != size:
        raise UserError(f"The policy network of run={run} plays on {policy.size}x{policy.size}, not on {size}x{size}.")
    return policy


def sizes_of(needs_network: bool, run: str = "") -> tuple[int, ...]:
    """Return the boards that there are parts for; patterns fit every board, a network only its own."""
    if not needs_network:
        return tuple(range(MIN_SIZE, MAX_SIZE + 1))
    return (PolicyWeights.load(network_path("run", run, 0)).size,) if run else SIZES


@functools.lru_cache(4)
def _patterns(name: str, size: int, run: str) -> PlayoutPolicy:
    return new_policy(None if name == "uniform" else Model.load(patterns_path(name, size, run)))


def check_value(settings: SearchSettings, values: Values | None = None) -> None:
    """Refuse a search that needs a value network where there is none."""
    if settings.value and values is None:
        raise UserError(
            "This player asks a value network, and there is none yet; flat, uct, uct_patterns, alpha_r, alpha_p and "
            "alpha_rp do without."
        )


def new_evaluator(settings: SearchSettings, size: int, run: str, seed: int, values: Values | None) -> Evaluator | None:
    """Make what answers for the networks that the settings ask for; None if they ask for none."""
    check_value(settings, values)
    if not settings.policy and not settings.value:
        return None
    policy = load_network(size, run) if settings.policy else None
    return Evaluator(policy, values if settings.value else None, settings.beta, seed, settings.batch)


def new_search(
    settings: SearchSettings,
    size: int,
    run: str = "",
    seed: int = 1,
    values: Values | None = None,
    evaluator: Evaluator | None = None,
) -> Search:
    """Make a search with the parts that its settings ask for; searches of many games may share an evaluator."""
    evaluator = evaluator or new_evaluator(settings, size, run, seed, values)
    priors = _patterns("tree" if settings.priors == "tree" else "uniform", size, run)
    playouts = _patterns("rollout" if settings.rollouts == "rollout" else "uniform", size, run)
    return Search(settings, size, priors, playouts, evaluator, seed)
