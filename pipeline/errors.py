"""How a command ends other than well: by what a person can put right, or by Ctrl-C."""

INTERRUPTED = 130  # what shells report of a program that Ctrl-C ended


class UserError(Exception):
    """Bad input or a missing thing; its message is one sentence, shown without a traceback, with exit code 2."""
