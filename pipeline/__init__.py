"""What every stage shares, and nothing of Go: the command, settings, run folders and progress.

Example:

>>> import dataclasses
>>> from pipeline import UserError, setting, validate
>>> @dataclasses.dataclass
... class Settings:
...     games: int = setting(10, "games to play", least=1)
>>> try:
...     validate(Settings(games=0))
... except UserError as error:
...     print(error)
games=0 is not at least 1.

Where to start reading:

- commands: `catalogue` lists all of them; `settings` declares what they accept; `launch` runs a function as a command
  with settings from Hydra;
- stages: `artefact` writes results into run folders; `stage` does work once and records it in a manifest; `training` is
  the training loop;
- runs: `lineage` runs all stages in order, and `status` shows their progress.
"""

from pipeline.artefact import stage_folder, write_atomic
from pipeline.errors import UserError
from pipeline.settings import result_settings, setting, validate
from pipeline.tables import table

__all__ = ["UserError", "result_settings", "setting", "stage_folder", "table", "validate", "write_atomic"]
