"""A run as the stages leave it, made by hand: small networks of random weights for 5x5, and manifests with figures."""

import shutil
from pathlib import Path

from small_networks import random_weights

from nets.find import find_weights
from pipeline.artefact import stage_folder, write_manifest
from pipeline.plots import figure

SIZE = 5
RUN = 'a <b>run & "more"'
HOSTILE = "<img src=x onerror=alert(1)>"
PLAYERS = f"rollout,alpha_p,alpha_rp,alpha_rvp,random name='{HOSTILE}'"
LADDER = (
    f"players={PLAYERS}",
    'engines=gnugo command="nobody-has-this --gtp" name=nobody',
    "board=5x5",
    "opening=2",
    "simulations=9",
    "format=round_robin",
    "parallel=1",
    "samples=20",
)
METRICS = {
    "rollout.train": {
        "held out": {"rollout": {"test": {"top1": 0.3217}}, "tree": {"test": {"top1": 0.4321}}},
        "features": {"rollout": {"a": 1_000, "b": 234}, "tree": {"a": 2_000, "b": 345}},
        "fingerprint": {"rollout": "1" * 16, "tree": "2" * 16},
    },
    "sl_policy.train": {"results": {"test": {"top1": 0.5083}}, "fingerprint": "3" * 16},
    "rl_policy.train": {"match": {"won": 61, "games": 100}, "fingerprint": "4" * 16},
    "value_net.train": {"results": {"train": {"MSE": 0.4567}, "test": {"MSE": 0.5678}}, "fingerprint": "5" * 16},
}
SETTINGS = {"sl_policy.train": {"seed": 3, "net": {"filters": 7}}}  # all others are those of the scale


def make_run(run: str = RUN) -> None:
    """Write what the stages before the ladder would have written."""
    for stage, metrics in METRICS.items():
        folder = stage_folder(run, stage)
        write_weights(stage, folder)
        with figure(folder / "curve.svg") as made:
            made.subplots().plot([1, 2, 3], [3, 1, 2])
        write_manifest(folder, stage, SETTINGS.get(stage, {}), metrics, [], f"the result of {stage} & <more>")


def write_weights(stage: str, folder: Path) -> None:
    if stage == "rollout.train":
        for name in ("rollout", "tree"):
            shutil.copy(find_weights(name, 9), folder / f"{name}.safetensors")
        return
    family, planes = ("value", 49) if stage == "value_net.train" else ("policy", 48)
    name = {"sl_policy.train": "policy", "rl_policy.train": "rl", "value_net.train": "value"}[stage]
    weights = random_weights(SIZE, planes=planes, family=family, layers=5)
    weights.card = {"komi": 7.5}
    weights.save(folder / f"{name}.safetensors")
