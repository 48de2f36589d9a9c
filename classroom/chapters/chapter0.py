# %% [markdown]
# # Chapter 0: Before learning
#
# **Aims.** Read a Go board as a program does, see what a program without learning knew in the year 2000, and see why
# looking ahead alone was not enough.
#
# **Duration.** 45 minutes with the exercises.

# %%
from classroom import lesson
from go import Position

lesson.show_board(Position(9).play("E5"))
