"""The checks of chapter 0."""

from classroom.exercises import Exercise, is_number

EXERCISES = [Exercise("search_space", "log10 of a^b is b times log10 of a.", is_number(360, 1))]
