"""Settings: a dataclass beside each command, whose fields carry their own one-line explanation."""

import dataclasses
from typing import Any


def setting(default: Any, meaning: str) -> Any:
    """Declare a field of a settings dataclass with its default and what it means."""
    if dataclasses.is_dataclass(default):
        return dataclasses.field(default_factory=default, metadata={"meaning": meaning})
    return dataclasses.field(default=default, metadata={"meaning": meaning})


@dataclasses.dataclass
class StageSettings:
    """What every stage accepts."""

    scale: Any = setting(None, "how much work: a preset for all stages")
    run: str = setting("", "name of the run, by default the scale: results go to runs/<run>/<stage>/")
    seed: int = setting(1, "seed of all randomness")


def explain(settings: type, prefix: str = "") -> list[tuple[str, Any, str]]:
    """List the settings of a dataclass: the name, dotted if nested, the type, and what it means."""
    rows = []
    for field in dataclasses.fields(settings):
        if dataclasses.is_dataclass(field.type):
            rows += explain(field.type, f"{prefix}{field.name}.")
        else:
            rows.append((prefix + field.name, field.type, field.metadata["meaning"]))
    return rows
