"""How a command can fail: with an error that the user can fix, or by Ctrl-C."""

import sys
from typing import NoReturn

INTERRUPTED = 130  # the exit code that shells report after Ctrl-C


class UserError(Exception):
    """Bad input or a missing file. The message is one sentence, printed without a traceback; the exit code is 2."""


def fail(sentence: str) -> NoReturn:
    """Print one sentence and exit with code 2."""
    print(f"prezero: {sentence}", file=sys.stderr)
    sys.exit(2)
