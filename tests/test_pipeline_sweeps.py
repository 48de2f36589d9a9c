"""Sweeps end in a table, whether `-m` or a settings file makes them; a job that fails stops them with its sentence."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT, prezero

from pipeline.sweeps import Job, sweep_table

PROGRAM = """
import dataclasses, sys
from pathlib import Path
from pipeline import catalogue, launch
from pipeline.errors import UserError
from pipeline.settings import setting

launch.CONF = Path(sys.argv.pop(1))
catalogue.COMMANDS["toy"] = catalogue.Entry("toy", "a toy")

@dataclasses.dataclass
class Settings:
    size: int = setting(1, "size")
    name: str = setting("x", "name")
    fast: bool = setting(False, "fast")

def main(settings):
    if settings.size == 13:
        raise UserError("13 brings bad luck.")
    print(f"<{settings.size} {settings.name}>")
    if settings.size == 0:
        return None
    return {"twice": 2 * settings.size, "share": settings.size / 3, "text": f"{settings.name}!"}

sys.argv[0] = "toy"
launch.Command("toy", Settings, main)(sys.argv[1:])
"""
BY_ITSELF = """
hydra:
  mode: MULTIRUN
  sweeper:
    params:
      size: 1000,2
"""


def toy(tmp_path, *arguments, settings_file=""):
    (tmp_path / "conf").mkdir(exist_ok=True)
    defaults = "defaults:\n  - settings/toy\n  - _self_\n"
    (tmp_path / "conf" / "toy.yaml").write_text(defaults + settings_file)
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "conf"), *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PREZERO_RUNS": str(tmp_path / "runs")},
    )


def last_lines(text: str, count: int) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[-count:]]


def test_a_sweep_ends_in_a_table_of_what_differed_and_what_came_out(tmp_path):
    done = toy(tmp_path, "-m", "size=1000,2,0", "name=a b", "fast=true")
    assert done.returncode == 0, done.stderr
    header, _, *rows = last_lines(done.stdout, 5)
    assert header == ["size", "twice", "share", "text"]  # not name, which is the same for all
    assert rows == [["1000", "2,000", "333.3", "a b!"], ["2", "4", "0.6667", "a b!"], ["0", "-", "-", "-"]]
    assert "Job 1 of the sweep: size=1000 name=a b fast=true\n\n<1000 a b>\n\nJob 2 of the sweep: " in done.stdout


def test_commas_of_a_text_mean_several_values_only_in_a_sweep(tmp_path):
    assert toy(tmp_path, "name=a,b").stdout == "<1 a,b>\n"
    swept = toy(tmp_path, "-m", "name=a,b").stdout
    assert [row[:2] for row in last_lines(swept, 2)] == [["a", "2"], ["b", "2"]] and "<1 b>" in swept
    assert "<1 x (é>" in toy(tmp_path, "-m", "size=1,2", "name=x (é").stdout
    quoted = toy(tmp_path, "-m", "size=1,2", "name='a,b'").stdout
    assert "<1 a,b>" in quoted and "<2 a,b>" in quoted
    assert "<3 n3>" in toy(tmp_path, "-m", "size=range(2,4)", "name=n${size}").stdout


def test_a_settings_file_can_make_a_command_a_sweep(tmp_path):
    done = toy(tmp_path, settings_file=BY_ITSELF)
    assert done.returncode == 0 and done.stderr == ""
    assert last_lines(done.stdout, 2) == [["1000", "2,000", "333.3", "x!"], ["2", "4", "0.6667", "x!"]]
    several = toy(tmp_path, "name=a,b", "size=5", settings_file=BY_ITSELF)  # the command line comes last
    assert last_lines(several.stdout, 3)[1:] == [["a", "10", "1.667", "a!"], ["b", "10", "1.667", "b!"]]
    assert "<1000 été (2>" in toy(tmp_path, "name=été (2", settings_file=BY_ITSELF).stdout
    shown = toy(tmp_path, "--help", settings_file=BY_ITSELF)
    assert shown.returncode == 0 and "size=1 " in shown.stdout


@pytest.mark.parametrize("settings_file", ["", BY_ITSELF])
def test_a_job_that_fails_stops_the_sweep_with_its_sentence(tmp_path, settings_file):
    done = toy(tmp_path, *([] if settings_file else ["-m"]), "size=1,13,2", settings_file=settings_file)
    assert done.returncode == 2 and done.stderr == "prezero: 13 brings bad luck.\n"
    assert "<1 x>" in done.stdout and "<2 x>" not in done.stdout and "|" not in done.stdout


def test_without_a_sweep_there_is_no_table(tmp_path):
    assert toy(tmp_path, "size=2").stdout == "<2 x>\n"
    assert sweep_table([Job({"a": "1"}, {}), Job({"a": "2"}, {})]) == ""
    assert sweep_table([Job({"a": "1"}, {"b": 1})]) == ""


def test_stages_return_their_headlines(tmp_path):
    done = prezero("go.random_play", "scale=tiny", "-m", "playouts=100,200", "run=r${playouts}", runs=tmp_path)
    header, _, *rows = last_lines(done.stdout, 4)
    assert header == ["playouts", "run", "moves", "black wins"]
    assert [row[:2] for row in rows] == [["100", "r100"], ["200", "r200"]] and " ± " in rows[0][2]
