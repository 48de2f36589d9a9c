"""Settings: allowed values are declared with the field, and the key of a stage contains every setting by default."""

import dataclasses
import math
import pickle
import subprocess
import sys

import pytest
from conftest import ROOT, prezero
from omegaconf import OmegaConf

from pipeline.catalogue import COMMANDS, load
from pipeline.errors import UserError
from pipeline.launch import Command, compose
from pipeline.lineage import handed_on
from pipeline.settings import explain, result_settings, seed_setting, setting, threads_setting, validate
from pipeline.stage import Input, key_of


@dataclasses.dataclass
class Inner:
    momentum: float = setting(0.9, "momentum", least=0, most=1)
    rate: float = setting(0.1, "learning rate", above=0, most=100)
    device: str = setting("cpu", "device", choices=("cpu", "cuda"), result=False)


@dataclasses.dataclass
class Settings:
    inner: Inner = setting(Inner, "nested")
    games: int = setting(10, "games", least=1)
    share: float = setting(0.5, "share", least=0, below=1)
    color: str = setting("", "who moves first", choices=("", "black", "white"))
    ply: int | None = setting(None, "ply", least=0)
    free: str = setting("", "anything")
    seed: int = seed_setting()
    threads: int = threads_setting("threads that play")

    def check(self) -> None:
        if self.free == "no games" and self.games > 1:
            raise UserError("free=no games goes with games=1 only.")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"inner": Inner(momentum=2)}, "inner.momentum=2 is not between 0 and 1."),
        ({"inner": Inner(momentum=-0.5)}, "inner.momentum=-0.5 is not between 0 and 1."),
        ({"inner": Inner(momentum=math.nan)}, "inner.momentum=nan is not between 0 and 1."),
        ({"inner": Inner(rate=0.0)}, "inner.rate=0 is not above 0 and at most 100."),
        ({"inner": Inner(device="x")}, "inner.device=x is none of cpu, cuda."),
        ({"games": 0}, "games=0 is not at least 1."),
        ({"share": 1.0}, "share=1 is not at least 0 and below 1."),
        ({"color": "red"}, "color=red is none of black, white."),
        ({"ply": -1}, "ply=-1 is not at least 0."),
        ({"threads": 257}, "threads=257 is not between 0 and 256."),
        ({"seed": 2**31 + 1}, "seed=2147483649 is not between 0 and 2,147,483,648."),
        ({"free": "no games"}, "free=no games goes with games=1 only."),
        ({"free": "no games", "games": 0}, "games=0 is not at least 1."),  # rules between settings come last
    ],
)
def test_a_value_out_of_range_is_refused_in_one_sentence(changes, sentence):
    with pytest.raises(UserError) as refused:
        validate(Settings(**changes))
    assert str(refused.value) == sentence


def test_bounds_themselves_are_allowed_where_they_are_said_to_be():
    for momentum in (0, 1, 0.5):
        validate(Settings(inner=Inner(momentum=momentum, rate=100), share=0, ply=0, color="white", games=1))
    with pytest.raises(UserError, match=r"^player\.inner\.rate=101 is not"):
        validate(Settings(inner=Inner(rate=101.0)), "player.")


def test_help_shows_ranges_and_choices():
    assert [(name, meaning) for name, _, meaning in explain(Settings)] == [
        ("inner.momentum", "momentum [between 0 and 1]"),
        ("inner.rate", "learning rate [above 0 and at most 100]"),
        ("inner.device", "device [cpu|cuda]"),
        ("games", "games [at least 1]"),
        ("share", "share [at least 0 and below 1]"),
        ("color", "who moves first [black|white]"),
        ("ply", "ply [at least 0]"),
        ("free", "anything"),
        ("seed", "seed of all randomness [between 0 and 2,147,483,648]"),
        ("threads", "threads that play; 0 takes all cores [between 0 and 256]"),
    ]


def test_the_key_contains_every_setting_except_those_that_do_not_change_the_result():
    of_inner = {"momentum": 0.9, "rate": 0.1}
    plain = {"games": 10, "share": 0.5, "color": "", "ply": None, "free": "", "seed": 1}
    assert result_settings(Settings()) == {"inner": of_inner} | plain
    key = key_of(Settings(threads=3), [Input("a.stage", "f", "abc")], {"sources": ("x", "y")})
    assert key == {"inner": of_inner} | plain | {"a.stage": "abc", "sources": ["x", "y"]}


def test_a_new_setting_changes_the_key_unless_it_is_marked():
    @dataclasses.dataclass
    class Counted(Settings):
        extra: int = setting(0, "a setting that nobody added to any list")

    @dataclasses.dataclass
    class Marked(Settings):
        extra: int = setting(0, "a setting that only says how fast", result=False)

    keys = [key_of(kind(extra=extra)) for kind in (Counted, Marked) for extra in (1, 2)]
    assert keys[0] != keys[1] and keys[0] != key_of(Settings()) and keys[2] == keys[3] == key_of(Settings())


