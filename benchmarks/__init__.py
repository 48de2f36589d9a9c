"""Speed compared with other programs in the same run, because machines differ and are shared.

`measure` runs the contestants in turn in each round and compares them within a round. `engine` compares the Go engine
with OpenSpiel and sgfmill. `startup` measures waiting times of a user. `soak` counts what goes wrong in
thousands of hostile files, kills and games. `./prezero bench` prints all tables.
"""
