"""The Go Text Protocol (GTP 2): programs that play Go, spoken to over their standard input and output.

Where to start reading:

- to speak to others: `client` starts any engine from a command line and asks it things, with a bound on how long it
  may take to answer; `game` has two engines play one game, with our own rules as the referee;
- to be spoken to: `server` answers for any player, from `commands`, `analysis` and `gogui`; `abilities` says what a
  player may offer besides its moves.
"""

from gtp.client import RESIGN, Engine, EngineError, Fault

__all__ = ["RESIGN", "Engine", "EngineError", "Fault"]
