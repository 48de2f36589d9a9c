"""The classroom: every chapter runs and has the slides' numbers, pages need no network, checks judge answers."""

import json
import math
import re
import runpy
import webbrowser

import nbformat
import pytest
from browser import Browser
from conftest import prezero

from classroom import lesson
from classroom.book import chapters, read_chapter
from classroom.examples import BLOCKS, SLIDES_BLOCKS, slides_position
from classroom.exercises import check, exercises_of
from classroom.scripts import as_json, modules_of, widget
from classroom.traces import rollout_trace
from go import BLACK, WHITE, Position
from go.draw import board_width
from go.panels import Panel, sheet_svg
from nets import find_weights
from pipeline.errors import INTERRUPTED, UserError
from rollout import Model

CHAPTERS = {chapter.number: chapter for chapter in chapters()}
WITH_CHECKS = [number for number in CHAPTERS if exercises_of(number)]
NAMES = [name for number in WITH_CHECKS for name in exercises_of(number)]
ADDRESS = re.compile(
    r"""https?://(?!www\.w3\.org/)[^\s"'<]+|(?:src|href)\s*=\s*["'](?!\#|data:)[^"']|@import|url\((?!["']?(?:data:|\#))"""
)


def chapter_0(found: dict) -> None:
    blocks = {"a": ("black", 3, 4), "b": ("black", 2, 3), "c": ("black", 1, 1)}
    blocks |= {"d": ("white", 3, 3), "e": ("white", 1, 1), "f": ("white", 2, 4)}
    assert found["found_blocks"] == blocks and found["empty_points"] == 69
    assert [reason.split(": ")[1] for reason in found["refusals"]] == [
        "it would take back a ko at once.", "it would be suicide.", "a white stone is there."
    ]  # fmt: skip
    assert (found["empty"].pm_black, found["empty"].pm_white) == (180.5, 180.5)
    assert found["ahead_by_7"] == (184.0, 177.0) and found["behind_by_16"] == (188.75, 172.25)
    assert found["printed_sum"] == pytest.approx(353.0) and len(found["analysis"].candidates) == 5
    assert round(found["exponent"]) == 360 and 10**359 < 250**150 < 10**360
    assert found["growth"] == [[1, 26, 26, 26, 26], [2, 676, 650, found["growth"][1][3], 51]]
    assert 51 <= found["growth"][1][3] < 650


def chapter_1(found: dict) -> None:
    assert found["totals"] == {"a": 5, "b": 3, "c": 1}
    assert (found["paper_rollout"], found["paper_tree"]) == (109_747, 141_989)
    ratio = found["chances"][found["position"].point("D6")] / found["chances"][found["position"].point("E3")]
    assert ratio == pytest.approx(math.exp(2))
    results = found["results"]
    assert results["any move alike"]["top1"] < 0.05
    for name in ("logistic regression", "softmax regression", "shipped rollout policy"):
        assert results[name]["top1"] > 0.2, name
    assert found["on_19"] == pytest.approx(0.319, abs=0.001)  # as docs/rollout.md says
    assert found["rollout_seconds"] == pytest.approx(0.4e-3) and found["network_seconds"] == pytest.approx(1.0)
    assert abs(found["share_of_black"]).max() <= 1 and 0 < found["black_wins"] < 1


def chapter_2(found: dict) -> None:
    assert (found["at_star"], found["at_triangle"]) == (10, 3)
    assert found["wrong_chains"] == [(("D6", "B5", "C5", "D5"), 1, 2)]  # ours, then the slides'
    assert (found["captured_at_a5"], found["capturing_moves"], found["stones"]) == (4, 1, 22)
    assert found["oldest"] == 22 - 7  # the slides show one stone there, and say 8 or more
    assert (found["slides_weights"], found["slides_operations"]) == (3_981_312, 1_437_253_632)
    assert (found["true_weights"], found["paper"].parameter_count()) == (3_880_128, 3_882_793)
    assert found["linear_share"] > 0.85 and found["network_share"] > 0.6
    assert found["small_share"] > 0.02 and found["here"]["top1"] > 0.45
    assert {move for move, _ in found["first_moves"]} & {"A5", "D9"}  # capture the four stones, or save two


