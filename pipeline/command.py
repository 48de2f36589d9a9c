"""Turn a function and a dataclass of settings into a Hydra command.

Hydra composes the settings (`conf/<command>.yaml`, the groups in `conf/`, then the command line) and offers sweeps with
`-m`, which end in a table of what the jobs returned (`pipeline.sweeps`). What it would answer to bad input with several
lines or a traceback, we say in one sentence, with exit code 2.
"""

import dataclasses
import difflib
import errno
import os
import re
import sys
from collections.abc import Callable
from typing import Any

import hydra
import yaml
from hydra.core.config_store import ConfigStore
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from pipeline.artefact import ROOT, RUNS
from pipeline.commands import COMMANDS
from pipeline.errors import INTERRUPTED, UserError
from pipeline.settings import explain, validate
from pipeline.sweeps import Job, begin_job, sweep_table

CONF = ROOT / "conf"
SWEEP = ("-m", "--multirun")
WIDEST = 60  # characters of a setting in the list that --help prints; the explanations of longer ones stand further out
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


def run(
    name: str,
    settings: type,
    main: Callable[[Any], dict[str, Any] | None],
    refusals: tuple[type[Exception], ...] = (),
) -> None:
    """Run `main` with settings from the command line; `refusals` are exceptions whose message is for the user.

    What `main` returns, a few numbers or texts by name, makes a row in the table that a sweep ends with.
    """
    jobs: list[Job] = []

    def start(config: DictConfig) -> None:  # catches all that it can, because Hydra would add a line of its own
        try:
            overrides = begin_job()
            given = OmegaConf.to_object(config)
            validate(given)
            jobs.append(Job(overrides, main(given) or {}))
        except (UserError, *refusals) as error:
            fail(str(error))
        except OmegaConfBaseException as error:
            fail(_sentence(error, name))
        except BrokenPipeError:
            _stop_writing()
        except MemoryError as error:
            fail(f"There is not enough memory for these settings ({str(error).rstrip('.') or 'none is left'}).")
        except OSError as error:
            if error.errno in NO_SPACE:
                fail(f"There is no space left on the disk ({error.strerror}); make room and run the same again.")
            fail(f"{error.filename or name} cannot be used: {error.strerror or error}.")

    try:
        _run(name, settings, start)
        if table := sweep_table(jobs):
            print(f"\n{table}")
        if not sys.stdout.closed:
            sys.stdout.flush()
    except UserError as error:
        fail(str(error))
    except (HydraException, OmegaConfBaseException) as error:
        fail(_sentence(error, name))
    except yaml.YAMLError as error:
        fail(f"A settings file in {CONF} is not YAML: {' '.join(str(error).split())}.")
    except BrokenPipeError:
        _stop_writing()
    except KeyboardInterrupt:
        print("\nprezero: stopped; run the same command again to go on.", file=sys.stderr)
        sys.exit(INTERRUPTED)


