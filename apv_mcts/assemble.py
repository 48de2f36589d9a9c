"""Assemble a search: find and load the policies and networks that its settings ask for."""

import functools
from pathlib import Path
from typing import NamedTuple

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

KINDS = {"sl": "policy", "rl": "rl"}  # what `policy_from` may name, with the kind of weights


class Source(NamedTuple):
    """Where a network comes from: the kind of its weights and, if it is given, its file."""

    kind: str
    file: str = ""


def networks_of(settings: SearchSettings) -> dict[str, Source]:
    """Return the networks that a search asks for, by what they do in it: policy, value."""
    found = {}
    if settings.policy:
        name = settings.policy_from
        found["policy"] = Source(KINDS[name]) if name in KINDS else Source("policy", name)
    if settings.value:
        found["value"] = Source("value", settings.value_from)
    return found


@functools.lru_cache(4)  # both policies for two boards, at up to 130 MB each
def _patterns(path: Path) -> PlayoutPolicy:
    return new_policy(Model.load(path))


def new_playout_policy(name: str, size: int, run: str) -> PlayoutPolicy:
    """Return the policy of playouts by its name: uniform, or the rollout or tree policy of a run or as shipped."""
    if name == "uniform":
        return new_policy(None)
    return _patterns(find_weights(name, size, "run" if run else "shipped", run))


def sizes_of(settings: SearchSettings, run: str) -> tuple[int, ...]:
    """Return the board sizes for which there are all networks that a search needs.

    Raise `UserError` if there is none, or if a run lacks the patterns.
    """
    networks = networks_of(settings)
    sizes = set(ALL_SIZES).intersection(*(network_sizes(run, *source) for source in networks.values()))
    if not sizes:
        whose = f"Run {run} has" if run else "Prezero comes with"
        needed = " and ".join(networks)
        raise UserError(f"{whose} no {needed} network for one board; ./prezero value_net.train makes one.")
    for name in sorted({settings.priors, settings.rollouts} & {"tree", "rollout"}):
        find_weights(name, 0, "run" if run else "shipped", run)
    return tuple(sorted(sizes))


def load_networks(settings: SearchSettings, size: int, run: str) -> Answering:
    """Load the networks that the settings ask for. Each thread that answers computes a batch of its own."""

    def load(role: str, source: Source) -> Network:
        network = load_network(size, run, 1, settings.precision, *source)
        if network.description.family != role:
            raise UserError(f"A {network.description.family} network was given for a {role} network.")
        return network

    loaded = [load(*wanted) for wanted in networks_of(settings).items()]
    return PolicyAndValue(*loaded) if len(loaded) == 2 else loaded[0]


def new_evaluator(
    settings: SearchSettings, size: int, run: str, seed: int, network: Answering | None
) -> Evaluator | None:
    """Return what answers for the networks that the settings ask for; None if they ask for none."""
    if not settings.policy and not settings.value:
        return None
    answering = network or load_networks(settings, size, run)
    return Evaluator(answering, settings.beta, seed, settings.batch_size, settings.symmetries)


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
