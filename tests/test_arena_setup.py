"""What `./prezero setup` compiles for."""

from conftest import ROOT, prezero

from arena import setup
from nets.find import shipped_sizes


def test_every_player_that_can_play_is_rehearsed_on_every_board_with_a_network(monkeypatch, tmp_path):
    rehearsed = []
    monkeypatch.setattr(setup, "rehearse", lambda player, size: rehearsed.append((player.name, size)))
    done = prezero("setup", runs=tmp_path)
    needs_value = {
        "alpha_rv",
        "alpha_rvp",
        "alpha_rvp_paper",
        "alpha_v",
        "alpha_vp",
        "alpha_v_paper",
        "alpha_vp_paper",
        "value",
    }
    names = {path.stem for path in (ROOT / "conf" / "player").glob("*.yaml")} - needs_value - {"gnugo", "zero"}
    expected = {(name, size) for name in names - {"solver"} for size in (9, 19)} - {("rl", 19)}  # a network for 9x9
    expected |= {("solver", 2)}  # for none of these boards, so on its smallest
    expected |= {(name, size) for name in needs_value for size in shipped_sizes("value")}
    expected |= {("zero", size) for size in shipped_sizes("zero")}
    assert set(rehearsed) == expected and {"alpha_rp", "sl", "rl"} <= names
    assert done.returncode == 0 and done.stdout.splitlines()[0] == f"[1/{len(expected)}] alpha_p on 9x9"
