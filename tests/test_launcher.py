"""./prezero itself: what it does on first use, and its one sentence for everything that may be in the way.

In most tests a stand-in for Python answers the launcher's calls, so that nothing is downloaded.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from conftest import ROOT

from pipeline.catalogue import COMMANDS

TOOLS = (
    *("sh", "dirname", "readlink", "cksum", "cat", "mkdir", "rm", "cp", "tail", "grep", "chmod", "env", "sleep"),
    *("sort", "xargs"),
)

# Knows the ways in which the launcher calls Python. FAKE_VERSION is its version; FAKE_VENV, FAKE_PIP and FAKE_SETUP, if
# set, are what `venv`, `pip` and `setup` complain of before they fail; a file no-pip says that there is none; FAKE_SLOW
# is for how long pip works. Calls of pip are noted in pip.txt, those of setup in setup.txt. The extra that a command
# needs is asked of the real catalogue.
FAKE_PYTHON = """#!/bin/sh
case "$1 $2" in
    "-c ")  exit 0 ;;
    "-c import sys; print"*) echo "${FAKE_VERSION:-3.12}"; exit 0 ;;
    "--version "*) echo "Python ${FAKE_VERSION:-3.12}" ;;
    "-m venv") [ -z "$FAKE_VENV" ] || { echo "$FAKE_VENV"; exit 1; }
        mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
    "-m pip") [ "$3" != --version ] || { [ ! -e no-pip ]; exit; }
        [ -z "$FAKE_SLOW" ] || sleep "$FAKE_SLOW"
        shift 3; echo "$PIP_CONSTRAINT $PIP_BUILD_CONSTRAINT $*" >>pip.txt
        echo "Collecting numba==1"; echo "Installing collected packages: numba"
        [ -z "$FAKE_PIP" ] || { echo "$FAKE_PIP"; exit 1; } ;;
    "-m pipeline.catalogue") cd "ROOT" && exec "PYTHON" "$@" ;;
    "-m pipeline") shift 2; [ "$1" != setup ] || { echo "$*" >>setup.txt; echo "[1/1] a player"; cat
        [ -z "$FAKE_SETUP" ] || { echo "$FAKE_SETUP"; exit 1; }; exit 0; }
        echo "ran: $*" ;;
    *) echo "unexpected call: $*" >&2; exit 99 ;;
