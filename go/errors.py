"""The one exception that the rules raise."""


class GoError(ValueError):
    """A move, point, size or board that the rules refuse; its message is one sentence for a person."""
