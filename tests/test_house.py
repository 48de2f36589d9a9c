"""The house is in order: layers, packages, settings and pages agree with what is there."""

import doctest
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

from pipeline.artefact import VERSION
from pipeline.catalogue import COMMANDS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ROOMS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))


def test_each_room_knows_only_the_rooms_before_it():
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout
    assert "2 kept, 0 broken" in done.stdout


def test_every_room_is_installed_and_has_a_place_in_the_layers():
    contract = PROJECT["tool"]["importlinter"]["contracts"][0]
    assert PROJECT["tool"]["setuptools"]["packages"] == ROOMS
    assert PROJECT["tool"]["importlinter"]["root_packages"] == ROOMS
    assert PROJECT["tool"]["mypy"]["packages"] == ROOMS
    assert set(ROOMS) <= {layer.strip("()") for layer in contract["layers"]}
    assert not [room for room in ROOMS if f"({room})" in contract["layers"]]  # no longer optional once it is there


def test_every_engine_module_is_bound_by_the_contract_that_it_stands_alone():
    alone = PROJECT["tool"]["importlinter"]["contracts"][1]["source_modules"]
    modules = {f"go.{path.stem}" for path in (ROOT / "go").glob("*.py")} - {"go.__init__"}
    assert modules - set(alone) == {"go.random_play", "go.settings", "go.show"}


def test_versions_are_pinned_and_agree():
    groups = PROJECT["project"]["optional-dependencies"].values()
    pins = [
        *PROJECT["project"]["dependencies"],
        *(pin for group in groups for pin in group if not pin.startswith("prezero[")),
    ]
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", pin) for pin in pins)
    assert len({pin.split("==")[0]: pin for pin in pins}) == len(set(pins))
    assert PROJECT["project"]["version"] == VERSION


def test_the_pages_list_every_module_and_every_command():
    house, commands = ((ROOT / "docs" / f"{name}.md").read_text() for name in ("house", "commands"))
    for room in ROOMS:
        for path in (ROOT / room).glob("*.py"):
            if path.name not in ("__init__.py", "__main__.py"):
                assert f"`{path.stem}`" in house, f"{path.relative_to(ROOT)} is not in docs/house.md"
    for name in COMMANDS:
        assert f"./prezero {name}" in commands, f"{name} is not in docs/commands.md"


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "benchmarks"])
def test_each_room_has_a_small_public_interface_and_an_example_that_runs(room):
    module = importlib.import_module(room)
    examples = doctest.DocTestParser().get_examples(module.__doc__)
    assert 3 <= len(module.__all__) <= 8 and all(hasattr(module, name) for name in module.__all__)
    assert 3 <= len(examples) <= 10 and "Where to start reading" in module.__doc__
    assert any(f"from {room} import" in example.source for example in examples)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    result = runner.run(doctest.DocTest(examples, {}, room, module.__file__, 0, module.__doc__))
    assert result.failed == 0 and result.attempted == len(examples)


def test_links_between_pages_lead_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"
