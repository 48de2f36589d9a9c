"""`data.inspect`: the report, what its plots draw, one game and one position of it, and the answer to bad input."""

from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
from conftest import prezero, store_of
from matplotlib.figure import Figure

from data import plots
from data.inspect import SECTIONS, Settings, main
from data.record import read_records
from data.store import GameStore
from go.draw import CELL, STONES
from pipeline.errors import UserError
from pipeline.settings import validate

SVG = "{http://www.w3.org/2000/svg}"
GAMES = [
    # move 8 takes 5 in a ko, and 11 takes 8 from the point of 5; the name would clear the screen
    b"(;SZ[5]KM[6.5]RE[W+R]PB[Ann\x1b[2J]PW[Bob (2271)]BR[3d]DT[2016-03-09]"
    b";B[bb];W[cb];B[ac];W[dc];B[cc];W[cd];B[bd];W[bc];B[ee];W[ea];B[cc];W[])",
    b"(;SZ[5]KM[6.5]RE[B+4.5]BR[2k]WR[1d]DT[2014];B[cc];W[bb];B[])",
    b"(;SZ[5]KM[0.5]HA[2]AB[dd][bb]RE[B+R]BR[2k]WR[1d];W[cc];B[cb])",
    b"(;SZ[5]RE[?]DT[2016];B[db];W[dd];AE[db]AB[aa];B[cc];W[cd])",  # set-up stones after two moves
]


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> GameStore:
    return store_of(tmp_path_factory.mktemp("store"), GAMES, 5, (0.0, 0.0), learn="stronger")


def inspect(store: GameStore, out: Path, capsys, **settings) -> str:
    given = Settings(store=str(store.folder), out=str(out), **settings)
    validate(given)
    main(given)
    return capsys.readouterr().out


def words(path: Path) -> list[str]:
    return [element.text for element in ElementTree.parse(path).iter(SVG + "text")]


def labels(path: Path) -> dict[tuple[float, float], str]:
    """Return what is written on the points of a drawn board, by row and column."""
    texts = ElementTree.parse(path).iter(SVG + "text")
    places = {(float(t.get("y")) / CELL, float(t.get("x")) / CELL): t.text for t in texts}
    return {place: text for place, text in places.items() if all(0 <= part <= 4 for part in place)}


def test_the_report_has_every_table_and_every_plot(store, tmp_path, capsys):
    said = inspect(store, tmp_path / "new" / "folder", capsys)
    page = (tmp_path / "new" / "folder" / "report.md").read_text()
    assert page.startswith(f"# Game store {store.about['fingerprint']}\n")
    drawn = [name for section in SECTIONS for name in section.plots]
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == sorted([*drawn, "report.md"])
    for section in SECTIONS:
        assert section.text(store) in said and section.text(store) in page
        assert f"{section.title}\n\n|" in said and f"## {section.title}\n\n|" in page
    for name in drawn:
        assert f"]({name})" in page and len(words(tmp_path / "new" / "folder" / name)) > 4
    assert "| games                   |     4 |          0 |    0 |   4 |" in said


def test_the_same_store_gives_the_same_files_byte_for_byte(store, tmp_path, capsys, monkeypatch):
    inspect(store, tmp_path / "a", capsys)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    monkeypatch.setitem(matplotlib.rcParams, "font.size", 20)  # of the user's own, which make no difference
    inspect(store, tmp_path / "b", capsys)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


@pytest.fixture
def figures(monkeypatch) -> list[Figure]:
    """The figures drawn by a test, in their order."""
    drawn = []

    def keep(**options) -> Figure:
        drawn.append(Figure(**options))
        return drawn[-1]

    monkeypatch.setattr("pipeline.plots.Figure", keep)
    return drawn


def bars(figure: Figure, panel: int = 0) -> list[list[float]]:
    """Return the heights of the bars of each side."""
    return [[float(bar.get_height()) for bar in side] for side in figure.axes[panel].containers]


