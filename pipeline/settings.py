"""Settings: dataclasses whose fields declare their default, their meaning and the values they allow.

`validate` checks a settings object, on the command line and in Python alike. `result_settings` names the settings that
a result depends on: all of them, except those declared with `result=False`.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from pipeline.errors import UserError

MOST_SEED = 2**31
MOST_THREADS = 256


def setting(
    default: Any,
    meaning: str,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
    choices: Sequence[Any] = (),
    result: bool = True,
) -> Any:
    """Declare a field of a settings dataclass.

    `least` and `most` are allowed themselves, `above` and `below` are not. Use `result=False` for a setting that does
    not change the result (threads), or that only names an input whose fingerprint is part of the stage key anyway.
    """
    parts = [("at least", least), ("above", above), ("at most", most), ("below", below)]
    limits = " and ".join(f"{word} {bound:,}" for word, bound in parts if bound is not None)
    if least is not None and most is not None:
        limits = f"between {least:,} and {most:,}"
    metadata = {
        "meaning": meaning,
        "bounds": (least, above, most, below),
        "limits": limits,
        "choices": tuple(choices),
        "result": result,
    }
    if isinstance(default, type) and dataclasses.is_dataclass(default):
        return dataclasses.field(default_factory=default, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def seed_setting(meaning: str = "seed of all randomness") -> Any:
    """Declare the setting `seed`."""
    return setting(1, meaning, least=0, most=MOST_SEED)


def threads_setting(meaning: str = "threads") -> Any:
    """Declare the setting `threads`, which never changes a result."""
    return setting(0, f"{meaning}; 0 takes all cores", least=0, most=MOST_THREADS, result=False)


@dataclasses.dataclass
class StageSettings:
    """What every stage accepts."""

    scale: str = setting("laptop", "preset for the amount of work of all stages", result=False)
    run: str = setting(
        "laptop", "name of the run, by default the scale: results go to runs/<run>/<stage>/", result=False
    )


@dataclasses.dataclass
class RunSettings:
    """What a command accepts that reads a run."""

    scale: str = setting("laptop", "names the run, as for the stages", result=False)
    run: str = setting("laptop", "name of the run to read, by default the scale", result=False)


def validate(settings: Any, prefix: str = "") -> None:
    """Raise `UserError` if a setting has a value that its declaration does not allow.

    A rule between several settings is a method `check` of their dataclass. It is called after its fields were checked.
    `prefix` is what comes before the names in messages, such as `player.`.
    """
    for field in dataclasses.fields(settings):
        name, value = f"{prefix}{field.name}", getattr(settings, field.name)
        if dataclasses.is_dataclass(value):
            validate(value, f"{name}.")
        elif value is not None:
            _validate_value(name, value, field.metadata)
    if hasattr(settings, "check"):
        settings.check()


def _validate_value(name: str, value: Any, metadata: Any) -> None:
    shown = f"{value:g}" if isinstance(value, float) else value
    choices = metadata["choices"]
    if choices and value not in choices:
        raise UserError(f"{name}={shown} is none of {', '.join(str(choice) for choice in choices if choice != '')}.")
    least, above, most, below = metadata["bounds"]
    is_allowed = (  # written so that nan, which compares with nothing, is refused
        (least is None or value >= least)
        and (above is None or value > above)
        and (most is None or value <= most)
        and (below is None or value < below)
    )
    if not is_allowed:
        raise UserError(f"{name}={shown} is not {metadata['limits']}.")


def result_settings(settings: Any) -> dict[str, Any]:
    """Return by name the settings that the result depends on; a nested dataclass becomes a nested dictionary."""
    found = {}
    for field in dataclasses.fields(settings):
        if field.metadata["result"]:
            value = getattr(settings, field.name)
            found[field.name] = result_settings(value) if dataclasses.is_dataclass(value) else value
    return found


def explain(settings: type, prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    """List the settings of a dataclass: the name (dotted if nested), the type, and the meaning with allowed values."""
    for field in dataclasses.fields(settings):
        if isinstance(field.type, type) and dataclasses.is_dataclass(field.type):
            yield from explain(field.type, f"{prefix}{field.name}.")
        else:
            choices = "|".join(str(choice) for choice in field.metadata["choices"] if choice != "")
            allowed = choices or field.metadata["limits"]
            yield prefix + field.name, field.type, field.metadata["meaning"] + (f" [{allowed}]" if allowed else "")
