"""The pinned versions: `constraints.txt` agrees with `pyproject.toml` and with what is installed."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from types import SimpleNamespace

import pytest
from conftest import ROOT
from packaging.requirements import Requirement

from pipeline.catalogue import COMMANDS
from pipeline.errors import UserError
from pipeline.pin import CUDA, PYTHONS, constraints, needed_packages, project_requirements

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINNED = dict(re.findall(r"^([\w.-]+)==([\d.]+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE))


def test_every_pin_of_the_project_is_in_the_constraints():
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    pins = [line.split("==") for group in groups for line in group if "==" in line]
    assert len(pins) > 15
    assert {name: PINNED.get(name.replace("_", "-")) for name, _ in pins} == dict(pins)


def test_every_package_that_is_installed_for_us_is_in_the_constraints():
    """Without the extra bench, which `./prezero test` does not install."""
    bench = {Requirement(line).name for line in PROJECT["optional-dependencies"]["bench"]}
    needed = needed_packages(each for each in project_requirements() if each.name not in bench)
    assert needed.items() <= PINNED.items()
    assert {"llvmlite", "scipy", "pyyaml", "sympy", "execnet"} <= needed.keys()  # nobody names these but other packages


def test_nothing_else_is_in_the_constraints():
    """Those of bench are needed by nothing else, where it is not installed."""
    try:
        needed = needed_packages(project_requirements())
    except UserError:
        pytest.skip("the extra bench is not installed")
    assert PINNED.keys() == needed.keys() | CUDA.keys()
    assert constraints(PINNED) == (ROOT / "constraints.txt").read_text()


def test_pip_itself_finds_that_the_environment_keeps_to_the_constraints():
    # what only other platforms or the extra bench need may be missing here
    pins = [f"{name}=={version}" for name, version in PINNED.items() if _is_installed(name)]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "--no-deps", *pins]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "Would install" not in done.stdout, done.stdout + done.stderr


def _is_installed(name: str) -> bool:
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False


def test_packages_are_followed_through_extras_and_markers():
    installed = {
        "a": ("1", ["B[fast]>=1", "c; python_version < '3.12'", "w; sys_platform == 'win32'", "x; extra == 'more'"]),
        "b": ("2", ["d; extra == 'fast'", "e; extra == 'slow'", "a"]),
        "c": ("3", None),
        "d": ("4.1+cpu", []),
        "e": ("5", []),
        "x": ("6", []),
    }

    def find(name: str) -> SimpleNamespace:
        if name not in installed:
            raise metadata.PackageNotFoundError(name)
        version, requires = installed[name]
        return SimpleNamespace(version=version, requires=requires)

    assert needed_packages([Requirement("A")], find) == {"a": "1", "b": "2", "c": "3", "d": "4.1"}
    assert needed_packages([Requirement("a[more]")], find).keys() == set("abcdx")
    with pytest.raises(UserError, match=r"^gone is not installed; "):
        needed_packages([Requirement("gone")], find)


def test_the_supported_versions_of_python_are_named_alike_everywhere():
    first, last = PYTHONS[0], PYTHONS[-1].split(".")
    assert PROJECT["requires-python"] == f">={first},<{last[0]}.{int(last[1]) + 1}"
    assert " | ".join(PYTHONS) in (ROOT / "prezero").read_text()


def test_every_extra_of_a_command_exists():
    assert {entry.extra for entry in COMMANDS.values()} == {"base", *PROJECT["optional-dependencies"]}
