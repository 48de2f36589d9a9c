"""Which weights a player plays with, as fingerprints: games of other weights must not be taken for its games."""

import hashlib
import inspect
from pathlib import Path

from apv_mcts.assemble import networks_of
from arena import registry
from arena.players import PlayerSettings
from nets.find import KINDS, find_weights
from pipeline.errors import UserError

NETWORKS = {"sl": "policy"}  # kinds of players whose weights have another name


def weights_used(settings: PlayerSettings, size: int) -> dict[str, str]:
    """Return the fingerprints of the weights of a player, by their kind. Weights that do not exist are left out."""
    source, found = "run" if settings.run else "shipped", {}
    for name, file in _names(settings).items():
        try:
            found[name] = fingerprint(find_weights(name, size, file or source, settings.run))
        except (UserError, FileNotFoundError):  # making the player tells what it lacks
            continue
    return found


def _names(settings: PlayerSettings) -> dict[str, str]:
    """Return the kinds of weights that a player may ask for, rather too many than too few; with a file if given."""
    if "run" not in inspect.signature(registry.KINDS[settings.kind]).parameters:
        return {}  # a player that takes weights takes the run whose they are
    name = NETWORKS.get(settings.kind, settings.kind)
    if name in KINDS:
        return {name: settings.search.value_from if name == "zero" else ""}
    if settings.kind != "search":
        return dict.fromkeys(KINDS, "")
    search = settings.search
    patterns = {name: "" for name in KINDS if name in (search.rollouts, search.priors)}
    return patterns | {source.kind: source.file for source in networks_of(search).values()}


def fingerprint(path: Path) -> str:
    """Return the fingerprint of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
