"""The 17 planes of AlphaGo Zero along a game, from the encoder of the network (`nets.inputs`)."""

from typing import Any

from classroom.simulations import board_data
from go.position import Position
from nets.inputs import ZeroInputs


def record_planes(moves: list[str], size: int) -> dict[str, Any]:
    """Return the board and the 17 planes after 0, 1, 2, ... moves. A plane is a text of 0 and 1, row by row."""
    inputs, position = ZeroInputs(), Position(size)
    steps = []
    for move in [None, *moves]:
        if move is not None:
            position.play(move)
        planes = inputs.of_positions([position])[0][0]
        texts = ["".join(str(int(bit)) for bit in plane.ravel()) for plane in planes]
        steps.append({"board": board_data(position), "planes": texts})
    return {"size": size, "steps": steps}