NUMBERS = {0: chapter_0, 1: chapter_1, 2: chapter_2}


@pytest.mark.parametrize("number", CHAPTERS)
def test_every_chapter_runs_as_a_script_and_has_its_numbers(number, monkeypatch, capsys):
    monkeypatch.setenv(lesson.SCALE, "tiny")
    found = runpy.run_path(str(CHAPTERS[number].path))
    NUMBERS.get(number, lambda found: None)(found)
    printed = capsys.readouterr().out
    assert all(f"Exercise {name}: Not answered yet. Hint: " in printed for name in exercises_of(number))


@pytest.mark.parametrize("number", CHAPTERS)
def test_every_chapter_begins_with_its_aims_and_ends_with_exercises_and_reading(number):
    chapter, text = CHAPTERS[number], CHAPTERS[number].path.read_text()
    assert chapter.title.startswith(f"Chapter {number}: ") and "minutes" in chapter.duration and chapter.aims
    headings = re.findall(r"^# ## (.+)", text, re.MULTILINE)
    assert headings[-2:] == ["Exercises", "Further reading"]
    assert "paper" in text and 3 <= len(exercises_of(number)) <= 6
    for name in exercises_of(number):
        assert f'check("{name}", answer)' in text


def test_a_chapter_without_aims_is_refused(tmp_path):
    path = tmp_path / "chapter9.py"
    path.write_text("# %% [markdown]\n# # Chapter 9: Nothing\n")
    with pytest.raises(UserError, match=r"chapter9.py does not begin with a cell of its title, aims and duration\."):
        read_chapter(path)


def test_the_board_of_blocks_can_be_played():
    position = Position.from_text(BLOCKS)
    for color in (BLACK, WHITE):
        assert (position.colors == color).sum() == 6
    assert {letter for letter, *_ in SLIDES_BLOCKS} == set("abcdef")


def solutions_of(number: int):
    return __import__(f"classroom.solutions.chapter{number}", fromlist=["SOLUTIONS"])


@pytest.mark.parametrize("name", NAMES)
def test_checks_accept_the_solution_and_reject_everything_else(name, capsys):
    solutions = solutions_of(int(name.partition(".")[0]))
    verdict = check(name, solutions.SOLUTIONS[name])
    assert verdict, verdict.text
    assert capsys.readouterr().out == f"Exercise {name}: Right.\n"
    assert solutions.MISTAKES[name]
    for mistake in [*solutions.MISTAKES[name], object(), [[]], _broken]:
        verdict = check(name, mistake)
        assert not verdict and verdict.sentence not in ("Right.", "Not answered yet.") and verdict.hint
        assert verdict.sentence.endswith(".") and "\n" not in verdict.sentence
    assert check(name).sentence == "Not answered yet."


def _broken(*arguments):
    raise ZeroDivisionError("of a student")


