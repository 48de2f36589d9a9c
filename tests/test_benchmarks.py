"""Measuring: what is compared with what, and when a promise is kept."""

from benchmarks.measure import Bar, bars_table, in_turn, median, ratio


def test_contestants_run_in_turn_after_a_round_to_warm_up():
    calls = []

    def contestant(name, rates):
        def run():
            calls.append(name)
            return next(rates)

        return run

    rates = in_turn({"a": contestant("a", iter([9, 2, 8])), "b": contestant("b", iter([9, 1, 2]))}, 2, "test")
    assert calls == ["a", "b"] * 3
    assert rates == {"a": [2, 8], "b": [1, 2]}
    assert ratio(rates, "a", "b") == 3  # the median of 2 and 4
    assert median(rates, "a") == 5


def test_promises():
    fast, slow = Bar("speed", 7.0, 6), Bar("wait", 4.0, 3, at_most=True, unit=" s")
    assert fast.is_met and not slow.is_met
    assert not Bar("speed", 5.9, 6).is_met and Bar("wait", 3.0, 3, at_most=True).is_met
    lines = bars_table([fast, slow]).splitlines()
    assert [cell.strip() for cell in lines[2].split("|")[1:-1]] == ["speed", "at least 6x", "7x", "yes"]
    assert [cell.strip() for cell in lines[3].split("|")[1:-1]] == ["wait", "at most 3 s", "4 s", "NO"]
