"""The exact command that makes a result again, read from its manifest."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from omegaconf import OmegaConf

from pipeline.catalogue import call, load
from pipeline.launch import compose
from pipeline.settings import result_settings

NOTHING: Mapping[str, Any] = {}


def command_of(manifest: Mapping[str, Any], run: str, scale: str, chosen: Mapping[str, Any] = NOTHING) -> str:
    """Return the command that makes the result of a stage: its scale, and every setting that differs from the scale's.

    `chosen` are settings that the manifest's key leaves out although the result depends on them.
    """
    usual = OmegaConf.to_object(compose(load(manifest["stage"]), [f"scale={scale}"]))
    known = result_settings(usual) | {name: getattr(usual, name) for name in chosen}
    defaults, used = dict(_flat(known)), dict(_flat({**manifest["settings"], **chosen}))
    changed = [f"{name}={_text(used[name])}" for name, value in defaults.items() if used.get(name, value) != value]
    return call(manifest["stage"], run, f"scale={scale}", *changed)


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Return the settings by their names on the command line, as in board.size."""
    for name, value in json.loads(json.dumps(settings)).items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return f"[{','.join(map(_text, value))}]" if isinstance(value, list) else str(value)
