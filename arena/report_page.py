"""The sections of a report as HTML. All texts that come from a run are escaped."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from arena.paper_figures import ablation_rows, cross_rows, figures
from arena.players import ENGINE
from arena.report_boards import Views
from arena.report_data import Reading
from arena.scores import Tally, percent, tally
from arena.web_page import board_element, svg_in_page
from pipeline.catalogue import COMMANDS, call
from pipeline.lineage import read_times
from pipeline.progress import duration
from pipeline.recall import command_of

PLOTS = {  # drawings that stages write, with their captions
    ("rollout.train", "curve.svg"): "Rollout and tree policy: moves found while learning",
    ("sl_policy.train", "curve.svg"): "SL policy network: loss and moves found while learning",
    ("sl_policy.train", "by_move_number.svg"): "SL policy network: moves found, by move number",
    ("rl_policy.train", "curve.svg"): "RL policy network: games won, and how far it moved from the SL policy",
    ("value_net.sample", "samples.svg"): "Samples for the value network: where in the game they lie",
    ("value_net.train", "curve.svg"): "Value network: squared error while learning",
    ("value_net.train", "by_move_number.svg"): "Value network: squared error, by move number",
}
KINDS = {
    "search": "search",
    "network": "network without a search",
    "pattern": "pattern policy",
    "classic": "random play and classics",
    "engine": "other program",
}
KIND_OF = {"sl": "network", "rl": "network", "value": "network", "rollout": "pattern", "tree": "pattern"}
ROOM = 0.04  # of the axis, beyond the outermost intervals
STEPS = (50, 100, 200, 250, 500, 1000, 2000)  # between two numbers of the axis
MOST_STEPS = 7
BROAD = 3  # width over height from which a drawing gets a row of its own


def body_of(reading: Reading, games: Sequence[dict[str, Any]], views: Views) -> str:
    """Return the whole report."""
    sections = {
        "ladder": ("Elo ladder", ladder(reading)),
        "paper": ("The paper's numbers", paper(reading)),
        "games": ("Games", sample_games(games)),
        "views": ("Six views", six_views(views)),
        "curves": ("Learning curves", curves(reading)),
        "cross": ("Cross table", cross(reading)),
        "stages": ("Stages", stages(reading)),
        "commands": ("Commands", commands(reading)),
    }
    links = "".join(f'<a href="#{name}">{escape(title)}</a>' for name, (title, _) in sections.items())
    parts = "\n".join(
        f'<section id="{name}">\n<h2>{escape(title)}</h2>\n{text}\n</section>'
        for name, (title, text) in sections.items()
    )
    button = '<button type="button" data-theme-button>theme</button>'
    return f"{head(reading)}\n<nav><div>{links}{button}</div></nav>\n<main>\n{parts}\n</main>\n{foot(reading)}"


def head(reading: Reading) -> str:
    best = next(row for row in reading.ladder["ratings"] if row["player"] not in reading.engines)
    rating = f"Elo {best['elo']:.0f} [{best['low']:.0f}; {best['high']:.0f}]"
    shown = [("strongest player of the run", best["player"], rating)]
    for figure in figures(reading):
        if figure.paper and figure.is_headline:
            number, _, interval = figure.ours.partition(" ")
            shown.append((figure.what, number, f"{interval} paper: {figure.paper}".strip()))
    cards = "".join(
        f'<div class="card"><span>{escape(what)}</span><b>{escape(ours)}</b><span>{escape(note)}</span></div>'
        for what, ours, note in shown
    )
    return (
        f'<header class="top"><h1>From random play to AlphaGo on {reading.size}x{reading.size}</h1>\n'
        f'<p class="soft">Run <b>{escape(reading.run)}</b>, scale {escape(reading.scale)}: every stage of Silver et '
        f"al. (2016) in order, and {reading.ladder['games']:,} games between {len(reading.names)} players that use "
        f'what the stages have learnt.</p>\n<div class="cards">{cards}</div></header>'
    )


def kind_of(player: dict[str, Any]) -> str:
    """Return the kind of a player, which is a colour of the ladder."""
    if player["kind"] == ENGINE:
        return "engine"
    if player["kind"] in ("search", "zero"):
        return "search" if player["simulations"] or player["seconds"] else "network"
    return KIND_OF.get(player["kind"], "classic")


def ladder(reading: Reading) -> str:
    """Draw the ratings with their 95% intervals, best first."""
    found = reading.ladder
    kinds = {player["name"]: kind_of(player) for player in found["asked"]["players"]}
    low, high = min(row["low"] for row in found["ratings"]), max(row["high"] for row in found["ratings"])
    room = ROOM * (high - low)
    start, width = low - room, high - low + 2 * room

    def at(elo: float) -> str:
        return f"{100 * (elo - start) / width:.2f}%"

    ticks = axis(start, start + width)
    lines = "".join(f'<i style="left:{at(tick)}"></i>' for tick in ticks)
    rows = []
    for row in found["ratings"]:
        interval = f"{row['elo']:.0f}, 95% interval [{row['low']:.0f}; {row['high']:.0f}], {row['games']:,} games"
        span = f'style="left:{at(row["low"])};width:{100 * (row["high"] - row["low"]) / width:.2f}%"'
        rows.append(
            f'<div class="rung"><div class="name">{escape(row["player"])}</div>'
            f'<div class="track {kinds[row["player"]]}" title="{escape(row["player"])}: {interval}">{lines}'
            f'<u {span}></u><b style="left:{at(row["elo"])}"></b></div>'
            f'<div class="elo"><b>{row["elo"]:.0f}</b> '
            f'<span class="soft small">[{row["low"]:.0f}; {row["high"]:.0f}]</span></div></div>'
        )
    numbers = "".join(f'<span style="left:{at(tick)}">{tick:.0f}</span>' for tick in ticks)
    rows.append(f'<div class="rung"><div class="track axis">{numbers}</div></div>')
    there = [kind for kind in KINDS if kind in kinds.values()]
    legend = "".join(f'<span class="{kind}">{escape(KINDS[kind])}</span>' for kind in there)
    return (
        f'<p>{escape(terms(reading))}</p>\n<div class="ladder">{"".join(rows)}</div>\n'
        f'<div class="kinds">{legend}</div>\n<p class="soft small">{escape(remarks(found))}</p>'
    )


def axis(low: float, high: float) -> list[float]:
    """Return round numbers within a range."""
    step = next((step for step in STEPS if (high - low) / step <= MOST_STEPS), STEPS[-1])
    first = -(-low // step) * step
    return [first + number * step for number in range(int((high - first) // step) + 1)]


def terms(reading: Reading) -> str:
    """Say how the ladder was played."""
    chosen, settings = reading.ladder["chosen"], reading.manifests["arena.ladder"]["settings"]
    budget = f"{chosen['simulations']:,} simulations" if chosen["simulations"] else f"{chosen['seconds']:g} seconds"
    return (
        f"Bars are 95% intervals. Players that search have {budget} a move. Pairs that met have played "
        f"{chosen['games']} games from random openings of {settings['opening']} moves, each opening with both colours, "
        f"komi {settings['board']['komi']:g}."
    )


def remarks(found: dict[str, Any]) -> str:
    """Say what the ratings are relative to, and who could not take part."""
    said = [found["remarks"]]
    if found["missing"]:
        said.append(f"Not installed, and so not in the ladder: {', '.join(found['missing'])}.")
    return " ".join(said)


def paper(reading: Reading) -> str:
    """Lay the paper's figures next to ours."""
    rows = [[figure.what, figure.paper, figure.ours, figure.source] for figure in figures(reading)]
    parts = [
        "<p>The paper has 19x19 boards, 30 million positions and weeks on 50 GPUs. Compare the order of things, not "
        "the numbers. Tables are the Extended Data Tables of Silver et al. (2016).</p>",
        html_table(["figure", "paper", "this run", "where"], rows, numbers=False),
    ]
    if ablation := ablation_rows(reading):
        parts += [
            "<h3>What each part is worth: Elo below alpha_rvp (Table 7)</h3>",
            html_table(
                ["player", "paper", "this run"],
                [[row["player"], f"{row['paper']:+.0f}", f"{row['ours']:+.0f}"] for row in ablation],
            ),
        ]
    if met := cross_rows(reading):
        rows = [[f"{one} against {other}", paper, ours] for one, other, paper, ours in met]
        parts += [
            "<h3>Percent won, with 95% intervals (Table 9)</h3>",
            html_table(["match", "paper", "this run"], rows),
        ]
    return "\n".join(parts)


