"""`./prezero pin`: write `constraints.txt`, the exact version of every package that ours need, directly or not.

The launcher hands the file to pip, so that an installation of next year has the packages of today. Versions are those
of the environment that runs this, which must have every extra of `pyproject.toml` (`./prezero test` and
`./prezero bench` install them). There are no hashes: the wheels of torch differ by platform.
"""

import sys
import tomllib
from collections.abc import Callable, Iterable
from importlib import metadata
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pipeline.artefact import ROOT, write_atomic
from pipeline.errors import UserError

CONSTRAINTS = ROOT / "constraints.txt"
PYTHONS = ("3.11", "3.12", "3.13")  # those of requires-python; what one of them needs is listed for all
# Only the CUDA build of torch needs these, and leaves their version open; its other packages it pins itself.
CUDA = {"cuda-bindings": "13.0.3", "cuda-pathfinder": "1.9.0"}
HEADER = """\
# Written by `./prezero pin`: the exact version of every package, indirect ones included. Do not edit by hand;
# change the pins in pyproject.toml, install them, and run it again.
"""

Find = Callable[[str], metadata.Distribution]


def project_requirements() -> list[Requirement]:
    """Return all requirements of `pyproject.toml`: base, extras and the build system."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project: dict[str, Any] = content["project"]
    extras = (line for lines in project["optional-dependencies"].values() for line in lines)
    requirements = map(Requirement, (*project["dependencies"], *extras, *content["build-system"]["requires"]))
    return [requirement for requirement in requirements if requirement.name != project["name"]]


def needed_packages(requirements: Iterable[Requirement], find: Find = metadata.distribution) -> dict[str, str]:
    """Return the versions of all packages that some requirements need on this platform, by name."""
    versions: dict[str, str] = {}
    todo, seen = list(requirements), set()
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        try:
            package = find(name)
        except metadata.PackageNotFoundError:
            if _applies(requirement, (_running(),)):
                raise UserError(f"{name} is not installed; ./prezero test and ./prezero bench install all.") from None
            continue  # another Python needs it
        versions[name] = package.version.partition("+")[0]  # torch names its build after the plus sign
        for extra in ("", *requirement.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                needed = map(Requirement, package.requires or ())
                todo += [other for other in needed if _applies(other, PYTHONS, extra)]
    return versions


def _applies(requirement: Requirement, pythons: Iterable[str], extra: str = "") -> bool:
    marker = requirement.marker
    return marker is None or any(
        marker.evaluate({"python_version": python, "python_full_version": f"{python}.0", "extra": extra})
        for python in pythons
    )


def _running() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def constraints(versions: dict[str, str]) -> str:
    """Write versions as the lines of a constraints file."""
    return HEADER + "".join(f"{name}=={version}\n" for name, version in sorted(versions.items()))


def pin(arguments: list[str]) -> int:
    """Write `constraints.txt` and return the exit code."""
    try:
        versions = needed_packages(project_requirements()) | CUDA
    except UserError as error:
        print(f"prezero: {error}", file=sys.stderr)
        return 2
    write_atomic(CONSTRAINTS, constraints(versions))
    print(f"{CONSTRAINTS.name} lists {len(versions)} packages.")
    return 0
