"""What every stage shares, and nothing of Go: the command, settings, run folders and progress.

Where to start reading: `catalogue` lists all commands; `settings` declares what they accept; `launch` runs a function
as a command with settings from Hydra; `artefact` writes results into run folders; `stage` does work once and records it
in a manifest; `training` is the training loop; `lineage` runs all stages in order, and `status` shows their progress.
"""
