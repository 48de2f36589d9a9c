"""A player tells nobody anything: no file outside the project, and no look-up of a server.

ONNX Runtime looks up its vendor's server in native code about eight seconds after it is imported. Python does not see
that, so a small library stands in for the look-up of the C library and notes every name.
"""

import os
import re
import shutil
import subprocess
import sys
import time

import pytest
from conftest import ROOT

WAIT = 15  # seconds
SPY = r"""
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    FILE *log = fopen(getenv("SPY_LOG"), "a");
    fprintf(log, "%s\n", name ? name : "(none)");
    fclose(log);
    return EAI_FAIL;
}
"""


@pytest.fixture
def watched(tmp_path):
    """Return an environment with a new home folder, in which `tmp_path/log` notes every name that is looked up."""
    if sys.platform != "linux" or shutil.which("gcc") is None:
        pytest.skip("look-ups in native code can only be watched on Linux with gcc")
    (tmp_path / "spy.c").write_text(SPY)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "spy.so", tmp_path / "spy.c"], check=True)
    (tmp_path / "home").mkdir()
    (tmp_path / "log").touch()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_", "CI"))}
    return environment | {
        "HOME": str(tmp_path / "home"),
        "LD_PRELOAD": str(tmp_path / "spy.so"),
        "SPY_LOG": str(tmp_path / "log"),
        "PYTHONPATH": str(ROOT),
    }


def test_look_ups_are_noted(watched, tmp_path):
    ask = "import socket; socket.getaddrinfo('prezero.invalid', 80)"
    assert subprocess.run([sys.executable, "-c", ask], env=watched, stderr=subprocess.DEVNULL).returncode == 1
    assert (tmp_path / "log").read_text() == "prezero.invalid\n"


def test_a_player_writes_nothing_to_the_home_folder_and_looks_up_nothing(watched, tmp_path):
    command = [sys.executable, "-m", "pipeline", "gtp", "player=sl"]
    with subprocess.Popen(
        command, env=watched, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as player:
        player.stdin.write("boardsize 9\ngenmove b\n")
        player.stdin.flush()
        assert [player.stdout.readline() for _ in range(3)][:2] == ["= \n", "\n"]
        time.sleep(WAIT)
        assert player.communicate("quit\n")[0].endswith("= \n\n") and player.returncode == 0
    written = [path.name for path in (tmp_path / "home").rglob("*")]
    assert (written, (tmp_path / "log").read_text()) == ([], "")


def test_only_the_module_that_turns_telemetry_off_imports_onnx_runtime():
    """What ONNX Runtime does when it is imported cannot be undone, so nobody may import it first."""
    imports = re.compile(r"^\s*(import|from) onnxruntime\b", re.MULTILINE)
    found = [path for path in ROOT.glob("*/*.py") if imports.search(path.read_text(encoding="utf-8"))]
    assert found == [ROOT / "nets" / "runtime.py"]
