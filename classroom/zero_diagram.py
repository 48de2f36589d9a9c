"""The loop of AlphaGo Zero as a drawing: one network, a search, games, and the two ways in which it teaches itself."""

POLICY, VALUE = "#3b8ed0", "#e07b1a"  # readable on light and dark pages
BOX = 'rx="12" fill="none" stroke="currentColor" stroke-width="1.6"'
BOXES = (  # left, top, width, title, lines below it
    (30, 95, 190, "Network f_θ", ("p: which moves", "v: who wins")),
    (400, 20, 200, "Search", ("Q + u, 1,600 simulations", "π: share of the visits")),
    (400, 190, 200, "Game of self-play", ("moves sampled from π", "z: who has won")),
)
HEIGHT = 88


def loop_svg() -> str:
    """Return the drawing."""
    boxes = "".join(_box(*box) for box in BOXES)
    arrows = (
        _arrow("M220 114 C290 100 330 56 396 48", "currentColor", 280, 72, "p and v")
        + _arrow("M500 108 V186", "currentColor", 512, 152, "plays", "start")
        + _arrow("M400 92 C340 118 290 138 224 142", POLICY, 352, 146, "1  p learns π")
        + _arrow("M400 240 C310 250 200 250 150 187", VALUE, 262, 262, "2  v learns z")
    )
    heads = "".join(_head(name, color) for name, color in (("k", "currentColor"), ("p", POLICY), ("v", VALUE)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 630 292" width="630" height="292" '
        f'font-family="Helvetica, Arial, sans-serif"><defs>{heads}</defs>{boxes}{arrows}</svg>'
    )


def _head(name: str, color: str) -> str:
    place = 'viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"'
    return f'<marker id="zero-loop-{name}" {place}><path d="M0 0L10 5L0 10z" fill="{color}"/></marker>'


def _box(left: int, top: int, width: int, title: str, lines: tuple[str, ...]) -> str:
    middle = left + width / 2
    texts = f'<text x="{middle}" y="{top + 28}" font-size="17" font-weight="bold" {CENTRED}>{title}</text>'
    for number, line in enumerate(lines):
        texts += f'<text x="{middle}" y="{top + 51 + 20 * number}" font-size="14" {CENTRED}>{line}</text>'
    return f'<rect x="{left}" y="{top}" width="{width}" height="{HEIGHT}" {BOX}/>{texts}'


def _arrow(path: str, color: str, x: int, y: int, text: str, anchor: str = "middle") -> str:
    name = {"currentColor": "k", POLICY: "p", VALUE: "v"}[color]
    weight = "" if name == "k" else ' font-weight="bold"'
    return (
        f'<path d="{path}" fill="none" stroke="{color}" stroke-width="2.2" marker-end="url(#zero-loop-{name})"/>'
        f'<text x="{x}" y="{y}" font-size="14" fill="{color}" text-anchor="{anchor}"{weight}>{text}</text>'
    )


CENTRED = 'text-anchor="middle" fill="currentColor"'
