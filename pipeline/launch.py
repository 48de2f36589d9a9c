"""Run a function as a command, with settings that Hydra composes.

Settings come from `conf/<command>.yaml`, the groups in `conf/` and the command line, in this order, and are validated
before the function starts. A sweep (`-m`) ends in a table of what its jobs returned (`pipeline.sweeps`). Bad input is
answered with one sentence and exit code 2 instead of Hydra's several lines or a traceback.
"""

import dataclasses
import difflib
import errno
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import hydra
import yaml
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from pipeline.artefact import ROOT, runs_folder
from pipeline.catalogue import COMMANDS, HELP, load
from pipeline.errors import INTERRUPTED, UserError, fail
from pipeline.process import prepare_process
from pipeline.settings import explain, validate
from pipeline.sweeps import Job, begin_job, sweep_table

CONF = ROOT / "conf"
SWEEP = ("-m", "--multirun")
WIDEST = 60  # characters of a setting in --help; the meanings of longer ones are not aligned
TORCH_INSTALLATION = f"{sys.executable} -m pip install -c {ROOT / 'constraints.txt'} -e '{ROOT}[train]'"
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


@dataclasses.dataclass(frozen=True)
class Command:
    """A command: its name, its settings, and the function that is called with them.

    What `main` returns, a few numbers or texts by name, becomes a row of the table that ends a sweep. `refusals` are
    exceptions whose message is for the user, in addition to `UserError`.
    """

    name: str
    settings: type
    main: Callable[[Any], dict[str, Any] | None]
    refusals: tuple[type[Exception], ...] = ()

    def __call__(self, arguments: list[str]) -> None:
        """Run the command with the arguments of a command line."""
        _run(self, arguments)


def launch(name: str) -> None:
    """Run a command of the catalogue with the arguments of this process.

    The command is imported, even if its file was started as a program. So the class of its settings has the same name
    in every process, and settings can be pickled.
    """
    prepare_process()
    load(name)(sys.argv[1:])


def compose(command: Command, overrides: Sequence[str] = ()) -> DictConfig:
    """Return the settings of a command under overrides, without running it. Another command may be running."""
    _register(command)
    hydras = GlobalHydra.instance()
    running, hydras.hydra = hydras.hydra, None
    try:
        with hydra.initialize_config_dir(version_base="1.3", config_dir=str(CONF)):
            return hydra.compose(command.name, list(overrides))
    finally:
        hydras.hydra = running


def _register(command: Command) -> None:
    ConfigStore.instance().store(group="settings", name=command.name, node=command.settings, package="_global_")


def _run(command: Command, arguments: list[str]) -> None:
    name = command.name
    jobs: list[Job] = []
    refusals: tuple[type[Exception], ...] = (UserError, *command.refusals)

    def start(config: DictConfig) -> None:  # catches everything itself, because Hydra would add a line to the message
        try:
            overrides = begin_job()
            settings = OmegaConf.to_object(config)
            validate(settings)
            jobs.append(Job(overrides, command.main(settings) or {}))
        except refusals as error:
            fail(str(error))
        except OmegaConfBaseException as error:
            fail(_sentence(error, name))
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            fail(f"This needs PyTorch, which playing does not; install it with {TORCH_INSTALLATION}")
        except BrokenPipeError:
            _stop_writing()
        except (MemoryError, RuntimeError) as error:
            if not _is_out_of_memory(error):
                raise
            reason = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else "none is left"
            fail(f"There is not enough memory for these settings ({reason}).")
        except OSError as error:
            if error.errno in NO_SPACE:
                fail(f"There is no space left on the disk ({error.strerror}); make room and run the same again.")
            fail(f"{error.filename or name} cannot be used: {error.strerror or error}.")

    try:
        _run_hydra(command, arguments, start)
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


def _is_out_of_memory(error: Exception) -> bool:
    """Return whether memory was refused. torch raises a `RuntimeError` for it, of its own kind on a GPU."""
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or "can't allocate memory" in str(error)
    )


def _stop_writing() -> None:
    """Discard the rest of the output: its reader, such as `head`, has closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run_hydra(command: Command, arguments: list[str], start: Callable[[DictConfig], None]) -> None:
    rest = [argument for argument in arguments if argument not in HELP]
    overrides = _overrides(rest, command.name, command.settings)
    if len(rest) < len(arguments):
        print(_help(command, [override for override in overrides if override not in SWEEP]))
        return
    _register(command)
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra then leaves errors to `_run`
    flags_first = sorted(overrides, key=lambda override: override not in SWEEP)  # as Hydra wants them
    sys.argv[1:] = [*flags_first, *_quiet()]
    hydra.main(version_base="1.3", config_path=str(CONF), config_name=command.name)(start)()


def _overrides(arguments: list[str], name: str, settings: type) -> list[str]:
    """Check the arguments and quote them for Hydra.

    Texts are quoted, because a path or a list of moves may contain any character. In a sweep, commas and calls such as
    `range(1,4)` keep their meaning.
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
            is_open = fields.get(key.partition(".")[0]) is Any  # a listing, whose contents we do not declare
            if key not in fields and not options and not is_open and not key.startswith("hydra"):
                close = difflib.get_close_matches(key, fields, n=1)
                hint = f"did you mean {close[0]}?" if close else f"./prezero {name} --help lists them."
                raise UserError(f"{name} has no setting {key!r}; {hint}")
            is_swept = sweeps and re.search(r",|^\w+\(.*\)$", value)
            if fields.get(key) is str and not options and not is_swept and not re.fullmatch(r"'.*'|\".*\"", value):
                argument = f"{key}={_quoted(value)}"
        checked.append(argument)
    return checked


def _sweeps_by_itself(name: str) -> bool:
    """Return whether the settings file of a command makes it a sweep even without `-m`."""
    settings = yaml.safe_load((CONF / f"{name}.yaml").read_text(encoding="utf-8")) or {}
    return (settings.get("hydra") or {}).get("mode") == RunMode.MULTIRUN.name


def _quoted(text: str) -> str:
    """Quote a text for Hydra, whatever characters are in it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _quiet() -> list[str]:
    """Return overrides that keep Hydra from writing files and logs: results have their own folders."""
    return [
        "hydra.output_subdir=null",
        "hydra.run.dir=.",
        f"hydra.sweep.dir={_quoted(str(runs_folder() / '.sweep'))}",
        "hydra.sweep.subdir=.",
        "hydra/job_logging=none",
        "hydra/hydra_logging=none",
    ]


def _options(group: str) -> list[str]:
    """List the presets of a group, 9x9 before 13x13."""
    names = (path.stem for path in (CONF / group).glob("*.yaml"))
    return sorted(names, key=lambda name: (len(name) if name[0].isdigit() else 0, name))


def _help(command: Command, overrides: list[str]) -> str:
    """List the settings: their values under the overrides, their meanings, and the values they allow."""
    config, settings, name = compose(command, overrides), command.settings, command.name
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
    """Turn an error of Hydra or OmegaConf into one sentence."""
    text = str(error)
    if merging := re.match(r"Error merging override (.*)", text):
        cause = error.__cause__
        reason = str(cause).splitlines()[0] if isinstance(cause, OmegaConfBaseException) else "it is not a valid value"
        return f"{merging[1]} does not fit: {reason}."
    first = text.splitlines()[0].rstrip(".") if text else type(error).__name__
    return f"The settings of {name} cannot be read: {first}."
