"""The plain style of all plots, and how they are written: the same numbers give the same file, byte for byte."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from matplotlib import style
from matplotlib.figure import Figure

from pipeline.artefact import write_atomic
from pipeline.errors import UserError

INK, FAINT, ACCENT = "#333333", "#d9d9d9", "#0072b2"
STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 16,  # room for notes between plot and title
    "axes.titlesize": 12,
    "figure.constrained_layout.h_pad": 0.12,
    "figure.constrained_layout.w_pad": 0.12,
    "font.size": 10,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "hatch.color": "#9a9a9a",
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.fonttype": "none",  # text stays text: small files that can be searched
    "svg.hashsalt": "prezero",  # names inside the file do not change from run to run
}
DOTS_PER_INCH = 150  # of a PNG
METADATA = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}


@contextmanager
def figure(path: Path, height: float = 3.8, width: float = 7.6) -> Iterator[Figure]:
    """Open a figure in the style of the house, and write it as SVG or PNG, as its name says, when all is drawn.

    The style is that of the moment when something is drawn, so whatever belongs to the figure is drawn within.
    """
    if path.suffix.lower() not in METADATA:
        raise UserError(f"{path} is neither an .svg nor a .png file.")
    with style.context(["default", STYLE]):  # whatever the user's own settings are
        made = Figure(figsize=(width, height), layout="constrained")
        yield made
        kind, buffer = path.suffix.lower(), io.BytesIO()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing")  # of names that the font does not have
            made.savefig(buffer, format=kind[1:], dpi=DOTS_PER_INCH, metadata=METADATA[kind])
    write_atomic(path, buffer.getvalue())
