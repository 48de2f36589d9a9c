"""What a stage is: it reads what earlier ones made, does its work once, and leaves a manifest that says so."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.artefact import alone_in, finished, write_manifest


class Outcome(NamedTuple):
    """What came out of a stage: the result in one line, and everything that was measured.

    A stage whose results others read names their contents with `fingerprint` among the metrics: a text, or one by name
    if there are several.
    """

    result: str
    metrics: dict[str, Any]


class Input(NamedTuple):
    """What a stage has read: which stage made it, where it was, and the fingerprint of what it held."""

    stage: str
    folder: str
    fingerprint: str


def key_of(settings: dict[str, Any], inputs: Iterable[Input]) -> dict[str, Any]:
    """Name all that a result depends on: the settings, and the fingerprints of what was read, by stage."""
    read: dict[str, list[str]] = {}
    for made in inputs:
        read.setdefault(made.stage, []).append(made.fingerprint)
    key = settings | {stage: found[0] if len(found) == 1 else found for stage, found in read.items()}
    return json.loads(json.dumps(key))  # as it will be read from the manifest: a tuple becomes a list


def done_once(
    folder: Path,
    stage: str,
    settings: dict[str, Any],
    inputs: list[Input],
    work: Callable[[], Outcome],
    drafts: Iterable[Path] = (),
    is_enough: Callable[[dict[str, Any]], bool] = lambda manifest: True,
) -> dict[str, Any]:
    """Do the work of a stage, unless it has been done with the same settings and inputs; return its manifest.

    `settings` name all that the result depends on but for the fingerprints of the inputs, which are added. `drafts` are
    files that only the work itself needs, such as checkpoints: they go when the manifest is there, and not before, so
    that a kill in between loses nothing. Where there can be more of a result, `is_enough` tells whether there is.
    """
    key = key_of(settings, inputs)
    manifest = finished(folder, key)
    if manifest is not None and is_enough(manifest):
        print(f"Done earlier, by version {manifest['code']}; remove {folder} to do it anew.\n")
    else:
        with alone_in(folder):
            manifest = finished(folder, key)  # another may have done it meanwhile
            if manifest is None or not is_enough(manifest):
                outcome = work()
                write_manifest(folder, stage, key, outcome.metrics, [made._asdict() for made in inputs], outcome.result)
                manifest = finished(folder, key)
    for path in drafts:
        path.unlink(missing_ok=True)
    return manifest