def test_bars_are_as_high_as_the_counts(store, tmp_path, figures):
    plots.draw_ranks(store, tmp_path / "ranks.svg")
    ranks, ratings = figures[-1].axes
    assert [tick.get_text() for tick in ranks.get_xticklabels()] == ["2k", "1k", "1d", "2d", "3d"]
    assert bars(figures[-1]) == [[2, 0, 0, 0, 1], [0, 0, 2, 0, 0]]
    assert [tick.get_text() for tick in ratings.get_xticklabels()] == ["2200+"]
    assert bars(figures[-1], 1) == [[0], [1]]

    plots.draw_handicaps(store, tmp_path / "handicap.svg")
    assert bars(figures[-1]) == [[75, 25]]
    assert {"none", "2", "3", "1", "share of the games"} <= set(words(tmp_path / "handicap.svg"))

    plots.draw_years(store, tmp_path / "years.svg")
    (years,) = figures[-1].axes[0].containers
    assert [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in years] == [(2014, 1), (2015, 0), (2016, 2)]
    assert "1 of unknown year" in words(tmp_path / "years.svg")

    plots.draw_lengths(store, tmp_path / "lengths.svg")
    lengths = figures[-1].axes[0].containers[0]
    assert {bar.get_x(): bar.get_height() for bar in lengths if bar.get_height()} == {2: 2, 4: 1, 12: 1}
    assert "median 3.5" in words(tmp_path / "lengths.svg")


def test_results_are_shares_that_fill_the_bar(store, tmp_path, figures):
    plots.draw_results(store, tmp_path / "results.svg")
    axes = figures[-1].axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["6.5", "0.5", "not known"]
    widths = {part.get_label(): [float(bar.get_width()) for bar in part] for part in axes.containers}
    assert widths == {
        "black won": [50, 100, 0],
        "white won": [50, 0, 0],
        "drawn": [0, 0, 0],
        "not known": [0, 0, 100],
    }
    assert [float(bar.get_x()) for bar in axes.containers[3]] == [100, 100, 0]


def test_an_endless_game_and_a_few_beginners_are_told_and_not_drawn(tmp_path, figures):
    letters = "abcdefghijklmnopqrs"
    thirds = [a + b for a in letters for b in "efghij"]
    games = [f"(;SZ[19]BR[1d]WR[1d];B[cd];W[dd];B[{a}];W[{b}l])" for a in thirds for b in letters[:10]]
    games.append("(;SZ[19]BR[30k];B[cd];W[dd]" + 200 * ";B[];W[]" + ";B[aa])")
    store = store_of(tmp_path, [game.encode() for game in games], 19)
    assert len(store) == 19 * 6 * 10 + 1
    plots.draw_lengths(store, tmp_path / "lengths.svg")
    assert "1 longer, up to 403" in words(tmp_path / "lengths.svg") and figures[-1].axes[0].get_xlim() == (3, 7)
    plots.draw_ranks(store, tmp_path / "ranks.svg")
    assert "1 weaker" in words(tmp_path / "ranks.svg") and bars(figures[-1]) == [[1140], [1140]]


def test_what_no_game_tells_is_said_in_the_plot(tmp_path):
    store = store_of(tmp_path, [b"(;SZ[5];B[cc];W[bb])"], 5)
    for draw in (plots.draw_ranks, plots.draw_years):
        draw(store, tmp_path / "plot.svg")
        assert "not known of any game" in words(tmp_path / "plot.svg")


def test_first_moves_are_drawn_as_percentages_on_their_points(store, tmp_path):
    plots.draw_first_moves(store, tmp_path / "played.svg", folded=False)
    assert labels(tmp_path / "played.svg") == {(1, 1): "33", (2, 2): "33", (1, 3): "33"}
    plots.draw_first_moves(store, tmp_path / "folded.svg", folded=True)
    assert labels(tmp_path / "folded.svg") == {(2, 2): "33", (1, 3): "67"}
    assert "First moves, eight images as one: percent of 3 games" in words(tmp_path / "folded.svg")


