"""Stage: a run as one page that works offline, `report.html`.

It shows the ladder, the paper's numbers next to ours, games to click through, the six views of a position, the learning
curves, the cross table, and the exact commands.
"""

import dataclasses
import hashlib
import json
import webbrowser
from pathlib import Path
from typing import Any

from arena.players import presets
from arena.report_boards import game_board, sample_slots, six_views
from arena.report_data import REPORT as STAGE
from arena.report_data import Reading, read_run
from arena.report_page import body_of
from arena.web_page import page
from go.errors import GoError
from pipeline.artefact import stage_folder, write_atomic
from pipeline.launch import Command, launch
from pipeline.settings import StageSettings, setting
from pipeline.stage import Outcome, done_once

FILE = "report.html"


@dataclasses.dataclass
class Settings(StageSettings):
    """A report can always be made anew, so no setting is part of its key."""

    games: int = setting(12, "most sample games to show", least=1, most=200, result=False)
    searcher: str = setting("alpha_rvp", "player whose search is shown in six views", choices=presets(), result=False)
    simulations: int = setting(2_000, "simulations of that search", least=1, most=10**7, result=False)
    open: bool = setting(False, "open the page in a browser", result=False)


def write_report(reading: Reading, settings: Settings, path: Path) -> dict[str, Any]:
    """Write the page; return what it shows."""
    slots = sample_slots(reading, settings.games)
    games = [game_board(*reading.games[slot]) for slot in slots]
    views = six_views(reading, settings.searcher, settings.simulations)
    text = page(f"Prezero: run {reading.run}", body_of(reading, games, views))
    write_atomic(path, text)
    return {"games": [list(slot) for slot in slots], "position": views.title, "bytes": len(text.encode())}


def asked(reading: Reading, settings: Settings) -> dict[str, Any]:
    """Return what a report depends on: what was read, and what shall be shown."""
    read = hashlib.sha256(json.dumps(reading.manifests).encode()).hexdigest()[:32]
    return {"read": read, "games": settings.games, "searcher": settings.searcher, "simulations": settings.simulations}


def main(settings: Settings) -> dict[str, Any]:
    reading = read_run(settings.run, settings.scale)
    folder = stage_folder(settings.run, STAGE)
    path = folder / FILE

    def work(key: dict[str, Any]) -> Outcome:
        found = write_report(reading, settings, path) | {"asked": asked(reading, settings)}
        return Outcome(f"{FILE}: {len(reading.names)} players, {len(found['games'])} games to click through", found)

    def is_enough(done: dict[str, Any]) -> bool:
        return path.is_file() and done["metrics"]["asked"] == asked(reading, settings)

    manifest = done_once(folder, STAGE, settings, [], work, is_enough=is_enough)
    print(f"{manifest['result']}\n\nOpen it in any browser: {path}")
    if settings.open and not webbrowser.open(path.resolve().as_uri()):
        print("No browser was found to open it.")
    return {"games": len(manifest["metrics"]["games"])}


COMMAND = Command(STAGE, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
