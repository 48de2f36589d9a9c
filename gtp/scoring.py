"""The end of a game: which stones are dead, the score without them, and taking them off by playing on."""

from go.board import BLACK, WHITE
from go.coordinates import STRIDE, gtp_from_point
from go.errors import GoError
from go.player import sensible_moves
from go.position import Position
from gtp.abilities import Judge
from gtp.session import Session, opponent
from gtp.syntax import SYNTAX_ERROR, Failure, check_count


def stones(position: Position, color: int | None = None) -> set[int]:
    """Return the points of all stones, or of those of one colour."""
    chosen = (color,) if color else (BLACK, WHITE)
    return {point for point, there in enumerate(position.board["color"].tolist()) if there in chosen}


def dead_stones(session: Session) -> set[int]:
    """Ask the player which stones are dead; if it cannot tell, all are alive."""
    if not isinstance(session.player, Judge):
        return set()
    return {int(point) for point in session.player.dead_stones(session.view())} & stones(session.position)


def final_score(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 0)
    settled = session.position.copy()
    try:
        settled.set_up(empty=dead_stones(session))
    except GoError as error:
        raise Failure("cannot score", str(error)) from None
    session.result = settled.result()
    return session.result


def final_status_list(session: Session, arguments: list[str]) -> str:
    """List the stones of a status, a line for each chain; nobody here can tell a seki, so its stones are alive."""
    check_count(arguments, 1)
    status = arguments[0].lower()
    if status not in ("alive", "dead", "seki"):
        raise Failure(SYNTAX_ERROR)
    if status == "seki":
        return ""
    position, dead = session.position, dead_stones(session)
    chains: dict[int, list[str]] = {}
    for point in sorted(dead if status == "dead" else stones(position) - dead):
        chains.setdefault(int(position.board["chain"][point]), []).append(gtp_from_point(point, position.size))
    return "\n".join(" ".join(chain) for chain in chains.values())


def capture_of_dead(session: Session, color: int) -> int | None:
    """Return a move towards the capture of the opponent's dead stones, if there are any; never one in an own eye."""
    view = session.view(color)
    dead = dead_stones(session) & stones(view, opponent(color))
    beside = {point + step for point in dead for step in (-STRIDE, -1, 1, STRIDE)}

    def worth(move: int) -> tuple[int, bool, int]:
        after = view.copy().play(move)
        taken = after.captured[opponent(color)] - view.captured[opponent(color)]
        return taken, move in beside and after.liberties(move) > 1, after.liberties(move)

    return max(sensible_moves(view) if dead else (), key=worth, default=None)
