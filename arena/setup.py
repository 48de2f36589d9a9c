"""Compile what playing needs, so that the first start of an engine takes seconds and not a minute.

The launcher runs this command after it has installed the packages, and again when the sources have changed since.
"""

import functools

from arena.players import ENGINE, new_player, preset, presets, rehearse
from nets.find import shipped_sizes
from pipeline.errors import UserError


def setup(arguments: list[str]) -> int:
    """Let every player that comes with Prezero make two moves on the boards that it plays and that have a network.

    A player for none of them makes its moves on its smallest board.
    """
    todo = []
    for name in presets():
        sizes = sizes_of(name)
        todo += [(name, size) for size in shipped_sizes("policy") if size in sizes] or [(name, s) for s in sizes[:1]]
    for number, (name, size) in enumerate(todo, 1):
        print(f"[{number}/{len(todo)}] {name} on {size}x{size}", flush=True)
        rehearse(preset(name), size)
    return 0


@functools.cache
def sizes_of(name: str) -> tuple[int, ...]:
    """Return the boards that a player plays on; none if something that it needs does not come with Prezero."""
    settings = preset(name)
    if settings.kind == ENGINE:
        return ()
    try:
        return new_player(settings).sizes
    except UserError:
        return ()
