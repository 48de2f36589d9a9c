"""Which weights a player plays with, as fingerprints: games of other weights must not be taken for its games."""

import hashlib
from pathlib import Path

from arena.players import ENGINE, PlayerSettings
from nets.find import KINDS, find_weights, shipped_sizes

OF_KIND = {"random": (), ENGINE: (), "rollout": ("rollout",), "tree": ("tree",), "sl": ("policy",)}


def weights_used(settings: PlayerSettings, size: int) -> dict[str, str]:
    """Return the fingerprints of the weights of a player, by their kind."""
    source = "run" if settings.run else "shipped"
    return {name: fingerprint(find_weights(name, size, source, settings.run)) for name in _names(settings, size)}


def _names(settings: PlayerSettings, size: int) -> list[str]:
    if settings.kind in OF_KIND:
        return list(OF_KIND[settings.kind])
    search = settings.search
    asked = {
        "rollout": search.rollouts == "rollout",
        "tree": search.priors == "tree",
        "policy": search.policy,
        "value": search.value,
    }
    found = [name for name in KINDS if asked.get(name, False)] if settings.kind == "search" else list(KINDS)
    if settings.run:
        return found
    return [name for name in found if KINDS[name].fits_any_board or size in shipped_sizes(name)]


def fingerprint(path: Path) -> str:
    """Return the fingerprint of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
