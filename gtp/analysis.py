"""Analysis as it is streamed to Lizzie, Sabaki and others: in the format of Leela Zero (lz-) or of KataGo (kata-).

A report is one line, with an `info` for each move. Reports come until there is any input, which is then carried out;
those of a `genmove_analyze` until the move is made. All numbers are seen by the side to move.
"""

import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from go.abilities import Finding, Findings
from go.board import BLACK
from go.position import Position
from gtp.session import Session
from gtp.syntax import COLORS, check_count, read_color, read_point, read_whole, write_move

USUAL_INTERVAL = 100  # centiseconds between reports, if nobody says otherwise
LEAST_INTERVAL = 2  # more reports than that nobody can look at


class Options(NamedTuple):
    """What to analyse and how to report it."""

    color: int
    seconds: float = 0.01 * USUAL_INTERVAL
    most_moves: int | None = None
    ownership: bool = False
    avoided: frozenset[int] = frozenset()
    allowed: frozenset[int] | None = None


Format = Callable[[Findings, int, Options], str]


def read_options(arguments: list[str], position: Position) -> Options:
    """Read `[colour] [centiseconds] [name value ...]`. Unknown names are skipped with their values."""
    words = list(arguments)
    color = COLORS[words.pop(0).lower()] if words and words[0].lower() in COLORS else position.to_move
    options = Options(color)
    if words and words[0].isdecimal():
        words.insert(0, "interval")
    while words:
        option = words.pop(0)
        count = 3 if option in ("avoid", "allow") else 1
        values, words = words[:count], words[count:]
        check_count(values, count)
        if option == "interval":
            options = options._replace(seconds=0.01 * max(LEAST_INTERVAL, read_whole(values[0])))
        elif option == "maxmoves":
            options = options._replace(most_moves=read_whole(values[0]))
        elif option == "ownership":
            options = options._replace(ownership=values[0].lower() == "true")
        elif option in ("avoid", "allow"):
            options = _restricted(options, option, values, position.size)
    return options


def _restricted(options: Options, option: str, values: list[str], size: int) -> Options:
    """Restrict the moves to report: leave out those avoided, or all but those allowed. The depth is ignored."""
    if read_color(values[0]) != options.color:
        return options
    points = frozenset(read_point(name, size) for name in values[1].split(","))
    if option == "avoid":
        return options._replace(avoided=options.avoided | points)
    return options._replace(allowed=(options.allowed or frozenset()) | points)


def _shown(findings: Findings, options: Options) -> list[Finding]:
    moves = [
        finding
        for finding in findings.moves
        if finding.move not in options.avoided and (options.allowed is None or finding.move in options.allowed)
    ]
    return moves[: options.most_moves]


def as_leela_zero(findings: Findings, size: int, options: Options) -> str:
    """Write a report in which probabilities are whole numbers out of 10,000."""
    infos = []
    for order, finding in enumerate(_shown(findings, options)):
        chances = f"winrate {round(10_000 * finding.winrate)} prior {round(10_000 * finding.prior)}"
        infos.append(_info(finding, chances, order, size))
    return " ".join(infos)


def as_katago(findings: Findings, size: int, options: Options) -> str:
    """Write a report in which probabilities go from 0 to 1, with score and ownership if they are known."""
    infos = []
    for order, finding in enumerate(_shown(findings, options)):
        chances = (
            f"winrate {finding.winrate:.6f} prior {finding.prior:.6f}"  # by the dot, Sabaki tells the formats apart
        )
        if finding.score is not None:
            chances += f" scoreMean {finding.score:.3f} scoreLead {finding.score:.3f}"
        infos.append(_info(finding, chances, order, size))
    if infos and options.ownership and findings.ownership is not None:
        sign = 1 if options.color == BLACK else -1
        infos.append("ownership " + " ".join(f"{sign * share:.3f}" for share in np.ravel(findings.ownership).tolist()))
    return " ".join(infos)


def _info(finding: Finding, chances: str, order: int, size: int) -> str:
    pv = " ".join(write_move(point, size) for point in finding.pv or (finding.move,))
    return f"info move {write_move(finding.move, size)} visits {finding.visits} {chances} order {order} pv {pv}"


def analyze(session: Session, arguments: list[str], form: Format) -> Iterator[str]:
    """Check the arguments, then report until there is input."""
    options = read_options(arguments, session.position)

    def reports() -> Iterator[str]:
        session.player.begin(session.view(options.color))
        try:
            yield ""  # the answer begins at once, even if the first report is far
            while not session.interrupted(options.seconds):
                yield form(session.player.findings(options.ownership), session.position.size, options)
        finally:
            session.player.end()

    return reports()


def genmove_analyze(session: Session, arguments: list[str], form: Format) -> Iterator[str]:
    """Check the arguments, then play a move, with reports while the player decides."""
    options = read_options(arguments, session.position)

    def reports() -> Iterator[str]:
        size, done = session.position.size, threading.Event()
        moves: list[int] = []
        errors: list[Exception] = []

        def decide() -> None:
            try:
                moves.append(int(session.decide(options.color).move))
            except Exception as error:  # raised below, where it is waited for
                errors.append(error)
            finally:
                done.set()

        thread = threading.Thread(target=decide)
        thread.start()
        try:
            while not done.wait(options.seconds):
                yield form(session.player.findings(options.ownership), size, options)
        finally:
            thread.join()
        if errors:
            raise errors[0]
        session.make(options.color, moves[0])
        yield f"play {write_move(moves[0], size)}"

    return reports()


def stop(session: Session, arguments: list[str]) -> str:
    """Do nothing: any command ends an analysis."""
    return ""


COMMANDS = {
    "lz-analyze": lambda session, arguments: analyze(session, arguments, as_leela_zero),
    "kata-analyze": lambda session, arguments: analyze(session, arguments, as_katago),
    "lz-genmove_analyze": lambda session, arguments: genmove_analyze(session, arguments, as_leela_zero),
    "kata-genmove_analyze": lambda session, arguments: genmove_analyze(session, arguments, as_katago),
    "stop": stop,
}
