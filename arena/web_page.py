"""Pages that hold all they need and work offline: text, plots as SVG, and boards that `web/board.js` draws.

`web/board.js` documents what a board, a game and a choice of games are, as JSON. `board_element` puts one into a page.
"""

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any, Literal

WEB = Path(__file__).parent / "web"
NOT_FOR_PAGES = re.compile(  # of an SVG document: its head, what it says about itself, styles for the whole page
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<style.*?</style>|\sxmlns(:\w+)?=\"[^\"]*\"", re.DOTALL
)
NAMES = re.compile(r'(\bid="|\bhref="#|url\(#)')


def board_element(kind: Literal["board", "game", "games"], description: Mapping[str, Any], label: str = "") -> str:
    """Return the element of a board, a game or a choice of games, with its description as JSON."""
    name = f' aria-label="{escape(label)}"' if label else ""
    return f'<div data-go="{kind}"{name}><script type="application/json">{json_in_page(description)}</script></div>'


def json_in_page(value: Any) -> str:
    """Write JSON that may stand within a script element, whatever its texts hold."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def svg_in_page(drawing: str, prefix: str, label: str) -> str:
    """Return an SVG document as an element of a page. Its names get a prefix: several drawings share the page."""
    body = NAMES.sub(rf"\g<1>{prefix}-", NOT_FOR_PAGES.sub("", drawing)).strip()
    return body.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)


def page(title: str, body: str) -> str:
    """Return a complete page with the style of the house and the script that draws boards."""
    style, boards, theme = ((WEB / name).read_text(encoding="utf-8") for name in ("page.css", "board.js", "theme.js"))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}\n"
        f'<script type="module">\n{boards}</script>\n<script type="module">\n{theme}</script>\n</body>\n</html>\n'
    )
