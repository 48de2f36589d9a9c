"""Show what a search finds in a position: the six boards of Figure 5, a table of moves, and the tree itself."""

import dataclasses
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from apv_mcts.dump import dump_tree, written
from apv_mcts.player import chosen, search_player
from apv_mcts.rules import FLAT
from apv_mcts.search import EdgeStatistics, Search, win_rate
from apv_mcts.settings import SearchPlayerSettings
from apv_mcts.sheet import LETTERS, draw_sheet
from apv_mcts.simulation import DONE
from apv_mcts.views import has_priors
from data.position_settings import GamePositionSettings, find_position
from go.board import COLOR_NAMES
from go.coordinates import gtp_from_point
from go.errors import GoError
from go.player import check_board
from pipeline.artefact import write_atomic
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import setting
from pipeline.tables import table

NAME = "apv_mcts.show"
LOOK = 0.1  # seconds between two updates of the progress
DEEPEST = 100
HEADER = ("move", "visits", "share", "Q", "Q of rollouts", "Q of value", "prior", "variation")


@dataclasses.dataclass
class Settings(GamePositionSettings):
    player: SearchPlayerSettings = setting(SearchPlayerSettings, "who searches")
    top: int = setting(10, "number of moves to list, the most visited first", least=1)
    svg: str = setting("", "file to write the sheet to: the six boards of Figure 5")
    boards: str = setting(LETTERS, "with svg: the boards to draw, by their letters in Figure 5")
    dump: str = setting("", "file to write the tree to, as JSON")
    depth: int = setting(4, "with dump: how many moves from the root", least=1, most=DEEPEST)
    min_visits: int = setting(10, "with dump: leave out moves with fewer visits", least=0)


def check_settings(settings: Settings) -> None:
    """Raise `UserError` for a player that does not search, or files that cannot be written."""
    if settings.player.kind != "search":
        raise UserError(f"player={settings.player.name} does not search, and there is nothing of it to show here.")
    if not settings.boards or not set(settings.boards) <= set(LETTERS):
        raise UserError(f"boards={settings.boards} is not made of the letters {LETTERS}, as in boards=def.")
    for name in ("svg", "dump"):
        path = Path(getattr(settings, name))
        if getattr(settings, name) and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise UserError(f"{name}={path} cannot be written: it is a folder, or its folder is not there.")


@contextmanager
def _watched(search: Search, simulations: int, seconds: float) -> Iterator[None]:
    """Show the progress of a search: in simulations or, if they have no limit, in seconds."""
    began, over = time.monotonic(), threading.Event()

    def look() -> None:
        with Progress("simulations" if simulations else "seconds", simulations or math.ceil(seconds)) as progress:
            while not over.wait(LOOK):
                reached = int(search.control[DONE]) if simulations else int(time.monotonic() - began)
                progress.update(reached - progress.done)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def think(search: Search, simulations: int, seconds: float) -> tuple[int, float]:
    """Search the position at the root. Return the number of simulations and the seconds."""
    if not simulations and not seconds:
        search.prepare()
        return 0, 0.0
    with _watched(search, simulations, seconds):
        began = time.monotonic()
        return search.run(simulations, seconds), time.monotonic() - began


def table_of(search: Search, top: int) -> str:
    """Return a table of the most visited moves. Values are winning probabilities of the side to move."""
    edges, size = search.statistics(), search.position.size
    visits = sum(edge.visits for edge in edges)
    return table(HEADER, [_row(search, edge, visits, size) for edge in edges[:top]])


def _row(search: Search, edge: EdgeStatistics, visits: int, size: int) -> list[str]:
    values = (edge.q if edge.visits else None, edge.q_rollouts, edge.q_value)
    return [
        gtp_from_point(edge.move, size),
        f"{edge.visits:,}",
        f"{100 * edge.visits / max(visits, 1):.1f}%",
        *("-" if value is None else f"{100 * win_rate(value):.1f}%" for value in values),
        f"{100 * edge.prior:.1f}%" if has_priors(search) else "-",
        " ".join(gtp_from_point(move, size) for move in search.principal_variation(edge, most=8)),
    ]


def facts_of(search: Search, settings: SearchPlayerSettings, simulations: int, seconds: float) -> list[str]:
    """Return sentences that say who searched, for how long, and the result."""
    position, best, root = search.position, chosen(search.statistics()), search.root_statistics()
    who = f"{COLOR_NAMES[position.to_move].capitalize()} to move, komi {position.komi:g}."
    move = gtp_from_point(best.move, position.size)
    if not root.visits:
        return [f"{who} Player {settings.name}, without simulations.", f"Best move {move}, by its prior."]
    rate = f"{simulations / seconds:,.0f} a second" if seconds > 0 else "at once"
    threshold = "" if search.rule.kind == FLAT else f", n_thr {search.n_thr}"
    return [
        f"{who} Player {settings.name}: {simulations:,} simulations in {seconds:.1f} s, {rate}{threshold}.",
        f"Best move {move}, which wins {100 * win_rate(best.q):.1f}%. "
        f"Root value {root.q:+.3f}: {COLOR_NAMES[position.to_move]} wins {100 * win_rate(root.q):.1f}%.",
    ]


def main(settings: Settings) -> None:
    check_settings(settings)
    position, title = find_position(settings)
    if position.is_over:
        raise UserError("The game is over in this position: there is nothing to search.")
    player = settings.player
    budget = player.simulations, player.seconds
    searcher = search_player(player.name, player.run, player.seed, *budget, player.resign, player.search)
    check_board(player.name, searcher.sizes, position.size)
    search = searcher.get_ready(position.size)
    search.set_position(position)
    print(position)
    simulations, seconds = think(search, player.simulations, player.seconds)
    facts = facts_of(search, player, simulations, seconds)
    print("", *facts, "", table_of(search, settings.top), sep="\n")
    if settings.svg:
        write_atomic(Path(settings.svg), draw_sheet(search, title, facts, settings.boards))
        print(f"\nDrawn to {settings.svg}.")
    if settings.dump:
        write_atomic(
            Path(settings.dump),
            written(dump_tree(search, player, simulations, seconds, settings.depth, settings.min_visits)),
        )
        print(f"\nThe tree is in {settings.dump}.")


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