esac
""".replace("ROOT", str(ROOT)).replace("PYTHON", sys.executable)
INSTALLED = "constraints.txt constraints.txt --no-input -e ."


@pytest.fixture
def project(tmp_path):
    """A project with the real launcher, and a PATH with the usual tools and a Python that is only pretended."""
    folder = tmp_path / "my project"
    folder.mkdir()
    shutil.copy(ROOT / "prezero", folder / "prezero")
    (folder / "pyproject.toml").write_text("[project]\n")
    (folder / "constraints.txt").write_text("numba==1\n")
    (folder / "go").mkdir()
    (folder / "go" / "board.py").write_text("@kernel\ndef play(): ...\n")
    (folder / "go" / "text.py").write_text("text = 1\n")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for tool in TOOLS:
        (bin_folder / tool).symlink_to(shutil.which(tool))
    (bin_folder / "python3").write_text(FAKE_PYTHON)
    (bin_folder / "python3").chmod(0o755)
    return folder


def call(
    project: Path, *arguments: str, script: Path | None = None, input: str = "", **environment: str
) -> subprocess.CompletedProcess:
    return subprocess.run(
        [script or project / "prezero", *arguments],
        input=input,
        capture_output=True,
        text=True,
        cwd=project,
        env={"PATH": str(project.parent / "bin"), "HOME": str(project.parent), **environment},
    )


def pip_calls(project: Path) -> list[str]:
    log = project / "pip.txt"
    return log.read_text().splitlines() if log.exists() else []


def test_the_first_call_installs_and_goes_on_and_later_ones_start_at_once(project):
    first = call(project, "lineage", "scale=tiny")
    assert first.returncode == 0 and first.stdout == "ran: lineage scale=tiny\n"
    assert first.stderr.splitlines() == [
        "prezero: making the environment .venv with Python 3.12",
        "prezero: installing the packages for train (once)",
        "  numba==1",
        "  unpacking",
        "prezero: compiling what playing needs (once, about a minute)",
        "[1/1] a player",
    ]
    second = call(project, "go.show")
    assert (second.returncode, second.stdout, second.stderr) == (0, "ran: go.show\n", "")
    assert pip_calls(project) == [f"{INSTALLED}[train]"]


def test_commands_run_without_telemetry_and_without_modules_of_the_current_folder(project):
    call(project)
    (project / ".venv" / "bin" / "python").write_text("#!/bin/sh\necho $ORT_DISABLE_TELEMETRY $PYTHONSAFEPATH\n")
    assert call(project, "gtp", ORT_DISABLE_TELEMETRY="0").stdout.splitlines()[-1] == "1 1"


def test_each_group_is_installed_when_it_is_first_needed(project):
    commands = (
        "",
        "gtp",
        "sl_policy.train",
        "gtp",
        "classroom",
        "lineage",
        "test",
        "classroom",
        "lint",
        "bench",
        "test",
    )
    for command in (*commands, "lineage"):
        assert call(project, *command.split()).returncode == 0
    groups = ("", "[train]", "[classroom]", "[dev]", "[bench]")
    assert pip_calls(project) == [INSTALLED + group for group in groups]


def test_what_tests_need_includes_the_classroom(project):
    for command in ("test", "classroom", "gtp"):
        assert call(project, command).returncode == 0
    assert pip_calls(project) == [f"{INSTALLED}[dev]"]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_launcher_installs_what_the_catalogue_says(command, project):
    assert call(project, command).returncode == 0
    extra = COMMANDS[command].extra
    assert pip_calls(project) == [INSTALLED + (f"[{extra}]" if extra != "base" else "")]


def test_kernels_are_compiled_anew_when_their_files_change_but_not_while_a_program_waits(project):
    def compiles(*arguments: str) -> int:
        (project / "setup.txt").write_text("")
        assert call(project, *arguments).returncode == 0
        return len((project / "setup.txt").read_text().splitlines())

    assert compiles("gtp") == 1 and compiles("gtp") == 0
    (project / "go" / "text.py").write_text("text = 2\n")
    assert compiles("go.show") == 0
    (project / "go" / "board.py").write_text("@kernel\ndef play(): return 1\n")
    assert [compiles(command) for command in ("gtp", "test", "lint", "go.show", "go.show")] == [0, 0, 0, 1, 0]
    assert compiles("setup") == 1
    helped = call(project, "setup", "--help")  # the command answers by itself
    assert (helped.returncode, helped.stdout, helped.stderr) == (0, "[1/1] a player\n", "")


def test_compiling_says_nothing_on_the_standard_output_and_leaves_the_input_to_the_command(project):
    done = call(project, "gtp", input="quit\n")
    assert done.stdout == "ran: gtp\n" and "[1/1] a player" in done.stderr and "quit" not in done.stderr


def test_a_failed_compilation_is_tried_again(project):
    done = call(project, "gtp", FAKE_SETUP="prezero: no memory.")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.splitlines()[-2:] == [
        "prezero: no memory.",
        "prezero: could not compile what playing needs; the reason is above.",
    ]
    done = call(project, "gtp")
    assert done.stdout == "ran: gtp\n" and "[1/1] a player" in done.stderr and len(pip_calls(project)) == 1


def test_changed_pins_and_a_moved_folder_are_installed_anew(project):
    call(project)
    (project / "pyproject.toml").write_text("[project]\n# other pins\n")
    call(project)
    (project / "constraints.txt").write_text("numba==2\n")
    call(project)
    moved = project.rename(project.parent / "moved")
    said = call(moved).stderr.splitlines()
    assert said[0] == "prezero: the environment .venv is broken or was moved, and will be made anew"
    assert pip_calls(moved) == [INSTALLED] * 4


def test_it_may_be_called_through_a_link_from_anywhere(project):
    (project.parent / "link").symlink_to("my project/prezero")
    done = call(project, "x", script=project.parent / "link")
    assert done.stdout == "ran: x\n" and (project / ".venv").is_dir()


def test_no_python(project):
    (project.parent / "bin" / "python3").unlink()
    done = call(project)
    assert done.returncode == 2 and not (project / ".venv").exists()
    assert done.stderr == (
        "prezero: needs Python 3.11, 3.12 or 3.13, and found none; "
        "install one, or name it with PREZERO_PYTHON=/path/to/python.\n"
    )


@pytest.mark.parametrize("version", ["3.9", "3.14"])
def test_a_python_that_is_too_old_or_too_new(version, project):
    done = call(project, FAKE_VERSION=version)
    assert done.returncode == 2 and not (project / ".venv").exists()
    assert done.stderr == (
        f"prezero: needs Python 3.11, 3.12 or 3.13, but python3 is Python {version}; "
        "install one, or name it with PREZERO_PYTHON=/path/to/python.\n"
    )


def test_another_python_may_be_named(project):
    other = project.parent / "other python"
    (project.parent / "bin" / "python3").rename(other)
    assert call(project, "x", PREZERO_PYTHON=str(other)).stdout == "ran: x\n"


def test_no_venv_module(project):
    done = call(project, FAKE_VENV="No module named ensurepip")
    assert done.returncode == 2 and not (project / ".venv").exists()
    assert done.stderr.splitlines()[-1] == (
        "prezero: python3 cannot make a virtual environment (see .venv.log); "
        "on Debian and Ubuntu: apt install python3-venv."
    )
    assert "ensurepip" in (project / ".venv.log").read_text()
    assert call(project, "x").stdout == "ran: x\n"


def test_other_complaints_of_pip_are_passed_on(project):
    done = call(project, FAKE_PIP="ERROR: No matching distribution found for numba==1")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "prezero: pip could not install the packages: ERROR: No matching distribution found for numba==1 "
        f"({project}/.venv/install.log)."
    )
    assert call(project, "x").stdout == "ran: x\n"


def test_a_broken_environment_of_ours_is_made_anew(project):
    call(project)
    (project / ".venv" / "bin" / "python").unlink()
    done = call(project, "x")
    assert done.stdout == "ran: x\n"
    assert done.stderr.splitlines()[0] == "prezero: the environment .venv is broken or was moved, and will be made anew"


def test_an_environment_that_was_interrupted_before_it_had_pip_is_made_anew(project):
    (project / "no-pip").touch()
    assert call(project, FAKE_PIP="ERROR: no pip").returncode == 2
    (project / "no-pip").touch()
    done = call(project, "x", FAKE_PIP="")
    assert "is broken or was moved, and will be made anew" in done.stderr and done.stdout == "ran: x\n"


def test_two_first_calls_at_once_install_once(project):
    environment = {"PATH": str(project.parent / "bin"), "FAKE_SLOW": "0.5"}
    options = {"cwd": project, "env": environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    both = [subprocess.Popen([project / "prezero", "x"], **options) for _ in range(2)]
    said = [process.communicate() for process in both]
    assert [out for out, _ in said] == ["ran: x\n"] * 2
    assert sum("waiting for another ./prezero" in err for _, err in said) == 1
    assert len(pip_calls(project)) == 1 and not (project / ".venv.lock").exists()


def test_the_lock_of_a_killed_call_is_taken_over(project):
    (project / ".venv.lock").mkdir()
    gone = subprocess.Popen(["true"])
    gone.wait()
    (project / ".venv.lock" / "pid").write_text(str(gone.pid))
    assert call(project, "x").stdout == "ran: x\n" and not (project / ".venv.lock").exists()


def test_a_bad_python_named_by_the_user(project):
    done = call(project, PREZERO_PYTHON="/nowhere/python")
    assert done.returncode == 2
    assert done.stderr == "prezero: PREZERO_PYTHON=/nowhere/python is not a Python 3.11, 3.12 or 3.13.\n"


def test_a_broken_environment_of_somebody_else_is_left_alone(project):
    (project / ".venv").mkdir()
    (project / ".venv" / "precious").write_text("x")
    done = call(project)
    assert done.returncode == 2 and (project / ".venv" / "precious").exists()
    assert done.stderr == f"prezero: {project}/.venv is broken and was not made by prezero; remove it and run again.\n"


def test_a_read_only_folder(project):
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as outside:  # where another user may look in, too
        Path(outside).chmod(0o755)
        folder = shutil.copytree(project, Path(outside) / "project")
        shutil.copytree(project.parent / "bin", Path(outside) / "bin", symlinks=True)
        folder.chmod(0o555)
        done = subprocess.run(
            [folder / "prezero"],
            capture_output=True,
            text=True,
            cwd=outside,
            env={"PATH": f"{outside}/bin"},
            user=65534 if root else None,
        )
        folder.chmod(0o755)
    assert done.returncode == 2
    assert done.stderr == (
        f"prezero: cannot write to {folder}, which is needed to install the packages; "
        "copy the project to a folder of yours.\n"
    )


def test_no_network(project):
    """The real Python and pip, with an index that refuses the connection."""
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, project / name)
    shutil.copytree(ROOT / "pipeline", project / "pipeline")
    done = call(
        project,
        PREZERO_PYTHON=sys.executable,
        PIP_CONFIG_FILE=os.devnull,
        PIP_INDEX_URL="http://127.0.0.1:9/simple",
        PIP_RETRIES="0",
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "prezero: cannot download the packages; connect to the network and run the same command again "
        f"({project}/.venv/install.log)."
    )
