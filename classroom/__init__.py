"""The classroom: seven chapters that show the lineage from hand-made rules to Zero, on top of the real modules.

A chapter is a Python file with cells (`# %%`) in `classroom/chapters/`. It runs as a script, opens as cells in VS Code
and JupyterLab, and `./prezero classroom chapter=1` makes a page of it.

Example:

>>> from classroom import chapters, check
>>> chapters()[0].title
'Chapter 0: Before learning'
>>> bool(check("0.search_space", 4))
Exercise 0.search_space: ...
False

Where to start reading:

- `chapters/` (the lessons themselves), `lesson` (what they show things with), `exercises` (automatic checks), `checks/`
  (those of each chapter) and `solutions/` (kept apart);
- `scripts` and `web/` (scripts inside pages: `player.js` steps through a trace, one more for each kind of trace);
- `book` (the list of chapters), `notebook` (runs a chapter and writes its page, in the style of `template/`),
  `command` (`./prezero classroom`).
"""

from classroom.book import Chapter, chapters
from classroom.exercises import check, exercises_of

__all__ = ["Chapter", "chapters", "check", "exercises_of"]
