"""The commands for the end of a game: the score without dead stones, and the status of all stones."""

from go.coordinates import gtp_from_point
from go.dead_stones import dead_stones, result_without, stones
from go.errors import GoError
from gtp.session import Session
from gtp.syntax import SYNTAX_ERROR, Failure, check_count


def final_score(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 0)
    try:
        session.result = result_without(session.position, dead_stones(session.player, session.view()))
    except GoError as error:
        raise Failure("cannot score", str(error)) from None
    return session.result


def final_status_list(session: Session, arguments: list[str]) -> str:
    """List the stones of a status, one line per chain. No player can tell a seki, so stones in seki count as alive."""
    check_count(arguments, 1)
    status = arguments[0].lower()
    if status not in ("alive", "dead", "seki"):
        raise Failure(SYNTAX_ERROR)
    if status == "seki":
        return ""
    position = session.position
    dead = dead_stones(session.player, session.view())
    chains: dict[int, list[str]] = {}
    for point in sorted(dead if status == "dead" else stones(position) - dead):
        chains.setdefault(int(position.board["chain"][point]), []).append(gtp_from_point(point, position.size))
    return "\n".join(" ".join(chain) for chain in chains.values())
