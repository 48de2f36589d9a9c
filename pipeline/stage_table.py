"""The table of a lineage: its stages with their time and result, redrawn in place in a terminal."""

import dataclasses
import shutil
import sys

from pipeline.progress import duration

TO_COME, RUNNING, DONE, FAILED = "", "running", "done", "stopped"
HEADER = ("stage", "", "time", "result")


@dataclasses.dataclass
class Row:
    """A stage: its state, the seconds it has taken in all attempts (None if not known), and its result or progress."""

    stage: str
    state: str = TO_COME
    seconds: float | None = None
    text: str = ""


class StageTable:
    """The rows of all stages. `draw` shows them in a terminal, over those that it showed last."""

    def __init__(self, stages: list[str]) -> None:
        self.rows = [Row(stage) for stage in stages]
        self.height = 0  # lines on the screen

    def row(self, stage: str) -> Row:
        return next(row for row in self.rows if row.stage == stage)

    def lines(self) -> list[str]:
        cells = [HEADER, *(self._cells(row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return [
            f"{name:<{widths[0]}}  {state:<{widths[1]}}  {time:>{widths[2]}}  {text}".rstrip()
            for name, state, time, text in cells
        ]

    def _cells(self, row: Row) -> tuple[str, str, str, str]:
        return row.stage, row.state, "" if row.seconds is None else duration(row.seconds), row.text

    def draw(self) -> None:
        """Show the table in the terminal, cut to its width: a wrapped line cannot be drawn over."""
        columns, height = shutil.get_terminal_size()
        lines = [line[: columns - 1] for line in self.lines()[: height - 1]]
        up = f"\x1b[{self.height}A\r" if self.height else ""
        print(up + "".join(f"\x1b[K{line}\n" for line in lines), end="", file=sys.stdout, flush=True)
        self.height = len(lines)
