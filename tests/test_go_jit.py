"""The kernel cache: warm after the first run, and never stale, whichever file changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from go.jit import KEPT_CACHES, _CheckedFiles, cache_folder, imported_files, sources_fingerprint


def make_project(root: Path) -> None:
    """Two kernels in two files, one calling the other, with a copy of the real decorator."""
    (root / "go").mkdir()
    (root / "go" / "jit.py").write_text((ROOT / "go" / "jit.py").read_text())
    (root / "go" / "inner.py").write_text("from go.jit import kernel\n\n@kernel\ndef inner(x):\n    return x + 1\n")
    (root / "go" / "outer.py").write_text(
        "from go.inner import inner\nfrom go.jit import kernel\n\n@kernel\ndef outer(x):\n    return 10 * inner(x)\n"
    )


def run_outer(root: Path) -> tuple[str, str]:
    environment = {key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
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


def test_a_module_depends_on_what_it_imports_and_on_nothing_else(tmp_path):
    make_project(tmp_path)
    go = tmp_path / "go"
    inner, outer = go / "inner.py", go / "outer.py"

    def fingerprints() -> tuple[str, str]:
        imported_files.cache_clear()
        return sources_fingerprint(tmp_path, inner), sources_fingerprint(tmp_path, outer)

    first = fingerprints()
    (go / "other.py").write_text("x = 1\n")
    assert fingerprints() == first
    outer.write_text(outer.read_text() + "# changed\n")
    second = fingerprints()
    assert second[0] == first[0] and second[1] != first[1]  # a caller may change without the callee
    for line in ("from go.other import x\n", "from go import other\n", "from go import (\n    other,\n)\n"):
        inner.write_text(line + inner.read_text())  # now its constants may be compiled in
        before = fingerprints()
        (go / "other.py").write_text(f"{(go / 'other.py').read_text()}\n")
        after = fingerprints()
        assert after[0] != before[0] and after[1] != before[1]
        inner.write_text(inner.read_text().removeprefix(line))


def test_old_caches_are_dropped(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    make_project(tmp_path)
    folders, inner = [], tmp_path / "go" / "inner.py"
    kept = cache_folder(tmp_path, tmp_path / "go" / "outer.py")
    for version in range(KEPT_CACHES + 2):
        inner.write_text(f"x = {version}\n")
        cache_folder.cache_clear()
        folders.append(cache_folder(tmp_path, inner))
        os.utime(folders[-1], (version, version))
    assert [folder.exists() for folder in folders[-2:]] == [True, True]
    assert sum(folder.exists() for folder in folders) == KEPT_CACHES
    assert kept.exists()


def damaged(content: bytes) -> list[bytes]:
    """What a power cut, a full disk or a bad disk leaves of a file."""
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    return [b"", content[:1], content[: len(content) // 2], content[:-1], bytes(len(content)), bytes(flipped)]


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_cache_file_counts_as_missing(tmp_path, ending):
    files = _CheckedFiles(str(tmp_path), "outer", "stamp")
    files.save("signature", list(range(100)))
    (path,) = tmp_path.glob(f"*.{ending}")
    for content in damaged(path.read_bytes()):
        path.write_bytes(content)
        assert files.load("signature") is None
        files.save("signature", list(range(100)))
        assert files.load("signature") == list(range(100))


def test_a_kernel_with_a_damaged_cache_is_compiled_again(tmp_path):
    make_project(tmp_path)
    run_outer(tmp_path)
    for ending, size in (("nbi", 0), ("nbc", 1000)):
        (path,) = tmp_path.rglob(f"outer.outer-*.{ending}")
        path.write_bytes(path.read_bytes()[:size])
        answer, said = run_outer(tmp_path)
        assert answer == "20" and "compiling go.outer.outer (once" in said
    assert run_outer(tmp_path) == ("20", "")