def test_a_game_is_told_and_drawn_with_its_numbers(store, tmp_path, capsys):
    said = inspect(store, tmp_path, capsys, game=0).splitlines()
    assert said == [
        "Game 0 of 4 (0 to 3), 5x5",
        "black     Ann?[2J (3d)",
        "white     Bob (2271)",
        "result    W+R (resignation)",
        "komi      6.5",
        "handicap  none",
        "date      2016-03-09",
        "source    game 0",
        "split     train, to learn from black and white",
        "moves     12",
        "",
        "   A B C D E",
        " 5 . . . . O  5",
        " 4 . X O . .  4",
        " 3 X . X O .  3",
        " 2 . X O . .  2",
        " 1 . . . . X  1",
        "   A B C D E",
        "Stones no longer there: 5 at 11, 8 at B3.",
        "Passes: 12.",
        f"Drawn to {tmp_path / 'game-0.svg'}.",
    ]
    numbers = {(1, 1): 1, (1, 2): 2, (2, 0): 3, (2, 3): 4, (3, 2): 6, (3, 1): 7, (4, 4): 9, (0, 4): 10, (2, 2): 11}
    assert labels(tmp_path / "game-0.svg") == {place: str(number) for place, number in numbers.items()}
    assert "Ann?[2J (3d) - Bob (2271), W+R" in words(tmp_path / "game-0.svg")


def test_a_game_is_numbered_in_any_symmetry_and_beside_set_up_stones(store, tmp_path, capsys):
    said = inspect(store, tmp_path, capsys, game=3)
    assert " 5 X . . . .  5\n 4 . . . . .  4\n 3 . . X . .  3\n 2 . .(O)O .  2\n" in said
    assert "Stones no longer there: 1 at D4.\n" in said and "result    not known\n" in said
    assert labels(tmp_path / "game-3.svg") == {(3, 3): "2", (2, 2): "3", (3, 2): "4"}
    said = inspect(store, tmp_path, capsys, game=3, symmetry=1)  # left to right
    assert " 5 . . . . X  5\n" in said and "Stones no longer there: 1 at B4.\n" in said
    assert labels(tmp_path / "game-3-symmetry-1.svg") == {(3, 1): "2", (2, 2): "3", (3, 2): "4"}


def test_a_position_is_drawn_with_its_next_move_marked(store, tmp_path, capsys):
    said = inspect(store, tmp_path, capsys, game=0, ply=8, symmetry=4)
    assert said.endswith(
        "After 8 of 12 moves, in symmetry 4:\n"
        "   A B C D E\n"
        " 5 . . X . .  5\n"
        " 4 . X(O)X .  4\n"
        " 3 . O . O .  3\n"
        " 2 . . O . .  2\n"
        " 1 . . . . .  1\n"
        "   A B C D E\n"
        "Last, move 8: white C4.\n"
        "Ko: black may not play C3.\n"
        "Next, move 9: black E1.\n"
        f"Drawn to {tmp_path / 'game-0-ply-8-symmetry-4.svg'}.\n"
    )
    tree = ElementTree.parse(tmp_path / "game-0-ply-8-symmetry-4.svg")
    circles = [element.attrib for element in tree.iter(SVG + "circle")]
    black = {(float(c["cy"]) / CELL, float(c["cx"]) / CELL) for c in circles if c["fill"] == STONES[1][0]}
    assert black == {(1, 1), (0, 2), (1, 3)}
    (triangle,) = [p.get("d") for p in tree.iter(SVG + "path") if "l" in p.get("d")]
    x, y = map(float, triangle[1:].split("l")[0].split())
    assert x == 4 * CELL and abs(y - 4 * CELL) < CELL / 2


def test_a_position_tells_what_is_not_learnt(store, tmp_path, capsys):
    assert "to learn from white" in inspect(store, tmp_path, capsys, game=1, ply=0)
    said = [inspect(store, tmp_path, capsys, game=1, ply=ply).splitlines()[-2] for ply in range(4)]
    assert said == [
        "Next, move 1: black C3 (not learnt).",
        "Next, move 2: white B4.",
        "Next, move 3: black pass (not learnt).",
        "Last, move 3: black pass.",
    ]


