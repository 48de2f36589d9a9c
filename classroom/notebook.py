"""Run a chapter in a Jupyter kernel, and write it as a page or as a notebook.

jupytext reads the cells, nbclient runs them, nbconvert writes the page with the template in `template/`. What Jupyter
would write to the user's home folder goes to a temporary folder instead.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbconvert import HTMLExporter
from traitlets.config import Config

from classroom.book import Chapter
from classroom.lesson import SCALE
from pipeline.artefact import ROOT, VERSION
from pipeline.errors import UserError
from pipeline.progress import Progress

TEMPLATES = Path(__file__).parent / "template"
CELL_SECONDS = 600
FOLDERS = {"IPYTHONDIR": "i", "JUPYTER_CONFIG_DIR": "c", "JUPYTER_RUNTIME_DIR": "r"}
# Sockets of the file system need no port and cannot be read by others. Their paths must be short, which those of
# temporary folders on macOS are not.
TRANSPORT = "ipc" if sys.platform == "linux" else "tcp"


@contextmanager
def _environment(scale: str) -> Iterator[dict[str, str]]:
    """Set what the kernel and Jupyter itself read from the environment. Yield the environment of the kernel."""
    with tempfile.TemporaryDirectory(prefix="pz-") as folder:
        changed = {name: str(Path(folder) / short) for name, short in FOLDERS.items()}
        before = {name: os.environ.get(name) for name in changed}
        os.environ.update(changed)
        try:
            path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
            yield {**os.environ, SCALE: scale, "PYTHONPATH": path, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


def read_cells(chapter: Chapter) -> Any:
    """Read a chapter as a notebook that has not been run."""
    notebook = jupytext.read(chapter.path)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["title"] = chapter.title
    return notebook


def run(chapter: Chapter, scale: str) -> Any:
    """Run the cells of a chapter in a new kernel. Return the notebook with what they show."""
    notebook = read_cells(chapter)
    with (
        _environment(scale) as environment,
        Progress(f"chapter {chapter.number}, cells", len(notebook.cells)) as progress,
    ):
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            kernel_name="python3",
            config=Config({"KernelManager": {"transport": TRANSPORT}}),
            resources={"metadata": {"path": str(ROOT)}},
            on_cell_complete=lambda cell, cell_index: progress.update(cell_index + 1 - progress.done),
        )
        try:
            client.execute(env=environment)
        except CellExecutionError as error:
            reason = f"{error.ename}: {error.evalue}".splitlines()[0].rstrip(".")
            raise UserError(
                f"{chapter.title} stopped at a cell ({reason}); run {chapter.path} for the details."
            ) from None
        except (AssertionError, DeadKernelError, TimeoutError, RuntimeError) as error:
            if client.km is None:  # nbclient answers Ctrl-C by ending the kernel, and then misses it
                raise KeyboardInterrupt from None
            reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
            raise UserError(f"{chapter.title} cannot be run: {reason}.") from None
    for cell in notebook.cells:  # times of execution would make every page differ
        cell.metadata.pop("execution", None)
    return notebook


def as_page(notebook: Any, chapter: Chapter, scale: str) -> str:
    """Return a notebook as one HTML page that needs no other file and no network."""
    exporter = HTMLExporter(template_name="prezero", extra_template_basedirs=[str(TEMPLATES)])
    exporter.exclude_input_prompt = exporter.exclude_output_prompt = True
    resources = {"chapter_title": chapter.title, "chapter": chapter.number, "scale": scale, "version": VERSION}
    page, _ = exporter.from_notebook_node(notebook, resources)
    return page


def as_notebook(notebook: Any) -> str:
    """Return a notebook as the content of an `.ipynb` file."""
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n"
