"""Markdown tables that are also readable in a terminal."""

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: bool = True) -> str:
    """Return a table with aligned columns. With `numbers`, columns of numbers are right-aligned, except the first."""
    lines = [[cell.replace("|", "\\|") for cell in row] for row in (header, *rows)]
    columns = list(zip(*lines, strict=True))
    widths = [max(3, *map(len, column)) for column in columns]
    at_right = [numbers and place > 0 and all(map(_is_number, column[1:])) for place, column in enumerate(columns)]
    lines.insert(1, ["-" * (width - right) + ":" * right for width, right in zip(widths, at_right, strict=True)])
    return "\n".join(
        "| "
        + " | ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, at_right, strict=True)
        )
        + " |"
        for line in lines
    )


def _is_number(cell: str) -> bool:
    return not cell or cell == "-" or cell.lstrip("+-")[:1].isdigit()
