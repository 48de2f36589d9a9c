"""All games there are on a tiny board between two policies, and so what REINFORCE estimates, without any sampling."""

from typing import NamedTuple

import numpy as np
import torch

from go.board import BLACK, LEGAL, legality
from go.coordinates import PASS, SYMMETRIES
from go.player import ends_well, sensible_moves
from go.position import Position
from nets.actions import actions_of, images_of_actions, points_of, turned
from nets.description import SCORES
from nets.inputs import Inputs


class Node(NamedTuple):
    """A position of the game tree, as it looks in each symmetry."""

    is_black: bool
    planes: np.ndarray  # [symmetry, plane, row, column]
    allowed: np.ndarray  # [symmetry, action]
    moves: dict[int, "Node | float"]  # by action: what follows, or the score of the game
    row: int
    superko: bool


class GameTree:
    """All games on a tiny board between two policies that see each position in a random symmetry."""

    def __init__(self, size: int, komi: float, limit: int, planes: int = 48) -> None:
        self.nodes: list[Node] = []
        self.limit, self.images, self.inputs = limit, images_of_actions(size), Inputs(planes)
        self.root = self._grow(Position(size, komi))
        self.planes = torch.from_numpy(np.concatenate([node.planes for node in self.nodes])).double()
        self.allowed = torch.from_numpy(np.concatenate([node.allowed for node in self.nodes]))

    def _grow(self, position: Position) -> "Node | float":
        if position.is_over or len(position.history) >= self.limit:
            return position.score()
        moves = [] if ends_well(position) else sensible_moves(position)
        if not moves:
            return self._grow(position.play(PASS))
        planes = self.inputs.of_positions([position])[0].repeat(SYMMETRIES, 0)
        allowed = np.zeros((SYMMETRIES, position.size**2), bool)
        actions = actions_of(np.array(moves), position.size)
        for symmetry in range(SYMMETRIES):
            allowed[symmetry, self.images[symmetry, actions]] = True
        color = position.to_move
        lawful = [p for p in points_of(position.size) if legality(position.board, p, color) == LEGAL]
        node = Node(
            color == BLACK,
            turned(planes, np.arange(SYMMETRIES)),
            allowed,
            {},
            len(self.nodes),
            len(lawful) > len(position.legal_moves()),
        )
        self.nodes.append(node)
        for action, move in zip(actions.tolist(), moves, strict=True):
            node.moves[action] = self._grow(position.copy().play(move))
        return node

    def chances(self, network: torch.nn.Module) -> torch.Tensor:
        """Return the probability of each action in each node: the mean over the symmetries."""
        scores = network(self.planes)[SCORES].masked_fill(~self.allowed, -torch.inf)
        by_symmetry = torch.softmax(scores, 1).reshape(len(self.nodes), SYMMETRIES, -1)
        return by_symmetry[:, np.arange(SYMMETRIES)[:, None], self.images].mean(1)

    def expected_outcome(self, learner: torch.nn.Module, opponent: torch.nn.Module) -> torch.Tensor:
        """Return the expectation of z for the learner, which is black in half of the games."""
        of_learner, of_opponent = self.chances(learner), self.chances(opponent).detach()

        def value(node: "Node | float", learner_is_black: bool) -> torch.Tensor | float:
            if not isinstance(node, Node):
                return float(np.sign(node) if learner_is_black else -np.sign(node))
            chances = (of_learner if node.is_black == learner_is_black else of_opponent)[node.row]
            return sum(chances[action] * value(after, learner_is_black) for action, after in node.moves.items())

        return (value(self.root, True) + value(self.root, False)) / 2