def _stop_writing() -> None:
    """Let the rest of our output go nowhere: its reader, such as `head`, has had enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(sentence: str) -> None:
    """Say one sentence and end with exit code 2."""
    print(f"prezero: {sentence}", file=sys.stderr)
    sys.exit(2)


def _run(name: str, settings: type, start: Callable[[DictConfig], None]) -> None:
    arguments = sys.argv[1:]
    ConfigStore.instance().store(group="settings", name=name, node=settings, package="_global_")
    helps = {"-h", "--help"} & set(arguments)
    overrides = _overrides([argument for argument in arguments if argument not in ("-h", "--help")], name, settings)
    if helps:
        print(_help(name, settings, [override for override in overrides if override not in SWEEP]))
        return
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra then leaves errors to `run`
    flags_first = sorted(overrides, key=lambda override: override not in SWEEP)  # as Hydra wants them
    sys.argv[1:] = [*flags_first, *_quiet()]
    hydra.main(version_base="1.3", config_path=str(CONF), config_name=name)(start)()


def _overrides(arguments: list[str], name: str, settings: type) -> list[str]:
    """Check the arguments and write them so that Hydra takes them as they are meant.

    Texts are quoted, because a path or a list of moves may hold any character; in a sweep, commas keep their meaning,
    and so do `range(1,4)` and the like.
    """
    fields = {key: kind for key, kind, _ in explain(settings)}
    groups = [field.name for field in dataclasses.fields(settings)]
    sweeps = not set(SWEEP).isdisjoint(arguments) or _sweeps_by_itself(name)
    checked = []
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if argument.startswith("-") and argument not in SWEEP:
            raise UserError(f"{name} has no option {argument}; settings are written name=value.")
        if not argument.startswith("-"):
            if not equals:
                raise UserError(f"{argument!r} is not a setting; settings are written name=value.")
            options = _options(key) if key in groups else []
            if options and not set(value.split(",") if sweeps else [value]) <= set(options):
                raise UserError(f"{argument} does not exist; there are {', '.join(options)}.")
            is_open = fields.get(key.partition(".")[0]) is Any  # what is in it is not ours to know
            if key not in fields and not options and not is_open and not key.startswith("hydra"):
                close = difflib.get_close_matches(key, fields, n=1)
                hint = f"did you mean {close[0]}?" if close else f"./prezero {name} --help lists them."
                raise UserError(f"{name} has no setting {key!r}; {hint}")
            is_swept = sweeps and re.search(r",|^\w+\(.*\)$", value)
            if fields.get(key) is str and not is_swept and not re.fullmatch(r"'.*'|\".*\"", value):
                argument = f"{key}={_quoted(value)}"
        checked.append(argument)
    return checked


def _sweeps_by_itself(name: str) -> bool:
    """Tell if the settings file of a command says that it is a sweep, even without `-m`."""
    settings = yaml.safe_load((CONF / f"{name}.yaml").read_text(encoding="utf-8")) or {}
    return (settings.get("hydra") or {}).get("mode") == RunMode.MULTIRUN.name


def _quoted(text: str) -> str:
    """Write a text so that Hydra takes it as it is, whatever characters are in it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _quiet() -> list[str]:
    """Tell Hydra to write and say nothing: results have folders of their own (`pipeline.artefact`)."""
    return [
        "hydra.output_subdir=null",
        "hydra.run.dir=.",
        f"hydra.sweep.dir={_quoted(str(RUNS / '.sweep'))}",
        "hydra.sweep.subdir=.",
        "hydra/job_logging=none",
        "hydra/hydra_logging=none",
    ]


def _options(group: str) -> list[str]:
    """List the presets of a group, 9x9 before 13x13."""
    names = (path.stem for path in (CONF / group).glob("*.yaml"))
    return sorted(names, key=lambda name: (len(name) if name[0].isdigit() else 0, name))


def _help(name: str, settings: type, overrides: list[str]) -> str:
    """List the settings, what they mean, and their values under the overrides given."""
    with hydra.initialize_config_dir(version_base="1.3", config_dir=str(CONF)):
        config = hydra.compose(name, overrides)
    shown = [
        (f"{key}={_shown(OmegaConf.select(config, key))}", meaning)
        for key, _, meaning in explain(settings)
        if not _options(key)
    ]
    for field in dataclasses.fields(settings):
        if _options(field.name):
            shown.append((f"{field.name}={'|'.join(_options(field.name))}", field.metadata["meaning"]))
    width = max(len(text) for text, _ in shown if len(text) <= WIDEST)
    lines = [f"  {text:<{width}}  {meaning}" for text, meaning in shown]
    return "\n".join([f"{name}: {COMMANDS[name].summary}.", "", *lines])


def _shown(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _sentence(error: Exception, name: str) -> str:
    """Say in one sentence what Hydra or OmegaConf found wrong."""
    text = str(error)
    if merging := re.match(r"Error merging override (.*)", text):
        cause = error.__cause__
        reason = str(cause).splitlines()[0] if isinstance(cause, OmegaConfBaseException) else "it is not a valid value"
        return f"{merging[1]} does not fit: {reason}."
    first = text.splitlines()[0].rstrip(".") if text else type(error).__name__
    return f"The settings of {name} cannot be read: {first}."
