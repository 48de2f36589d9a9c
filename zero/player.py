"""A player that searches with one of Zero's networks: the search of `apv_mcts`, without rollouts."""

from apv_mcts.assemble import new_search
from apv_mcts.player import SearchPlayer
from apv_mcts.search import Search
from apv_mcts.settings import SearchSettings
from nets.network import Network
from pipeline.errors import UserError
from sl_policy.player import load_network, network_sizes


def load_zero(size: int, run: str, precision: str, file: str = "") -> Network:
    """Load a network from a file, that of a run, or the one that comes with Prezero; refuse one without both heads.

    It computes on one thread: each thread of the search evaluates batches of its own.
    """
    network = load_network(size, run, 1, precision, "zero", file)
    if not network.description.is_zero:
        raise UserError(f"A {network.description.family} network was given for one of Zero's networks.")
    return network


def zero_player(
    name: str, run: str, seed: int, simulations: int, seconds: float, resign: float, search: SearchSettings
) -> SearchPlayer:
    """Make a player of the network in a file (`value_from`), of a run, or of the one that comes with Prezero."""
    sizes = network_sizes(run, "zero", search.value_from)

    def make(size: int) -> Search:
        network = load_zero(size, run, search.precision, search.value_from)
        return new_search(search, size, run, seed, network)

    return SearchPlayer(name, sizes, make, simulations, seconds, resign)


PLAYERS = {"zero": zero_player}
