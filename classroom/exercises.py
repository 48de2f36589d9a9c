"""Exercises with automatic checks: `check("0.liberties", answer)` says whether an answer is right, and if not, why.

The checks of a chapter are `EXERCISES` in `classroom/checks/chapter<n>.py`. Solutions are kept apart from them, in
`classroom/solutions/chapter<n>.py`: `SOLUTIONS` by name, and `MISTAKES`, answers that must be rejected.
An answer may be a number, a text, a move, a list or a function. A check never sees an exception of a student's function
escape: it becomes part of the sentence.
"""

import html
import importlib
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from classroom.lesson import Shown, shown
from pipeline.errors import UserError


class Exercise(NamedTuple):
    """An exercise: its name within the chapter, a hint, and a judge.

    The judge takes an answer and returns None if it is right, or one sentence that says what is wrong with it. It must
    not give away the answer.
    """

    name: str
    hint: str
    judge: Callable[[Any], str | None]


class Verdict(Shown):
    """What a check says. It is true if the answer is right."""

    def __init__(self, is_right: bool, sentence: str, hint: str = "") -> None:
        self.is_right, self.sentence, self.hint = is_right, sentence, hint
        text = f"{sentence} Hint: {hint}" if hint else sentence
        kind = "right" if is_right else "wrong" if sentence != UNANSWERED else "open"
        told = html.escape(sentence)
        more = f" <details><summary>Hint</summary>{html.escape(hint)}</details>" if hint else ""
        super().__init__(f'<div class="lesson-verdict {kind}">{told}{more}</div>', text)

    def __bool__(self) -> bool:
        return self.is_right


RIGHT = "Right."
UNANSWERED = "Not answered yet."
CHECKS = Path(__file__).parent / "checks"


def chapters_with_exercises() -> list[int]:
    """Return the numbers of the chapters that have checks."""
    return sorted(int(path.stem.removeprefix("chapter")) for path in CHECKS.glob("chapter*.py"))


def exercises_of(chapter: int) -> dict[str, Exercise]:
    """Return the exercises of a chapter by their full names, such as "0.liberties"."""
    module = importlib.import_module(f"classroom.checks.chapter{chapter}")
    return {f"{chapter}.{exercise.name}": exercise for exercise in module.EXERCISES}


def check(name: str, answer: Any = ...) -> Verdict:
    """Judge an answer. `...` means that there is none yet, and shows the hint."""
    exercise = _find(name)
    if answer is ...:
        verdict = Verdict(False, UNANSWERED, exercise.hint)
    else:
        complaint = _judged(exercise, answer)
        verdict = Verdict(True, RIGHT) if complaint is None else Verdict(False, complaint, exercise.hint)
    shown(verdict.page, f"Exercise {name}: {verdict.text}")
    return verdict


def _find(name: str) -> Exercise:
    chapter, _, _ = name.partition(".")
    if not chapter.isdigit() or int(chapter) not in chapters_with_exercises():
        numbers = ", ".join(map(str, chapters_with_exercises()))
        raise UserError(f"{name!r} is not an exercise: names begin with the number of a chapter ({numbers}) and a dot.")
    exercises = exercises_of(int(chapter))
    if name not in exercises:
        raise UserError(f"{name!r} is not an exercise of chapter {chapter}: there are {', '.join(exercises)}.")
    return exercises[name]


def _judged(exercise: Exercise, answer: Any) -> str | None:
    try:
        return exercise.judge(answer)
    except Exception as error:  # of a student's function, or an answer of a wrong kind
        reason = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else "no reason given"
        return f"This answer cannot be checked: {type(error).__name__}, {reason}."


def is_number(expected: float, tolerance: float = 0.0, mistakes: Mapping[float, str] | None = None) -> Callable:
    """Return a judge for a number. `mistakes` are wrong numbers that students find, with what is wrong about them."""

    def judge(answer: Any) -> str | None:
        if isinstance(answer, bool) or (not isinstance(answer, (int, float)) and not hasattr(answer, "__float__")):
            return f"The answer is a number, not {type(answer).__name__}."
        value = float(answer)
        if math.isfinite(value) and abs(value - expected) <= tolerance:
            return None
        for wrong, why in (mistakes or {}).items():
            if abs(value - wrong) <= max(tolerance, 1e-9):
                return why
        if not math.isfinite(value):
            return f"{value} is not a number to work with."
        return f"{answer} is too {'large' if value > expected else 'small'}."

    return judge


def is_function(cases: Callable[[Callable], str | None]) -> Callable:
    """Return a judge for a function: it is called by `cases`, which returns a complaint or None."""

    def judge(answer: Any) -> str | None:
        if not callable(answer):
            return f"The answer is a function, not {type(answer).__name__}."
        return cases(answer)

    return judge