def sample_games(games: Sequence[dict[str, Any]]) -> str:
    return (
        "<p>The best player against other programs, then everyone against the next in the ladder. Step with the "
        "buttons, the arrow keys, the slider or a swipe; click the curve to jump.</p>\n"
        f'<div class="game">{board_element("games", {"games": list(games)}, "sample games")}</div>'
    )


def six_views(views: Views) -> str:
    boards = "".join(board_element("board", board, board["title"]) for board in views.boards)
    facts = " ".join(views.facts)
    return (
        f"<p>What the search knows of one position, as in Figure 5 of the paper. {escape(views.title)}. "
        f'{escape(facts)} Hover over a point for its number.</p>\n<div class="views">{boards}</div>'
    )


def curves(reading: Reading) -> str:
    """Put the drawings of the stages into the page."""
    parts = []
    for number, ((stage, name), caption) in enumerate(PLOTS.items()):
        path = reading.folder(stage) / name
        if stage in reading.manifests and path.is_file():
            drawing = svg_in_page(path.read_text(encoding="utf-8"), f"plot{number}", caption)
            look = ' class="broad"' if is_broad(drawing) else ""
            words = f"{escape(caption)} ({escape(stage)})"
            parts.append(f'<figure{look}><div class="plot">{drawing}</div><figcaption>{words}</figcaption></figure>')
    return f'<div class="plots">{"".join(parts)}</div>'


