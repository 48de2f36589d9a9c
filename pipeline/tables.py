"""Markdown tables that a terminal shows well, too."""

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table whose columns stand in line; all but the first hold numbers and end at the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]

    def line(cells: Sequence[str]) -> str:
        first, *numbers = zip(cells, widths, strict=True)
        return " | ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in numbers)])

    return "\n".join(f"| {line(cells)} |" for cells in (header, rule, *rows))
