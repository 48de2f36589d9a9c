"""Lines of GTP to try a server with: sensible commands, commands with odd arguments, and lines that were mutated."""

import random
from collections.abc import Callable

COLUMNS = "ABCDEFGHJKLMNOPQRSTZ"
ODD = (
    "",
    "0",
    "-1",
    "007",
    "1e9",
    "nan",
    "inf",
    "x",
    "#",
    "pass",
    "resign",
    "Z99",
    "I5",
    "\x00",
    "é",
    "\u2003",
    "9" * 40,
)
NAMES = ("game0.sgf", "game1.sgf", "game2.sgf", "torn.sgf", "missing.sgf")
PRINTED = ("out1.sgf", "out2.sgf")
Draw = random.Random
INSERTED = (
    " ",
    "\t",
    "#",
    "\r",
    "\x00",
    "\x7f",
    "\x1b",
    "0",
    "9",
    "-",
    ".",
    "A",
    "b",
    "é",
    "\ufeff",
    "  ",
    '"',
    "\\",
    "=",
)


def color(draw: Draw) -> str:
    return draw.choice(("b", "w", "B", "W", "black", "white", "Black", "WHITE"))


def vertex(draw: Draw, size: int) -> str:
    if draw.random() < 0.06:
        return draw.choice(("pass", "PASS", *ODD))
    word = f"{draw.choice(COLUMNS[:size])}{draw.randint(1, size)}"
    return word.lower() if draw.random() < 0.3 else word


def number(draw: Draw) -> str:
    return draw.choice(("0", "1", "2", "5", "6.5", "7.5", "-3", "0.5", "10", "300", "1e3", *ODD[:9]))


def analysis(draw: Draw, size: int) -> str:
    parts = [draw.choice(("", color(draw))), draw.choice(("", "2", "5", "interval 3"))]
    parts.append(
        draw.choice(("", "", "ownership true", "maxmoves 3", f"avoid b {vertex(draw, size)} 10", "rootInfo true"))
    )
    return " ".join(part for part in parts if part)


# By command: how often it comes, and its arguments on a board of a size.
GRAMMAR: dict[str, tuple[float, Callable[[Draw, int], str]]] = {
    "play": (34, lambda draw, size: f"{color(draw)} {vertex(draw, size)}"),
    "genmove": (9, lambda draw, size: color(draw)),
    "reg_genmove": (2, lambda draw, size: color(draw)),
    "kgs-genmove_cleanup": (1, lambda draw, size: color(draw)),
    "undo": (8, lambda draw, size: ""),
    "clear_board": (1.5, lambda draw, size: ""),
    "boardsize": (
        1.5,
        lambda draw, size: draw.choice(("9", "9", "19", "5", "7", "13", "2", "3", "20", "1", number(draw))),
    ),
    "komi": (3, lambda draw, size: number(draw)),
    "fixed_handicap": (1, lambda draw, size: number(draw)),
    "place_free_handicap": (1, lambda draw, size: number(draw)),
    "set_free_handicap": (1, lambda draw, size: " ".join(vertex(draw, size) for _ in range(draw.randint(0, 4)))),
    "showboard": (2, lambda draw, size: ""),
    "printsgf": (1.5, lambda draw, size: draw.choice(("", "", "-", *PRINTED))),
    "loadsgf": (
        1.5,
        lambda draw, size: f"{draw.choice((*NAMES, *PRINTED))} {draw.choice(('', '', '1', '4', '999'))}".strip(),
    ),
    "final_score": (0.5, lambda draw, size: ""),
    "final_status_list": (1, lambda draw, size: draw.choice(("alive", "dead", "seki", "DEAD", "x"))),
    "time_settings": (1.5, lambda draw, size: " ".join(number(draw) for _ in range(3))),
    "time_left": (1.5, lambda draw, size: f"{color(draw)} {number(draw)} {number(draw)}"),
    "kgs-time_settings": (
        1,
        lambda draw, size: draw.choice(("none", "absolute 60", "byoyomi 10 5 3", "canadian 9 9 9", "x")),
    ),
    "protocol_version": (1, lambda draw, size: ""),
    "name": (1, lambda draw, size: ""),
    "version": (1, lambda draw, size: ""),
    "known_command": (1.5, lambda draw, size: draw.choice(("play", "genmove", "lz-analyze", "x", ""))),
    "list_commands": (1, lambda draw, size: ""),
    "gogui-analyze_commands": (0.5, lambda draw, size: ""),
    "prezero-why": (1, lambda draw, size: ""),
    "prezero-colors": (0.1, lambda draw, size: draw.choice(("prior", "visits", "x"))),
    "prezero-squares": (0.1, lambda draw, size: draw.choice(("prior", "value", ""))),
    "prezero-numbers": (0.1, lambda draw, size: draw.choice(("prior", "visits", "x y"))),
    "lz-analyze": (2.5, analysis),
    "kata-analyze": (2.5, analysis),
    "lz-genmove_analyze": (1.5, analysis),
    "kata-genmove_analyze": (1.5, analysis),
    "stop": (1.5, lambda draw, size: ""),
    "quit": (0.05, lambda draw, size: ""),
    "": (1.5, lambda draw, size: draw.choice(("", "# a comment", "   ", "\t", "xyzzy", "play", "\x01\x02"))),
}
COMMANDS, WEIGHTS = list(GRAMMAR), [weight for weight, _ in GRAMMAR.values()]


def line_of(draw: Draw, size: int) -> tuple[bytes, bool]:
    """Return a line without its end, and whether it was mutated."""
    name = draw.choices(COMMANDS, WEIGHTS)[0]
    text = f"{name} {GRAMMAR[name][1](draw, size)}".strip(" ")
    if draw.random() < 0.4:
        text = f"{draw.randrange(10 ** draw.randint(1, 9))} {text}"
    is_mutated = draw.random() < 0.5
    for _ in range(draw.choice((1, 1, 1, 2, 5)) if is_mutated else 0):
        text = mutated(draw, text)
    data = text.encode("utf-8", "replace")
    if is_mutated and draw.random() < 0.05:
        place = draw.randrange(len(data) + 1)
        data = data[:place] + draw.randbytes(draw.randint(1, 4)) + data[place:]
    data = data.replace(b"\n", b" ")
    return (data, is_mutated) if is_harmless(data) else (b"name", False)


def mutated(draw: Draw, text: str) -> str:
    """Change a line a little."""
    words, place = text.split(" "), draw.randrange(len(text) + 1)
    match draw.randrange(10):
        case 0:
            return text[:place] + text[place + 1 :]
        case 1:
            return text[:place] + draw.choice(INSERTED) + text[place:]
        case 2:
            return text[:place] + chr(draw.randrange(1, 256)) + text[place + 1 :]
        case 3:
            draw.shuffle(words)
            return " ".join(words)
        case 4:
            words[draw.randrange(len(words))] = draw.choice(ODD)
            return " ".join(words)
        case 5:
            return " ".join([*words, draw.choice((*ODD, *words))])
        case 6:
            return text.swapcase()
        case 7:
            return text + " #" + draw.choice(COMMANDS)
        case 8:
            return text[:place] + draw.choice(ODD) * draw.choice((1, 50)) + text[place:]
        case _:
            return text[:place]


def is_harmless(line: bytes) -> bool:
    """Return whether a line leaves the files of this machine alone: `printsgf` writes, `loadsgf` reads, where told."""
    text = line.decode("utf-8", "replace")
    if "sgf" not in text:
        return True
    rest = text.partition("printsgf")[2].strip()
    return not set("/\\~\0") & set(text) and (not rest or rest == "-" or rest.startswith(PRINTED))
