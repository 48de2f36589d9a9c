"""Where weights are: those that come with Prezero, those of a run, or a file of one's own."""

from pathlib import Path
from typing import NamedTuple

from pipeline.artefact import WEIGHTS, stage_path
from pipeline.catalogue import call
from pipeline.errors import UserError


class Kind(NamedTuple):
    """A kind of weights: the stage that learns them, and the file in which a run keeps them.

    Patterns carry over to other boards: where no file of a board comes with Prezero, that of the nearest one serves.
    """

    stage: str
    file: str
    fits_any_board: bool = False


KINDS = {
    "rollout": Kind("rollout.train", "rollout.safetensors", fits_any_board=True),
    "tree": Kind("rollout.train", "tree.safetensors", fits_any_board=True),
    "policy": Kind("sl_policy.train", "policy.safetensors"),
    "rl": Kind("rl_policy.train", "rl.safetensors"),
    "value": Kind("value_net.train", "value.safetensors"),
    "zero": Kind("zero.train", "zero.safetensors"),
}


def shipped_sizes(name: str) -> tuple[int, ...]:
    """Return the boards for which weights of a kind come with Prezero."""
    numbers = (path.stem.removeprefix(name) for path in WEIGHTS.glob(f"{name}*.safetensors"))
    return tuple(sorted(int(number) for number in numbers if number.isdigit()))


def find_weights(name: str, size: int, source: str = "shipped", run: str = "") -> Path:
    """Return the file of some weights by the name of their kind.

    `source` is `shipped`, `run` for those that a run has learnt, or the path of a file.
    """
    if name not in KINDS:
        raise UserError(f"There are no weights named {name}; there are {', '.join(KINDS)}.")
    kind = KINDS[name]
    if source == "run":
        path = stage_path(run, kind.stage) / kind.file
        if not path.is_file():
            raise UserError(f"There is no {path}; {call(kind.stage, run)} makes it.")
        return path
    if source != "shipped":
        return Path(source)
    sizes = shipped_sizes(name)
    if size not in sizes and not kind.fits_any_board:
        raise UserError(
            f"No {name} network for {size}x{size} comes with Prezero; ./prezero {kind.stage} makes "
            "one from the games of a run."
        )
    return WEIGHTS / f"{name}{min(sizes, key=lambda known: abs(known - size))}.safetensors"