def is_broad(drawing: str) -> bool:
    """Return whether a drawing needs the whole width, because it has many panels side by side."""
    box = re.search(r'viewBox="([^"]+)"', drawing)
    _, _, width, height = map(float, box[1].split()) if box else (0, 0, 1, 1)
    return width > BROAD * height


def cross(reading: Reading) -> str:
    """Return the table of everyone against everyone, as in Extended Data Table 9."""
    names, games = reading.names, [played for played, _ in reading.games.values()]
    header = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = []
    for row in names:
        cells = "".join(cell(tally(games, column, row) if column != row else Tally()) for column in names)
        rows.append(f'<tr><th scope="row">{escape(row)}</th>{cells}</tr>')
    return (
        "<p>Percent won by the player of the column against the player of the row, with 95% intervals.</p>\n"
        f'<div class="wide"><table class="cross"><thead><tr><td></td>{header}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def cell(found: Tally) -> str:
    """Return a cell of the cross table: green for wins, violet for losses."""
    if not found.games:
        return "<td>–</td>"
    share, (number, interval) = found.share, percent(found).split(" ")
    color, strength = ("good", 2 * share - 1) if share >= 0.5 else ("bad", 1 - 2 * share)
    look = f"background:rgba(var(--{color}),{0.55 * strength:.2f})"
    return f'<td style="{look}">{escape(number)}<small>{escape(interval)}</small></td>'


def stages(reading: Reading) -> str:
    """List the stages with their time and result."""
    times = read_times(reading.run)
    rows = [
        [stage, COMMANDS[stage].summary, duration(times[stage]) if stage in times else "", manifest["result"]]
        for stage, manifest in reading.manifests.items()
    ]
    return html_table(["stage", "what it does", "time", "result"], rows)


def commands(reading: Reading) -> str:
    """Return the commands that make this page again."""
    run, scale = reading.run, reading.scale
    each = [
        command_of(manifest, run, scale, manifest["metrics"].get("chosen", {}))
        for manifest in reading.manifests.values()
    ]
    versions = sorted({manifest["code"] for manifest in reading.manifests.values()})
    return (
        "<p>Everything, from an empty folder:</p>\n"
        f"<pre>{escape(call('lineage', run, f'scale={scale}'))}</pre>\n"
        "<p>Or stage by stage, with every setting that differs from its scale:</p>\n"
        f"<pre>{escape(chr(10).join(each))}</pre>\n"
        "<p>More games, or other players, in the same ladder, and then this page anew:</p>\n"
        f"<pre>{escape(call('arena.ladder', run, f'scale={scale}', 'games=20'))}\n"
        f"{escape(call('arena.report', run, f'scale={scale}', 'open=true'))}</pre>\n"
        f'<p class="soft small">Made by version {escape(", ".join(versions))}.</p>'
    )


def foot(reading: Reading) -> str:
    folder: Path = reading.folder("arena.ladder")
    return (
        f"<footer>The games are SGF files in <code>{escape(str(Path('runs') / reading.run / folder.name / 'games'))}"
        "</code>, with the players' evaluations as comments. This page holds all it needs and asks no server.</footer>"
    )


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: bool = True) -> str:
    """Return a table of texts. With `numbers`, columns of numbers are right-aligned."""
    right = [numbers and bool(rows) and all(_is_number(row[place]) for row in rows) for place in range(len(header))]
    looks = [' class="number"' if is_right else "" for is_right in right]
    head = "".join(f"<th{look}>{escape(text)}</th>" for look, text in zip(looks, header, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{look}>{escape(text)}</td>' for look, text in zip(looks, row, strict=True))}</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _is_number(text: str) -> bool:
    return not text or text.lstrip("+-")[:1].isdigit()
