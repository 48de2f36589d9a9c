"""What GoGui shows on its board: a player's reasons, and its numbers for each point as squares, colours or text."""

from collections.abc import Callable

import numpy as np

from go.abilities import HeatMapper, Judge
from gtp.session import Session
from gtp.syntax import SYNTAX_ERROR, Failure, check_count


def analyze_commands(session: Session, arguments: list[str]) -> str:
    """List what can be shown, as GoGui reads it: type, label and command."""
    check_count(arguments, 0)
    lines = ["hstring/Why the last move/prezero-why", "string/Score/final_score"]
    if isinstance(session.player, Judge):
        lines.append("plist/Dead stones/final_status_list dead")
    for name in session.player.heat_maps() if isinstance(session.player, HeatMapper) else ():
        label = name.capitalize()
        lines.append(f"cboard/{label}, colours/prezero-colors {name}")
        lines.append(f"dboard/{label}, squares/prezero-squares {name}")
        lines.append(f"sboard/{label}, numbers/prezero-numbers {name}")
    return "\n".join(lines)


def why(session: Session, arguments: list[str]) -> str:
    """Return the reason of the player's last decision, and its candidates."""
    check_count(arguments, 0)
    return session.why()


def squares(session: Session, arguments: list[str]) -> str:
    """Write a map as numbers from -1 to 1, which are drawn as white and black squares."""
    return _rows(_scaled(_heat_map(session, arguments)), lambda share: f"{share:.3f}")


def colors(session: Session, arguments: list[str]) -> str:
    """Write a map as colours: red for positive numbers, blue for negative ones."""

    def color(share: float) -> str:
        faint = round(255 * (1 - abs(share)))
        return '""' if faint == 255 else f"#ff{faint:02x}{faint:02x}" if share > 0 else f"#{faint:02x}{faint:02x}ff"

    return _rows(_scaled(_heat_map(session, arguments)), color)


def numbers(session: Session, arguments: list[str]) -> str:
    """Write a map as numbers that fit on a point of the board."""

    def text(value: float) -> str:
        short = f"{value:.0f}" if value == round(value) or abs(value) >= 100 else f"{value:.2f}"
        return '""' if float(short) == 0 else short

    return _rows(_heat_map(session, arguments), text)


def _heat_map(session: Session, arguments: list[str]) -> np.ndarray:
    maps = session.player.heat_maps()
    name = " ".join(arguments)
    if name not in maps:
        raise Failure(SYNTAX_ERROR, f"There is no map {name!r}; there are: {', '.join(maps)}.")
    size = session.position.size
    return np.nan_to_num(np.asarray(maps[name](session.view()), float), posinf=0.0, neginf=0.0).reshape(size, size)


def _scaled(heat: np.ndarray) -> np.ndarray:
    """Scale the largest number to 1 or -1, because probabilities of moves are often too small to be seen."""
    most = np.abs(heat).max()
    return heat / most if most > 0 else heat


def _rows(heat: np.ndarray, text: Callable[[float], str]) -> str:
    return "\n".join(" ".join(text(value) for value in row) for row in heat.tolist())


COMMANDS = {"gogui-analyze_commands": analyze_commands, "prezero-why": why}
MAPS = {"prezero-colors": colors, "prezero-squares": squares, "prezero-numbers": numbers}
