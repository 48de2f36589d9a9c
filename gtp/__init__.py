"""The Go Text Protocol (GTP 2): a client for programs that play Go, and a server for our own players.

Example:

>>> import io
>>> from go import RandomPlayer
>>> from gtp import serve
>>> answers = io.StringIO()
>>> serve(RandomPlayer(), io.StringIO("1 boardsize 9 # a comment"), answers)
>>> answers.getvalue().strip()
'=1'

Where to start reading:

- client: `client` starts any engine from a command line and sends it commands, with a time limit for each answer;
  `engine_player` makes a player of it, which `go.match` lets play against any other; `player` starts it when needed;
- server: `server` answers for any player, with the commands of `commands`, `scoring`, `analysis` and `gogui`; `session`
  holds the game, `inbox` reads the input, `syntax` and `time_commands` read and write the words of the protocol. What a
  player may offer besides its moves is in `go.abilities`.
"""

from gtp.client import Engine, EngineError, Fault
from gtp.engine_player import EnginePlayer
from gtp.server import serve

__all__ = ["Engine", "EngineError", "EnginePlayer", "Fault", "serve"]
