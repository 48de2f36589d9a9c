"""Chapter 3: the numbers of the slides' bandit and maze, learning on 5x5, and the scripts that play them."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import Browser
from small_samples import small_samples

from classics.bandit import SLIDES_UCB, replay, success_rate, ucb1
from classroom import bandit, costs, maze, small_learning
from classroom.scripts import widget
from value_net.accuracy import predict
from value_net.lessons import lessons_of

# trial, arm, won, A, B, printed A, printed B, next, by their formula A / B, true UCB1 A / B
UCB_TABLE = """
1 A no  0/1 0/0 0.00 1.41 B 0.000 1.414 0.000 ∞
2 B yes 0/1 1/1 0.78 1.78 B 0.776 1.776 1.177 2.177
3 B no  0/1 1/2 0.98 1.09 B 0.977 1.093 1.482 1.548
4 B yes 0/1 2/3 1.10 1.17 B 1.097 1.167 1.665 1.628
5 B no  0/1 2/4 1.18 0.94 A 1.182 0.940 1.794 1.397
6 A yes 1/2 2/4 1.48 1.09 A 1.477 1.093 1.839 1.447
7 A yes 2/3 2/4 1.52 1.20 A 1.525 1.197 1.806 1.486
8 A no  2/4 2/4 1.28 1.28 A 1.276 1.276 1.520 1.520
9 A yes 3/5 2/4 1.31 1.34 A 1.315 1.339 1.537 1.548
"""
WALLS = {(2, 6), (3, 7), (7, 8), (9, 10), (9, 13), (10, 11), (11, 12), (12, 16), (14, 15)}


def test_the_table_of_the_bandit_is_that_of_the_slides_digit_by_digit():
    rows = bandit.slides_rows()
    for row, line in zip(rows, UCB_TABLE.split("\n")[1:-1], strict=True):
        trial, arm, won, a, b, printed_a, printed_b, after, ours_a, ours_b, true_a, true_b = line.split()
        assert row[:5] == [trial, arm, won, a, b]
        assert row[5:7] == [f"{printed_a} / {printed_b}", after]
        assert row[7] == f"{ours_a} / {ours_b}" and row[9] == f"{true_a} / {true_b}"
        for printed, value in ((printed_a, ours_a), (printed_b, ours_b)):
            assert abs(float(printed) - float(value)) <= 0.0051
    by_their_formula, by_ucb1 = ("".join(row[column] for row in rows) for column in (8, 10))
    assert by_their_formula == "BBBBAAAAB"  # the slides have A at the end
    assert by_ucb1 == "BBBAAAAAB"  # leaves their path after the fourth trial


def test_the_slips_of_the_bandit_are_explained_where_they_are():
    said = bandit.remarks(replay(SLIDES_UCB, bandit.slides_bandit))
    assert [number for number, remark in enumerate(said, 1) if remark] == [1, 8, 9]
    assert (said[0], said[7], said[8]) == (bandit.UNTRIED_NOTE, bandit.TIE_NOTE, bandit.SLIP_NOTE)
    assert math.sqrt(2) == pytest.approx(bandit.slides_bandit(0, 0, 1))


def test_an_untried_arm_is_next_by_ucb1():
    assert replay([("A", 1)], ucb1)[0].best == "B"


def test_the_greedy_table_stays_with_the_worse_arm():
    data = bandit.slides_data()["courses"][0]["trials"]
    assert [trial["arm"] for trial in data] == ["A", *"BBBBBBBBB"] and len(data) == 10
    for trial in data[1:9]:
        wins, tried = trial["arms"]["B"]
        assert trial["printed"]["B"] == f"{100 * wins / tried:.0f}%" and trial["rate"]["next"] == "B"
    assert data[8]["arms"] == {"A": [0, 1], "B": [4, 8]}


def test_many_greedy_players_stay_with_the_worse_arm_and_few_of_ucb1_do():
    shares = {bound: bandit.share_of_best(bandit.CHANCES, 400, bound, 40) for bound in (ucb1, success_rate)}
    assert shares[ucb1][-50:].mean() > 0.85
    assert len(set(shares[success_rate][-100:])) <= 2  # who is at the worse arm so late, stays there
    assert shares[success_rate][-1] < 0.85
    assert 0.3 < shares[ucb1][0] < 0.7  # the first arm is drawn by lot


def test_the_maze_is_the_one_of_the_tables():
    neighbours = {(c, c + 1) for c in range(1, 16) if c % 4} | {(c, c + 4) for c in range(1, 13)}
    assert neighbours - {(min(pair), max(pair)) for pair in maze.PASSAGES} == WALLS and len(maze.PASSAGES) == 15
    assert all(maze.NEXT[a][maze.RIGHT if b == a + 1 else maze.DOWN] == a for a, b in WALLS)
    cell, way = maze.START, []
    while cell != maze.OUTSIDE:
        way.append(cell)
        cell = maze.NEXT[cell][maze.ROUTE_ACTION[cell]]
    assert tuple(way) == maze.ROUTE == (1, 5, 6, 7, 11, 15, 16)
    assert maze.steps_to_exit()[1] == 7 and sorted(maze.steps_to_exit())[-1] == 12  # a tree: every cell has a way out


def test_printed_grids_and_tables_agree_but_for_one_cell():
    for cell in range(1, 17):
        action, place = maze.ROUTE_ACTION[cell], cell - 1
        assert abs(maze.PRINTED_Q_TABLE[place][action] - maze.PRINTED_Q[100][place]) <= 0.51
        assert (maze.PRINTED_POLICY_TABLE[place][action] == maze.PRINTED_POLICY[100][place]) == (cell != 10)
    assert maze.PRINTED_POLICY[100][9] == 42 and maze.PRINTED_POLICY_TABLE[9][maze.UP] == 43
    off = {cell: max(maze.PRINTED_POLICY_TABLE[cell - 1]) for cell in (4, 8, 12)}
    assert off == {4: 27, 8: 30, 12: 30}  # and the grid shows 25, 25 and 28
    assert [maze.PRINTED_POLICY[100][cell - 1] for cell in off] == [25, 25, 28]


def test_q_learning_gives_the_printed_numbers():
    runs = [maze.q_learning(seed) for seed in range(150)]
    for run in runs[:3]:
        for episode in maze.PRINTED_EPISODES:
            assert run[episode - 1].table[16][maze.RIGHT] == pytest.approx(episode)
        assert [round(value) for value in maze.grid_of(run[0].table)] == list(maze.PRINTED_Q[1])
    mean, spread = maze.mean_and_deviation([run[99].table for run in runs])
    found = [mean[cell][maze.ROUTE_ACTION[cell]] for cell in reversed(maze.ROUTE)]
    assert found == pytest.approx([100.0, 85.7, 72.8, 61.3, 51.0, 41.9, 34.0], abs=0.25)
    early, _ = maze.mean_and_deviation([run[19].table for run in runs])
    found = [early[cell][maze.ROUTE_ACTION[cell]] for cell in reversed(maze.ROUTE)]
    assert found == pytest.approx([20, 12.8, 8.0, 4.7, 2.6, 1.4, 0.7], abs=0.3)
    scores = np.array(maze.z_scores(mean, spread))
    assert len(scores) == 64 and 0.8 < math.sqrt((scores**2).mean()) < 1.05 and 2 < np.abs(scores).max() < 3.2


def test_the_closed_form_and_the_textbook_rule():
    assert maze.closed_form_15(100) == pytest.approx(85.5, abs=0.001)
    for episodes in (1, 7, 100):
        assert maze.one_visit(15, episodes) == pytest.approx(maze.closed_form_15(episodes))
    assert maze.one_visit(16, 100) == pytest.approx(100)
    exit_values = [
        episode.table[16][maze.RIGHT] for episode in maze.q_learning(1, maze.QSettings(exit_rule="textbook"))
    ]
    assert exit_values[0] == pytest.approx(1) and max(exit_values) < 10 and exit_values[-1] > 9.99


def test_the_policy_gradient_learns_only_if_steps_near_the_exit_count_more():
    def along_the_route(settings: maze.GradientSettings, episode: int) -> list[float]:
        tables = [maze.policy_gradient(seed, settings)[episode - 1].table for seed in range(12)]
        mean, _ = maze.mean_and_deviation(tables)
        return [100 * mean[cell][maze.ROUTE_ACTION[cell]] for cell in maze.ROUTE]

    assert min(along_the_route(maze.GradientSettings(), 100)) > 60
    early = along_the_route(maze.GradientSettings(), 20)
    assert early[0] < 35 < early[-1] < 75  # the printed grid has 26 and 43
    same = along_the_route(maze.GradientSettings(rate=0.001, discount=1.0), 100)
    assert all(abs(share - 25) < 3 for share in same)
    assert min(along_the_route(maze.GradientSettings("score", 0.6, 0.9), 100)) > 60


def test_a_recorded_run_can_be_replayed_from_its_data():
    data = maze.page_data(maze.trace_data(maze.q_learning(2), "q"), maze.trace_data(maze.policy_gradient(2), "policy"))
    for run in data["runs"]:
        table = [[0.0] * 4 for _ in range(16)]
        for episode in run["episodes"]:
            cell = 1
            for step, action in enumerate(map(int, episode["actions"])):
                if episode["changes"]:
                    table[cell - 1][action] = episode["changes"][step]
                cell = data["next"][cell - 1][action]
            assert cell == 0
            if run["kind"] == "q":
                assert table == episode["table"]
            else:
                assert all(abs(sum(row) - 100) < 0.1 for row in episode["table"])


def test_the_timings_of_the_slides():
    assert costs.game_seconds() == pytest.approx(2.0)
    assert costs.rl_seconds() == pytest.approx(2.56e6)
    assert costs.days(costs.rl_seconds()) == pytest.approx(29.6, abs=0.05)
    assert 0.5 < costs.days(costs.rl_seconds(), costs.GPUS) < 1
    assert costs.GAMES_A_BATCH * costs.BATCHES == 1_280_000


def test_a_policy_that_reinforces_changes_and_is_tested_against_its_parent():
    parent = small_learning.new_policy()
    learnt = small_learning.reinforce(parent, iterations=2, games=8, every=1, tested=10)
    assert [row["games"] for row in learnt.history] == [0, 8, 16]
    assert learnt.history[-1]["won"] == small_learning.won_by(learnt.after, learnt.before, 10)
    assert all(np.array_equal(learnt.before.tensors[name], parent.tensors[name]) for name in parent.tensors)
    assert any(not np.array_equal(learnt.after.tensors[name], parent.tensors[name]) for name in parent.tensors)
    assert learnt.history[-1]["entropy"] > 2  # it began with nearly equal chances for up to 25 moves


def test_a_value_network_memorises_games_of_which_it_sees_many_positions(tmp_path: Path):
    samples = small_samples(tmp_path / "samples")
    one, several = small_learning.overfitting(samples, many=8, epochs=25)
    assert one.samples == several.samples == one.games == 8 * several.games
    train, test = (set(lessons_of(samples, part).games.tolist()) for part in ("train", "test"))
    assert set(several.lessons.games.tolist()) <= train and not train & test
    assert several.test > several.train + 0.3  # it knows its games and not the others
    assert several.test > one.test
    for lessons in (several.lessons, lessons_of(samples, "test")):
        first = [k for k in range(len(lessons)) if lessons.plies[k] < 10]
        values = predict(several.network, lessons)
        right = [np.sign(values[k]) == lessons.outcomes[k] for k in first]
        assert small_learning.winners_known(several.network, lessons, 10) == pytest.approx(np.mean(right))
    known, others = (small_learning.winners_known(several.network, part, 10) for part in (several.lessons, lessons))
    assert known > others + 0.1


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory) -> Iterator[Browser]:
    """The browser, which shows the bandit and the maze."""
    folder = tmp_path_factory.mktemp("page")
    data = maze.page_data(maze.trace_data(maze.q_learning(4), "q"), maze.trace_data(maze.policy_gradient(10), "policy"))
    widgets = widget("bandit", bandit.slides_data(), "trials", "bandit") + widget("maze", data, "maze", "maze")
    path = folder / "page.html"
    path.write_text(f'<!DOCTYPE html><meta charset="utf-8">{widgets}', encoding="utf-8")
    browser.errors.clear()
    browser.requests.clear()
    browser.open(path)
    browser.wait_for("document.querySelectorAll('.pz').length === 2")
    yield browser
    browser.resize(1200, 900)
    assert browser.errors == []
    assert all(url.startswith(("file:", "blob:", "data:")) for url in browser.requests)


def go_to(page: Browser, name: str, step: int) -> None:
    page.run(
        f"(() => {{const s = document.querySelector('#{name} .pz-slider'); s.value = {step};"
        "s.dispatchEvent(new Event('input'));})()"
    )


def text(page: Browser, selector: str) -> str:
    return page.run(f"document.querySelector({selector!r}).textContent")


def test_the_bandit_in_the_page_shows_the_values_of_each_trial(page: Browser):
    page.run("document.querySelector('#bandit [data-tab=UCB]').click()")
    for step, trial in enumerate(replay(SLIDES_UCB, bandit.slides_bandit), 1):
        go_to(page, "bandit", step)
        for arm, bound in trial.bounds.items():
            assert text(page, f"#bandit [data-bound={arm}]") == f"{bound:.3f}"
    assert "slip" in text(page, "#bandit .pz-caption") and text(page, "#bandit td.is-slip") == "A"
    page.click("#bandit [data-do=back]")
    assert page.run("document.querySelector('#bandit .pz').dataset.step") == "8"
    page.run("document.querySelector('#bandit [data-tab=UCB1]').click()")
    assert text(page, "#bandit [data-bound=A]") == "1.520"
    go_to(page, "bandit", 1)
    assert text(page, "#bandit [data-bound=B]") == "∞"
    page.run("document.querySelector('#bandit [data-tab=greedy]').click()")
    go_to(page, "bandit", 8)
    assert text(page, "#bandit [data-bound=B]") == "0.571"


def test_the_maze_in_the_page_follows_the_recorded_runs(page: Browser):
    run, cells = (
        maze.q_learning(4),
        "[...document.querySelectorAll('#maze [data-grid=ours] td')].map(c => c.textContent)",
    )
    for episode in maze.PRINTED_EPISODES:
        go_to(page, "maze", episode)
        assert page.run(cells) == [
            f"{math.floor(value + 0.5)}" for value in np.round(maze.grid_of(run[episode - 1].table), 2)
        ]
        printed = page.run(cells.replace("ours", "printed"))
        assert printed == [str(value) for value in maze.PRINTED_Q[episode]]
    page.run("document.querySelector('#maze [data-tab=\"step = move\"]').click()")
    page.run(
        "(() => {const n = document.querySelector('#maze .maze-episode'); n.value = 3;"
        "n.dispatchEvent(new Event('change'));})()"
    )
    cell = maze.START
    for step, action in enumerate(run[2].actions[:8], 1):
        page.run("document.querySelector('#maze .pz').focus()")
        page.press("ArrowRight")
        cell = maze.NEXT[cell][action]
        assert page.run("document.querySelector('#maze .pz').dataset.step") == str(step)
        assert page.run("document.querySelector('#maze [data-agent]').dataset.agent") == str(cell)
    page.run("document.querySelector('#maze [data-tab=\"policy gradient\"]').click()")
    page.run("document.querySelector('#maze [data-tab=\"step = episode\"]').click()")
    go_to(page, "maze", 100)
    learnt = maze.policy_gradient(10)[99].table
    page.hover("#maze [data-cell='7']")
    name, *lines = text(page, "#maze .pz-tip").split("\n")
    assert name == "cell 7" and "".join(line[0] for line in lines) == maze.ARROWS
    assert [float(line[2:-1]) for line in lines] == pytest.approx([100 * share for share in learnt[7]], abs=0.06)
