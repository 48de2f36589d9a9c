"""How a command can fail: with an error that the user can fix, or by Ctrl-C."""

INTERRUPTED = 130  # the exit code that shells report after Ctrl-C


class UserError(Exception):
    """Bad input or a missing file. The message is one sentence, printed without a traceback; the exit code is 2."""
