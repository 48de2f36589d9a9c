"""`./prezero classroom`: list the chapters, or run one and write its page."""

import dataclasses
import webbrowser

from classroom.book import Chapter, chapter_of, chapters
from pipeline.artefact import stage_folder, write_atomic
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import setting

NAME = "classroom"


@dataclasses.dataclass
class Settings:
    chapter: int | None = setting(None, "the chapter to run, by its number; without it, all are listed", least=0)
    scale: str = setting("laptop", "tiny runs a chapter in seconds, with rougher results; all others run it in full")
    run: str = setting("laptop", "name of the run, by default the scale: the page goes to runs/<run>/classroom/")
    notebook: bool = setting(False, "also write the chapter as a notebook, an .ipynb file, with what it shows")
    open: bool = setting(True, "open the page in the browser")


def listing() -> str:
    """List the chapters with their aims."""
    lines = []
    for chapter in chapters():
        lines += [f"{chapter.title} ({chapter.duration.rstrip('.')})", f"  {chapter.aims}", ""]
    lines.append(
        "./prezero classroom chapter=0 runs a chapter, writes its page and opens it. The page needs no network."
    )
    return "\n".join(lines)


def write_page(chapter: Chapter, settings: Settings) -> None:
    """Run a chapter, write its page and, if wanted, its notebook, and open the page."""
    from classroom.notebook import as_notebook, as_page, run  # slow import; listing the chapters stays fast

    folder = stage_folder(settings.run, NAME)
    scale = "tiny" if settings.scale == "tiny" else "full"
    print(f"{chapter.title}. It is run now, which may take some minutes.")
    notebook = run(chapter, scale)
    page = folder / f"{chapter.path.stem}.html"
    write_atomic(page, as_page(notebook, chapter, scale))
    print(f"The page is {page}.")
    if settings.notebook:
        path = folder / f"{chapter.path.stem}.ipynb"
        write_atomic(path, as_notebook(notebook))
        print(f"The notebook is {path}.")
    if settings.open and not webbrowser.open(page.absolute().as_uri()):
        print("No browser could be started; open the page yourself.")


def main(settings: Settings) -> None:
    if settings.chapter is None:
        if settings.notebook:
            raise UserError("notebook=true is about a chapter: name it, as in chapter=0.")
        print(listing())
        return
    write_page(chapter_of(settings.chapter), settings)


COMMAND = Command(NAME, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
