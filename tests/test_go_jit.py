"""The kernel cache: warm after the first run, and never stale, whichever file changed."""

import os
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

from go.jit import KEPT_CACHES, cache_folder, sources_fingerprint


def make_project(root: Path) -> None:
    """Two kernels in two files, one calling the other, with a copy of the real decorator."""
    (root / "go").mkdir()
    (root / "go" / "jit.py").write_text((ROOT / "go" / "jit.py").read_text())
    (root / "go" / "inner.py").write_text("from go.jit import kernel\n\n@kernel\ndef inner(x):\n    return x + 1\n")
    (root / "go" / "outer.py").write_text(
        "from go.inner import inner\nfrom go.jit import kernel\n\n@kernel\ndef outer(x):\n    return 10 * inner(x)\n"
    )


def run_outer(root: Path) -> tuple[str, str]:
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    code = f"import sys; sys.path.insert(0, {str(root)!r}); from go.outer import outer; print(outer(1))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, env=environment, cwd=root)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def test_a_second_run_compiles_nothing_and_a_changed_callee_is_noticed(tmp_path):
    make_project(tmp_path)
    answer, said = run_outer(tmp_path)
    assert answer == "20" and "compiling go.outer.outer (once" in said
    assert run_outer(tmp_path) == ("20", "")
    inner = tmp_path / "go" / "inner.py"
    inner.write_text(inner.read_text().replace("x + 1", "x + 2"))
    answer, said = run_outer(tmp_path)
    assert answer == "30" and "compiling go.outer.outer" in said  # numba's own cache would have said 20


def test_only_files_with_kernels_and_what_they_import_count(tmp_path):
    make_project(tmp_path)
    before = sources_fingerprint(tmp_path)
    (tmp_path / "go" / "other.py").write_text("x = 1\n")
    assert sources_fingerprint(tmp_path) == before
    inner = tmp_path / "go" / "inner.py"
    inner.write_text("from go.other import x\n" + inner.read_text())  # now its constants may be compiled in
    before = sources_fingerprint(tmp_path)
    (tmp_path / "go" / "other.py").write_text("x = 2\n")
    assert sources_fingerprint(tmp_path) != before
    before = sources_fingerprint(tmp_path)
    (tmp_path / "go" / "other.py").write_text("@kernel\n")
    assert sources_fingerprint(tmp_path) != before


def test_old_caches_are_dropped(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    make_project(tmp_path)
    folders = []
    for version in range(KEPT_CACHES + 2):
        (tmp_path / "go" / "other.py").write_text(f"@kernel  # {version}\n")
        folders.append(cache_folder(tmp_path))
        os.utime(folders[-1], (version, version))
    assert [folder.exists() for folder in folders[-2:]] == [True, True]
    assert sum(folder.exists() for folder in folders) == KEPT_CACHES
