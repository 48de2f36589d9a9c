"""Speed, measured beside others in the same run, because machines differ and are shared.

`measure` runs the contestants in turn, round after round, and compares them within a round; `engine` is the Go engine
beside OpenSpiel and sgfmill; `startup` is what a user waits for. `./prezero bench` prints all tables.
"""