def hydra_commands() -> list[Command]:
    return [command for name in COMMANDS if isinstance(command := load(name), Command)]


def test_the_settings_of_every_command_can_be_sent_to_another_process():
    settings = [OmegaConf.to_object(compose(command)) for command in hydra_commands()]
    for given, command in zip(settings, hydra_commands(), strict=True):
        assert type(given) is command.settings and type(given).__module__ != "__main__"
        validate(given)
    program = "import pickle, sys; sys.stdout.write(repr(pickle.loads(sys.stdin.buffer.read())))"
    done = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(settings), capture_output=True, cwd=ROOT)
    assert done.stdout.decode() == repr(settings), done.stderr.decode()


def test_every_command_is_registered_under_its_name():
    names = [name for name, entry in COMMANDS.items() if ":" not in entry.module]
    assert [command.name for command in hydra_commands()] == names


def test_a_module_can_be_run_as_a_program_and_its_settings_keep_their_name(tmp_path):
    by_module = subprocess.run([sys.executable, "-m", "go.show", "moves=E5"], capture_output=True, text=True, cwd=ROOT)
    assert by_module.returncode == 0 and by_module.stdout == prezero("go.show", "moves=E5", runs=tmp_path).stdout
    program = (
        "import runpy, sys, go.show; sys.argv[1:] = ['moves=E5']\n"
        "def main(settings): print(type(settings).__module__)\n"
        "object.__setattr__(go.show.COMMAND, 'main', main); runpy.run_module('go.show', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "go.show\n", done.stderr


SCALES = {"tiny": 9, "laptop": 9, "workstation": 9, "paper": 19}


@pytest.mark.parametrize("scale", SCALES)
def test_every_command_of_a_run_takes_every_scale(scale):
    for command in hydra_commands():
        names = {field.name for field in dataclasses.fields(command.settings)}
        if "scale" in names:
            config = compose(command, [f"scale={scale}"])
            validate(OmegaConf.to_object(config))
            assert (config.scale, config.run) == (scale, scale)
            assert "board" not in names or config.board.size == SCALES[scale]
            assert "board" not in names or compose(command, [f"scale={scale}", "board=13x13"]).board.size == 13


def test_each_preset_of_a_scale_is_used():
    folders = [path for path in (ROOT / "conf").iterdir() if path.is_dir() and path.name in COMMANDS]
    presets = [path.stem for path in (ROOT / "conf" / "preset").iterdir()]  # of Zero, each with all scales
    for folder in folders:
        by_preset = folder.name == "zero.train"
        known = {f"{preset}_{scale}" for preset in presets for scale in SCALES} if by_preset else set(SCALES)
        assert {path.stem for path in folder.iterdir()} <= known
        used = f"{folder.name}: ${{preset}}_${{scale}}" if by_preset else f"{folder.name}: ${{scale}}"
        assert used in (ROOT / "conf" / f"{folder.name}.yaml").read_text()
    amounts = [compose(load("go.random_play"), [f"scale={scale}"]).playouts for scale in SCALES]
    assert amounts == [20_000, 1_000_000, 10_000_000, 1_000_000]
    prepare = [compose(load("data.prepare"), [f"scale={scale}"]) for scale in SCALES]
    assert [(config.sources, config.min_rank) for config in prepare] == [*[("embedded", "")] * 3, ("kgs", "6d")]
    rollout = [compose(load("rollout.train"), [f"scale={scale}"]) for scale in SCALES]
    assert [(config.positions, config.epochs) for config in rollout] == [(60_000, 2), (0, 3), (0, 5), (8_000_000, 3)]
    policy = [compose(load("sl_policy.train"), [f"scale={scale}"]) for scale in SCALES]
    assert [config.positions for config in policy] == [150_000, 800_000, 8_000_000, 5_440_000_000]
    assert [config.net.filters for config in policy] == [16, 64, 64, 192]


def test_the_lineage_hands_each_setting_on_to_the_stages_that_have_it():
    overrides = ["scale=tiny", "seed=3", "board=13x13", "board.komi=6.5", "run=r"]
    assert handed_on("go.random_play", overrides) == overrides
    assert handed_on("data.prepare", overrides) == ["scale=tiny", "board=13x13", "run=r"]
    assert handed_on("rollout.train", overrides) == ["scale=tiny", "seed=3", "run=r"]
    assert compose(load("lineage"), overrides).board == {"size": 13, "komi": 6.5}
