"""What every stage shares, and nothing of Go: the command, settings, run folders and progress.

Where to start reading: `commands` lists what `./prezero` can do; `command` turns a function and a dataclass of settings
into a Hydra command that answers bad input with one sentence; `artefact` is where results go; `stage` does work once
and says so; `training` is the loop of everything that learns; `lineage` runs the stages in their order, and `status`
shows how far they have come.
"""
