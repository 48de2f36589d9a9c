"""What can go wrong in a game."""


class GoError(ValueError):
    """A move, point, size or board that the rules do not allow; the message is one sentence for a person."""


class PlayerError(Exception):
    """A player cannot go on and loses its game. The message is one sentence; `fault` is the same in a few words."""

    fault: str = "error"
    is_late: bool = False  # whether the game is lost on time
