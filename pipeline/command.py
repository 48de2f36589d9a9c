"""Turn a function and a dataclass of settings into a Hydra command.

Hydra composes the settings (`conf/<command>.yaml`, the groups in `conf/`, then the command line) and offers sweeps with
`-m`. What it would answer to bad input with several lines or a traceback, we say in one sentence, with exit code 2.
"""

import dataclasses
import difflib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hydra
from hydra.core.config_store import ConfigStore
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from pipeline.artefact import ROOT, RUNS
from pipeline.commands import COMMANDS
from pipeline.errors import UserError
from pipeline.settings import explain


def _quoted(path: Path) -> str:
    """Write a path so that Hydra takes it as it is, whatever characters are in it."""
    return "'" + str(path).replace("\\", "\\\\").replace("'", "\\'") + "'"


CONF = ROOT / "conf"
HYDRA_FLAGS = {"-m", "--multirun", "--cfg", "-c", "--resolve"}
QUIET = (  # results have folders of their own (`pipeline.artefact`), so Hydra shall write and say nothing
    "hydra.output_subdir=null",
    "hydra.run.dir=.",
    f"hydra.sweep.dir={_quoted(RUNS / '.sweep')}",
    "hydra.sweep.subdir=.",
    "hydra/job_logging=none",
    "hydra/hydra_logging=none",
)


def run(name: str, settings: type, main: Callable[[Any], None], refusals: tuple[type[Exception], ...] = ()) -> None:
    """Run `main` with settings from the command line; `refusals` are exceptions whose message is for the user."""

    def start(config: DictConfig) -> None:
        try:
            main(OmegaConf.to_object(config))
        except (UserError, *refusals) as error:  # caught in here, because Hydra would add a line of its own
            fail(str(error))
        except BrokenPipeError:  # the reader of our output, such as `head`, has had enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    try:
        _run(name, settings, start)
    except UserError as error:
        fail(str(error))
    except (HydraException, OmegaConfBaseException) as error:
        fail(_sentence(error, name, settings))
    except KeyboardInterrupt:
        print("\nprezero: stopped; what was finished is kept.", file=sys.stderr)
        sys.exit(130)


def fail(sentence: str) -> None:
    """Say one sentence and end with exit code 2."""
    print(f"prezero: {sentence}", file=sys.stderr)
    sys.exit(2)


def _run(name: str, settings: type, start: Callable[[DictConfig], None]) -> None:
    arguments = sys.argv[1:]
    ConfigStore.instance().store(group="settings", name=name, node=settings, package="_global_")
    if {"-h", "--help"} & set(arguments):
        print(_help(name, settings, [argument for argument in arguments if "=" in argument]))
        return
    _check(arguments, name)
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra then leaves errors to `run`
    sys.argv[1:] = [*arguments, *QUIET]
    hydra.main(version_base="1.3", config_path=str(CONF), config_name=name)(start)()


def _check(arguments: list[str], name: str) -> None:
    """Refuse what Hydra would answer in many words."""
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if argument.startswith("-"):
            if argument not in HYDRA_FLAGS:
                raise UserError(f"{name} has no option {argument}; settings are written name=value.")
        elif not equals and argument not in ("job", "all", "hydra"):  # what may follow --cfg
            raise UserError(f"{argument!r} is not a setting; settings are written name=value.")
        elif (CONF / key).is_dir() and not (CONF / key / f"{value}.yaml").is_file() and "," not in value:
            raise UserError(f"{argument} does not exist; there are {', '.join(_options(key))}.")


def _options(group: str) -> list[str]:
    """List the presets of a group, 9x9 before 13x13."""
    names = (path.stem for path in (CONF / group).glob("*.yaml"))
    return sorted(names, key=lambda name: (len(name) if name[0].isdigit() else 0, name))


def _help(name: str, settings: type, overrides: list[str]) -> str:
    """List the settings, what they mean, and their values under the overrides given."""
    with hydra.initialize_config_dir(version_base="1.3", config_dir=str(CONF)):
        config = hydra.compose(name, overrides)
    rows = explain(settings)
    shown = [(f"{key}={_shown(OmegaConf.select(config, key))}", meaning) for key, meaning in rows if not _options(key)]
    groups = [(field.name, field.metadata["meaning"]) for field in dataclasses.fields(settings)]
    shown += [(f"{key}={'|'.join(_options(key))}", meaning) for key, meaning in groups if _options(key)]
    width = max(len(text) for text, _ in shown)
    lines = [f"  {text:<{width}}  {meaning}" for text, meaning in shown]
    return "\n".join([f"{name}: {COMMANDS[name].summary}.", "", *lines])


def _shown(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _sentence(error: Exception, name: str, settings: type) -> str:
    """Say in one sentence what Hydra or OmegaConf found wrong."""
    text = str(error)
    names = [key for key, _ in explain(settings)]
    if unknown := re.match(r"Could not override '([^']*)'", text):
        close = difflib.get_close_matches(unknown[1], names, n=1)
        hint = f"did you mean {close[0]}?" if close else f"./prezero {name} --help lists them."
        return f"{name} has no setting {unknown[1]!r}; {hint}"
    if ambiguous := re.match(r"Ambiguous value for argument '(.*)'", text):
        return f"{ambiguous[1]}: a comma separates the values of a sweep (-m), so a value with commas needs quotes."
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else None
    if merging := re.match(r"Error merging override (.*)", text):
        reason = str(cause).splitlines()[0] if cause else "it is not a valid value"
        return f"{merging[1]} does not fit: {reason}."
    first = text.splitlines()[0] if text else type(error).__name__
    return f"The settings of {name} cannot be read: {first}."
