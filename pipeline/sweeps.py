"""Sweeps, such as `-m seed=1,2,3`: each job prints its settings, and a final table has a row for each job."""

from typing import Any, NamedTuple

from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import RunMode

from pipeline.tables import table


class Job(NamedTuple):
    """A job of a sweep: its overrides, and the numbers or texts that it returned."""

    overrides: dict[str, str]
    returned: dict[str, Any]


def begin_job() -> dict[str, str] | None:
    """In a sweep, print which job begins and return its overrides; return None if there is no sweep."""
    hydra = HydraConfig.get()
    if hydra.mode != RunMode.MULTIRUN:
        return None
    overrides = {}
    for override in OverridesParser.create().parse_overrides(list(hydra.overrides.task)):
        value = override.value()  # a text comes without its quotation marks
        overrides[override.get_key_element()] = str(value).lower() if isinstance(value, bool) else str(value)
    shown = " ".join(f"{name}={value}" for name, value in overrides.items())
    print(f"{chr(10) if hydra.job.num else ''}Job {hydra.job.num + 1} of the sweep: {shown}\n", flush=True)
    return overrides


def sweep_table(jobs: list[Job]) -> str:
    """Return a table of the overrides that differ between jobs and of what the jobs returned; empty if nothing."""
    returned = list(dict.fromkeys(name for job in jobs for name in job.returned))
    if len(jobs) < 2 or not returned:
        return ""
    names = dict.fromkeys(name for job in jobs for name in job.overrides)
    swept = [name for name in names if len({job.overrides.get(name) for job in jobs}) > 1]
    rows = [
        [*(job.overrides.get(name, "") for name in swept), *(_shown(job.returned.get(name)) for name in returned)]
        for job in jobs
    ]
    return table([*swept, *returned], rows)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
