"""The style of all plots. The same numbers give the same file, byte for byte."""

import io
import textwrap
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, FuncFormatter, MaxNLocator

from pipeline.artefact import write_atomic
from pipeline.errors import UserError
from pipeline.training import History

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
COLORS = (ACCENT, "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # also told apart by the colour-blind
DASHES = ("-", "--", ":", "-.")
MANY = 40  # points of a curve above which dots would overlap
MARGIN, LINE_HEIGHT = 20, 0.06  # of labels beside a plot: characters in a line; height as a share of the plot's
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


class Panel(NamedTuple):
    """A part of a figure of learning curves: measures that share an axis.

    `measures` give each a name for the legend, and are drawn in different dashes: the first one solid. `lines` are
    values to compare with, by what they are.
    """

    title: str
    measures: Mapping[str, str]
    percent: bool = False
    lines: Mapping[str, float] = {}


def draw_curves(path: Path, histories: Mapping[str, History], unit: str, panels: list[Panel], title: str = "") -> None:
    """Draw learning curves: a panel for each group of measures, a colour for each history.

    Entries that lack a measure are left out of its curve. The legend is below, where no curve can come to be.
    """
    width = 4.8 * max(len(panels), 1.4)
    with figure(path, height=4.2 + 0.3 * bool(title), width=width) as made:
        colors = dict(zip(histories, _around(COLORS, len(histories)), strict=True))
        shared = [panel.measures.values() for panel in panels if len(panel.measures) > 1]  # others need no legend
        names = {name: None for measures in shared for name in measures}  # each once, in their order
        dashes = dict(zip(names, _around(DASHES, len(names)), strict=True))
        for axes, panel in zip(made.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
            for name, history in histories.items():
                for measure, shown in panel.measures.items():
                    points = [(entry[unit], entry[measure]) for entry in history if measure in entry]
                    look = {"marker": "o", "markersize": 3} if len(points) < MANY else {}
                    if points:
                        axes.plot(
                            *zip(*points, strict=True),
                            color=colors[name],
                            linestyle=dashes.get(shown, DASHES[0]),
                            **look,
                        )
            axes.set(title=panel.title, xlabel=unit)
            axes.set_xlim(left=0)
            axes.xaxis.set_major_locator(MaxNLocator(6))
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
            if panel.percent:
                axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g}%"))
            _draw_lines(axes, panel.lines)
        handles = [Line2D([], [], color=color, label=name) for name, color in colors.items() if len(colors) > 1]
        if len(dashes) > 1:
            handles += [Line2D([], [], color=INK, linestyle=dash, label=name) for name, dash in dashes.items()]
        if handles:
            widest = 0.7 + 0.1 * max(len(str(handle.get_label())) for handle in handles)  # about, in inches
            columns = max(1, min(len(handles), int(width / widest)))
            made.legend(handles=handles, loc="outside lower center", ncols=columns, handlelength=3)
        if title:
            made.suptitle(title, x=0.01, horizontalalignment="left", fontsize=13)


def _around(values: tuple[str, ...], count: int) -> list[Any]:
    return [values[number % len(values)] for number in range(count)]


def _draw_lines(axes: Axes, lines: Mapping[str, float]) -> None:
    """Draw lines to compare with. Their labels are in the margin, moved apart where they are close."""
    for value in lines.values():
        axes.axhline(value, color=INK, linestyle=(0, (1, 2)), linewidth=1.2)
    lowest, highest = axes.get_ylim()
    axes.set_ylim(lowest, highest)  # which the labels must not change any more
    above = sorted(lines.items(), key=lambda line: -line[1])
    texts = [textwrap.fill(label, MARGIN) for label, _ in above]
    halves = [LINE_HEIGHT * (1 + text.count("\n")) / 2 for text in texts]
    places = [(value - lowest) / (highest - lowest) for _, value in above]
    for i in range(1, len(places)):
        places[i] = min(places[i], places[i - 1] - halves[i - 1] - halves[i])
    at: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "verticalalignment": "center"}
    for text, place in zip(texts, places, strict=True):
        axes.annotate(text, (1, place), (5, 0), fontsize=8.5, **at)
