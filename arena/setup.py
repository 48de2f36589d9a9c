"""Compile what playing needs, so that the first start of an engine takes seconds and not a minute.

The launcher runs this command after it has installed the packages, and again when the sources have changed since.
"""

from arena.players import new_player, preset, presets, rehearse
from nets.find import shipped_sizes


def setup(arguments: list[str]) -> int:
    """Let every player that comes with Prezero make two moves on the boards that it plays and that have a network."""
    players = {name: preset(name) for name in presets() if not preset(name).search.value}
    sizes = shipped_sizes("policy")
    todo = [(name, size) for name, player in players.items() for size in sizes if size in new_player(player).sizes]
    for number, (name, size) in enumerate(todo, 1):
        print(f"[{number}/{len(todo)}] {name} on {size}x{size}", flush=True)
        rehearse(players[name], size)
    return 0