def test_an_error_of_a_students_function_is_told():
    assert check("0.captured", _broken).sentence == "This answer cannot be checked: ZeroDivisionError, of a student."


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("liberties", "'liberties' is not an exercise: names begin with the number of a chapter"),
        ("0.nothing", "'0.nothing' is not an exercise of chapter 0: there are 0.liberties, 0.captured,"),
    ],
)
def test_an_exercise_that_does_not_exist_is_one_sentence(name, sentence):
    with pytest.raises(UserError, match=re.escape(sentence)):
        check(name, 1)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Chapter 0 as the command makes it: the result of the command, and the folder."""
    runs = tmp_path_factory.mktemp("runs")
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        done = prezero("classroom", "chapter=0", "scale=tiny", "open=false", "notebook=true", runs=runs)
    assert done.returncode == 0, done.stderr
    return done, runs / "tiny" / "classroom", home


def test_a_page_needs_no_network_and_no_other_file(made):
    done, folder, home = made
    page = (folder / "chapter0.html").read_text()
    assert ADDRESS.findall(page) == []
    assert f"The page is {folder / 'chapter0.html'}." in done.stdout
    assert page.count("<details") > 10 and 'data-kind="game"' in page
    assert "69" in page and "about 10^360" in page
    assert "IPKernelApp" not in done.stderr and "Traceback" not in page
    written = [path.name for path in home.rglob("*") if path.is_file()]
    assert [name for name in written if not name.startswith("fontlist")] == []  # matplotlib's, as with all our plots
    for leak in ("https://example.com", 'src="x.js"', "@import 'x'", "url(x.png)"):
        assert ADDRESS.search(leak), leak


def test_a_notebook_has_what_the_page_shows(made):
    _, folder, _ = made
    notebook = nbformat.read(folder / "chapter0.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert sum("lesson-widget" in json.dumps(cell.outputs) for cell in code) == 1
    assert any("exercise" in cell.metadata.get("tags", []) for cell in code)


def test_the_command_lists_the_chapters(tmp_path):
    done = prezero("classroom", runs=tmp_path)
    assert done.returncode == 0
    for chapter in CHAPTERS.values():
        assert f"{chapter.title} (" in done.stdout and chapter.aims in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (["chapter=77"], f"There is no chapter 77: there are {', '.join(map(str, CHAPTERS))}."),
        (["chapter=-1"], "chapter=-1 is not at least 0."),
        (["notebook=true"], "notebook=true is about a chapter: name it, as in chapter=0."),
        (["chapter=0", "scale=huge"], "scale=huge does not exist; there are laptop, paper, tiny, workstation."),
        (["chapter=0", "run=a/b"], "run='a/b' is not a name for a folder"),
    ],
)
def test_the_command_refuses_in_one_sentence(settings, sentence, tmp_path):
    done = prezero("classroom", *settings, runs=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith(f"prezero: {sentence}") and done.stderr.count("\n") == 1


@pytest.fixture
def chapter_with(tmp_path, monkeypatch):
    """Make a chapter of one cell that the command finds."""

    def write(cell: str) -> None:
        path = tmp_path / "chapter0.py"
        head = "# %% [markdown]\n# # Chapter 0: Broken\n#\n# **Aims.** None.\n#\n# **Duration.** 1 minute.\n\n# %%\n"
        path.write_text(head + cell)
        monkeypatch.setattr("classroom.command.chapter_of", lambda number: read_chapter(path))

    return write


def test_a_cell_that_fails_is_one_sentence(tmp_path, chapter_with):
    chapter_with("1 / 0\n")
    done = prezero("classroom", "chapter=0", "open=false", runs=tmp_path)
    assert done.returncode == 2
    assert "prezero: Chapter 0: Broken stopped at a cell (ZeroDivisionError: division by zero)" in done.stderr
    assert not list(tmp_path.rglob("*.html"))


def test_a_chapter_can_be_interrupted(tmp_path, chapter_with):
    chapter_with("import os, signal, time\nos.kill(os.getppid(), signal.SIGINT)\ntime.sleep(600)\n")
    done = prezero("classroom", "chapter=0", "open=false", runs=tmp_path)
    assert done.returncode == INTERRUPTED
    assert "prezero: stopped; run the same command again to go on." in done.stderr and "Traceback" not in done.stderr
    assert not list(tmp_path.rglob("*.html"))


def test_the_page_is_opened_in_the_browser(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address))
    monkeypatch.setattr("classroom.notebook.run", lambda chapter, scale: nbformat.v4.new_notebook())
    done = prezero("classroom", "chapter=0", "scale=tiny", runs=tmp_path)
    assert opened == [(tmp_path / "tiny" / "classroom" / "chapter0.html").as_uri()]
    assert "No browser could be started" in done.stdout


def test_scripts_come_with_what_they_import_and_data_cannot_end_them():
    assert list(modules_of("rollout.js")) == ["board.js", "player.js", "rollout.js"]
    with pytest.raises(UserError, match=r"There is no script nothing\.js in classroom/web or arena/web\."):
        modules_of("nothing.js")
    assert as_json("</script>") == '"\\u003c/script>"' and json.loads(as_json("</script>")) == "</script>"
    with pytest.raises(ValueError, match="JSON"):
        as_json(float("nan"))


def test_a_scale_that_does_not_exist_is_refused(monkeypatch):
    monkeypatch.setenv(lesson.SCALE, "huge")
    with pytest.raises(UserError, match="huge is none of tiny, full"):
        lesson.sized(2, 1)
    monkeypatch.setenv(lesson.SCALE, "tiny")
    assert lesson.sized(2, 1) == 1 and lesson.scale == "tiny"
    monkeypatch.delenv(lesson.SCALE)
    assert lesson.sized(2, 1) == 2


def test_drawings_have_no_ground_of_their_own_and_text_in_the_colour_of_the_page(monkeypatch):
    shown = []
    monkeypatch.setattr(lesson, "shown", lambda page, text: shown.append(page))
    lesson.show_board(Position(9).play("E5"), "a <board>")
    panels = [Panel("one", Position(5).play("C3").to_svg()), Panel("two", Position(5).to_svg())]
    lesson.show_drawing(sheet_svg("a sheet", ["a line"], panels, board_width(5)))
    with lesson.figure("a figure") as figure:
        figure.subplots().plot([1, 2], [3, 4])
    for page in shown:
        assert 'fill="#ffffff"' not in page and "fill: #ffffff" not in page
        assert "currentColor" in page and ADDRESS.search(page) is None
        assert all(color not in page for color in lesson.THEMED if color != "#d9d9d9")
    assert len(shown) == 3 and "a &lt;board&gt;" in shown[0] and shown[1].count("<svg") == 3


@pytest.fixture(scope="module")
def trace() -> dict:
    return rollout_trace(slides_position(), Model.load(find_weights("rollout", 9)), seed=3, most=6)


def test_a_rollout_is_recorded_as_it_is_played(trace):
    position = slides_position()
    model = Model.load(find_weights("rollout", 9))
    for step in trace["steps"][:-1]:
        assert step["rows"] == lesson.board_rows(position)
        played = [move for move in step["moves"] if move["played"]]
        assert len(played) == 1 and step["moves"][0] == played[0]
        weights = {move["point"]: sum(weight for _, weight in move["reasons"]) for move in step["moves"]}
        first, second = step["moves"][:2]
        ratio = math.exp(weights[first["point"]] - weights[second["point"]])
        assert first["chance"] / second["chance"] == pytest.approx(ratio, rel=0.05, abs=0.01)
        position.play(played[0]["point"])
    assert trace["steps"][-1]["rows"] == lesson.board_rows(position) and len(trace["steps"]) == 7
    games = {json.dumps(rollout_trace(slides_position(), model, seed, 6)["steps"][-1]["rows"]) for seed in range(4)}
    assert len(games) > 1  # moves are drawn


def test_stepping_through_a_rollout_shows_its_positions(browser: Browser, trace, tmp_path):
    page = tmp_path / "page.html"
    two = widget("rollout", trace, "first <b>", "one") + widget("rollout", trace, "second", "two")
    page.write_text(
        f"<!DOCTYPE html><html><meta name='viewport' content='width=device-width'><body>{two}</body></html>"
    )
    browser.errors.clear()
    browser.requests.clear()
    browser.open(page)
    browser.wait_for("document.querySelectorAll('.pz[data-step]').length === 2")
    step = "Number(document.querySelector('#one .pz').dataset.step)"
    caption = "document.querySelector('#one .pz-caption').textContent"
    rows = "document.querySelector('#one .go').go.spec.rows.join('')"

    def shows(number: int) -> None:
        assert browser.run(step) == number
        assert browser.run(caption) == trace["steps"][number]["note"]
        assert browser.run(rows) == "".join(trace["steps"][number]["rows"])

    shows(0)
    browser.click("#one [data-do=forward]")
    shows(1)
    browser.press("ArrowRight")
    shows(2)
    browser.press("End")
    shows(6)
    browser.press("ArrowRight")
    shows(6)
    browser.press("ArrowLeft")
    shows(5)
    browser.press("Home")
    shows(0)
    browser.run("(() => {const s = document.querySelector('#one .pz-slider'); s.value = 4; "
                "s.dispatchEvent(new Event('input'))})()")  # fmt: skip
    shows(4)
    assert browser.run("Number(document.querySelector('#two .pz').dataset.step)") == 0  # the other one stays
    browser.run("document.querySelector('#one .pz-speed').value = '8'; "
                "document.querySelector('#one .pz-speed').dispatchEvent(new Event('change'))")  # fmt: skip
    browser.click("#one [data-do=play]")
    browser.wait_for(f"{step} === 6 && document.querySelector('#one .pz').dataset.playing === 'no'")
    browser.resize(400, 800, is_mobile=True)
    browser.press("Home")
    browser.swipe("#one .pz-stage", -150)
    browser.wait_for(f"{step} === 1")
    assert browser.run("document.documentElement.scrollWidth") <= 400
    browser.resize(1200, 900)
    browser.run("document.documentElement.dataset.theme = 'dark'")
    dark = browser.run("getComputedStyle(document.querySelector('.pz')).backgroundColor")
    browser.run("document.documentElement.dataset.theme = 'light'")
    assert dark != browser.run("getComputedStyle(document.querySelector('.pz')).backgroundColor")
    assert browser.run("document.querySelector('#one .pz-title').textContent") == "first <b>"
    assert browser.errors == []
    assert [address for address in browser.requests if not address.startswith(("file:", "blob:"))] == []


def test_a_page_of_a_chapter_works_in_the_browser(browser: Browser, made):
    _, folder, _ = made
    browser.errors.clear()
    browser.requests.clear()
    browser.open(folder / "chapter0.html")
    browser.wait_for("document.querySelector('.lesson-widget .go-player') !== null")
    player = "document.querySelector('.lesson-widget .go-player').go"
    before = browser.run(f"{player}.positions[{player}.at].stones.size")
    browser.click(".lesson-widget .go-forward")
    assert browser.run(f"{player}.at") == 9  # it begins after the opening
    assert browser.run(f"{player}.positions[{player}.at].stones.size") == before + 1
    folds = "[...document.querySelectorAll('details.code')].filter((fold) => fold.open).length"
    exercises, every = len(exercises_of(0)), browser.run("document.querySelectorAll('details.code').length")
    assert browser.run(folds) == exercises
    browser.click("#all-code")
    assert browser.run(folds) == every
    browser.click("#all-code")
    assert browser.run(folds) == exercises
    background = "getComputedStyle(document.body).backgroundColor"
    browser.prefer("light")
    light = browser.run(background)
    browser.click("#theme")
    assert browser.run(background) != light and browser.run("document.getElementById('theme').textContent") == "Light"
    anchors = "[...document.querySelectorAll('.contents a')].map((link) => decodeURIComponent(link.hash.slice(1)))"
    links = browser.run(anchors)
    assert len(links) >= 4
    assert all(browser.run(f"document.getElementById({json.dumps(link)}) !== null") for link in links)
    browser.resize(380, 800, is_mobile=True)
    assert browser.run("document.documentElement.scrollWidth") <= 380
    browser.resize(1200, 900)
    assert browser.errors == []
    assert [address for address in browser.requests if not address.startswith(("file:", "blob:", "data:"))] == []
