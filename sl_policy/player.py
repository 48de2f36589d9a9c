"""A player that uses the policy network alone: the paper's raw network."""

import numpy as np

from go.player import AnyBoard, Candidate, Decision, decided, titled
from go.position import Position
from nets.actions import points_of
from nets.find import find_weights, shipped_sizes
from nets.network import ALL_SYMMETRIES, Network
from nets.weights import Weights
from pipeline.errors import UserError


def candidates_of(network: Network, position: Position, symmetries: tuple[int, ...] = (0,)) -> list[Candidate]:
    """Return the moves that the network may choose, the most probable first."""
    chances = network.of_positions([position], symmetries)[0]
    points = points_of(network.size)
    return [
        Candidate(int(points[action]), float(chances[action]), f"policy network {100 * chances[action]:.1f}%")
        for action in np.argsort(-chances, kind="stable")
        if chances[action] > 0 and position.is_legal(int(points[action]))
    ]


class PolicyPlayer:
    """Samples moves from a policy network, or takes the most probable one."""

    def __init__(
        self,
        network: Network,
        greedy: bool = False,
        symmetries: tuple[int, ...] = (0,),
        seed: int = 1,
        name: str = "sl",
    ) -> None:
        self.network, self.greedy, self.symmetries = network, greedy, symmetries
        self.name = titled(name, greedy)
        self.rng = np.random.default_rng(seed)

    def decide(self, position: Position) -> Decision:
        return decided(position, candidates_of(self.network, position, self.symmetries), self.rng, self.greedy)


def load_network(
    size: int, run: str = "", threads: int = 1, precision: str = "auto", kind: str = "policy", file: str = ""
) -> Network:
    """Load a network by the kind of its weights (`nets.find`): a file, that of a run, or the shipped one."""
    path = find_weights(kind, size, file or ("run" if run else "shipped"), run)
    network = Network.load(path, threads=threads, precision=precision)
    if network.size != size:
        whose = file or f"run={run}"
        raise UserError(f"The {kind} network of {whose} plays on {network.size}x{network.size}, not on {size}x{size}.")
    return network


def network_sizes(run: str = "", kind: str = "policy", file: str = "") -> tuple[int, ...]:
    """Return the board sizes that there is a network of a kind for."""
    if not run and not file:
        return shipped_sizes(kind)
    return (Weights.load(find_weights(kind, 0, file or "run", run)).description.size,)


def network_player(
    kind: str, name: str, run: str, greedy: bool, seed: int, precision: str, symmetries: int = 1
) -> AnyBoard:
    """Make a player of a policy network of some kind: that of a run, or the shipped one.

    Its probabilities are averaged over some symmetries of the board; with one, the board is shown as it is.
    """

    def make(size: int) -> PolicyPlayer:
        network = load_network(size, run, precision=precision, kind=kind)
        return PolicyPlayer(network, greedy, ALL_SYMMETRIES[:symmetries], seed, name)

    return AnyBoard(titled(name, greedy), make, network_sizes(run, kind))


def policy_player(name: str, run: str, greedy: bool, seed: int, precision: str, symmetries: int = 1) -> AnyBoard:
    """Make a player of the SL policy network."""
    return network_player("policy", name, run, greedy, seed, precision, symmetries)


PLAYERS = {"sl": policy_player}