def test_a_game_goes_out_as_sgf_and_reads_back(store, tmp_path, capsys):
    said = inspect(store, tmp_path, capsys, game=3, sgf=str(tmp_path / "game.sgf"))
    assert said.endswith(f"Written to {tmp_path / 'game.sgf'}.\n")
    (record,) = read_records((tmp_path / "game.sgf").read_bytes())
    assert record.moves.tolist() == store.record(3).moves.tolist()
    assert sorted(record.setup.tolist()) == sorted(store.record(3).setup.tolist())


def test_games_are_found_by_name_date_and_source(store, tmp_path, capsys):
    assert inspect(store, tmp_path / "x", capsys, find="BOB") == (
        "1 of 4 games\ngame=0       Ann?[2J (3d) - Bob (2271), W+R, 12 moves, 2016-03-09, game 0\n"
    )
    assert [line.split()[0] for line in inspect(store, tmp_path / "x", capsys, find="2016").splitlines()[1:]] == [
        "game=0",
        "game=3",
    ]
    assert inspect(store, tmp_path / "x", capsys, find="nobody") == "0 of 4 games\n"
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"game": 4}, "There is no game 4 in .*: they go from 0 to 3."),
        ({"game": -1}, "game=-1 is not at least 0."),
        ({"game": 0, "ply": 13}, "Game 0 has no ply 13: they go from 0 to 12."),
        ({"game": 0, "ply": -1}, "ply=-1 is not at least 0."),
        ({"game": 0, "symmetry": 8}, "symmetry=8 is not between 0 and 7."),
        ({"ply": 0}, "ply is about one game: name it with game=NUMBER."),
        ({"symmetry": 1}, "symmetry is about one game: name it with game=NUMBER."),
        ({"sgf": "x.sgf"}, "sgf is about one game: name it with game=NUMBER."),
        ({"game": 1, "find": "x"}, "find looks for games, and game shows one: take one of the two."),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(store, tmp_path, capsys, settings, sentence):
    with pytest.raises(UserError, match=f"^{sentence}$"):
        inspect(store, tmp_path / "x", capsys, **settings)
    assert not (tmp_path / "x").exists()


def test_the_command_shows_the_store_of_the_run(store, tmp_path):
    missing = prezero("data.inspect", "run=r", runs=tmp_path)
    assert missing.returncode == 2 and not (tmp_path / "r").exists()
    folder = tmp_path / "r" / "data.prepare"
    assert missing.stderr == f"prezero: There is no game store in {folder}; ./prezero data.prepare run=r makes one.\n"
    store_of(folder, GAMES, 5)
    done = prezero("data.inspect", "run=r", runs=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.endswith(f"Report and plots: {tmp_path / 'r' / 'data.inspect' / 'report.md'}\n")
    assert (tmp_path / "r" / "data.inspect" / "first_moves.svg").exists()
    game = prezero("data.inspect", f"store={folder}", "game=2", "run=s", runs=tmp_path)
    assert "handicap  2\n" in game.stdout and (tmp_path / "s" / "data.inspect" / "game-2.svg").exists()


def test_folders_that_are_none_are_named(store, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("file.txt").write_text("x")
    Path("empty").mkdir()
    for settings, sentence in (
        ({"store": "file.txt"}, "store=file.txt is not a folder; ./prezero data.prepare makes game stores."),
        ({"store": "empty"}, "There is no game store in empty; ./prezero data.prepare makes one."),
        ({"out": "file.txt"}, "Cannot make the folder file.txt: File exists."),
        ({"game": 0, "out": "o", "sgf": "no/x.sgf"}, "Cannot write no/x.sgf: No such file or directory."),
        ({"run": "../x"}, r"run='../x' is not a name for a folder in .*"),
    ):
        with pytest.raises(UserError, match=f"^{sentence}$"):
            main(Settings(**{"store": str(store.folder), **settings}))


def test_a_number_that_is_none_is_refused_by_the_command(tmp_path):
    done = prezero("data.inspect", "game=one", runs=tmp_path)
    sentence = "game=one does not fit: Value 'one' of type 'str' could not be converted to Integer."
    assert (done.returncode, done.stderr) == (2, f"prezero: {sentence}\n")
