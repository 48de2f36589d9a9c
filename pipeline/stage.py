"""A stage reads what earlier stages made, does its work once, and writes a manifest."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.artefact import alone_in, finished, remove_drafts, write_manifest
from pipeline.settings import result_settings

NOTHING: Mapping[str, Any] = {}


class Outcome(NamedTuple):
    """What a stage returns: the result in one line, and everything that was measured.

    If other stages read the results, the metrics contain a `fingerprint` of them: a text, or a dictionary of texts if
    there are several.
    """

    result: str
    metrics: dict[str, Any]


class Input(NamedTuple):
    """What a stage has read: the stage that made it, its folder, and the fingerprint of its contents."""

    stage: str
    folder: str
    fingerprint: str


def key_of(settings: Any, inputs: Iterable[Input] = (), facts: Mapping[str, Any] = NOTHING) -> dict[str, Any]:
    """Return the key of a stage: everything that its result depends on.

    These are all settings of the dataclass except those declared with `result=False`, the fingerprints of the inputs
    by stage, and other `facts`, such as the fingerprint of the sources.
    """
    read: dict[str, list[str]] = {}
    for made in inputs:
        read.setdefault(made.stage, []).append(made.fingerprint)
    fingerprints = {stage: found[0] if len(found) == 1 else found for stage, found in read.items()}
    key = result_settings(settings) | fingerprints | dict(facts)
    return json.loads(json.dumps(key))  # as the manifest will give it back: a tuple becomes a list


def done_once(
    folder: Path,
    stage: str,
    settings: Any,
    inputs: list[Input],
    work: Callable[[dict[str, Any]], Outcome],
    facts: Mapping[str, Any] = NOTHING,
    drafts: Iterable[Path] = (),
    is_enough: Callable[[dict[str, Any]], bool] = lambda manifest: True,
) -> dict[str, Any]:
    """Do the work of a stage, unless it has been done with the same key (see `key_of`); return its manifest.

    `work` is given the key, which its checkpoints carry. `drafts` are files that only the work needs, such as
    checkpoints. They are removed after the manifest has been written, so that a kill in between loses nothing. If a
    result can be extended, `is_enough` tells whether the one in the manifest is large enough.
    """
    key = key_of(settings, inputs, facts)
    manifest = finished(folder, key)
    if manifest is not None and is_enough(manifest):
        print(f"Done earlier, by version {manifest['code']}; remove {folder} to do it anew.\n")
    else:
        with alone_in(folder):
            remove_drafts(folder)
            manifest = finished(folder, key)  # another process may have done it meanwhile
            if manifest is None or not is_enough(manifest):
                outcome = work(key)
                write_manifest(folder, stage, key, outcome.metrics, [made._asdict() for made in inputs], outcome.result)
                manifest = finished(folder, key)
    for path in drafts:
        path.unlink(missing_ok=True)
    return manifest
