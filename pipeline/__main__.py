"""`./prezero COMMAND ...` ends up here: find the command, import its module and run it."""

import difflib
import os
import sys

from pipeline.catalogue import COMMANDS, HELP, load, overview
from pipeline.errors import INTERRUPTED, fail
from pipeline.process import prepare_process


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in (*HELP, "help"):
        print(overview())
        return
    if name not in COMMANDS:
        close = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f"did you mean {close[0]}?" if close else "./prezero alone lists the commands."
        fail(f"there is no command {name!r}; {hint}")
    sys.argv[:2] = [name]
    if sys.argv[1:] and not COMMANDS[name].takes_arguments:
        if sys.argv[1] not in HELP:
            fail(f"{name} takes no arguments, but got {sys.argv[1]!r}.")
        print(f"{name}: {COMMANDS[name].summary}. It takes no arguments.")
        return
    if code := load(name)(sys.argv[1:]):
        sys.exit(code)


if __name__ == "__main__":  # worker processes import this file, too
    prepare_process()
    try:
        main()
        if not sys.stdout.closed:  # the GTP server closes it when nobody reads any more
            sys.stdout.flush()
    except KeyboardInterrupt:  # while modules are still being imported, or in the tests
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # the reader of the overview, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
