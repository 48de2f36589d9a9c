"""`./prezero COMMAND ...` ends up here: find the command, import its module and run it."""

import difflib
import os
import sys

from pipeline.catalogue import COMMANDS, load, overview
from pipeline.errors import INTERRUPTED


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("-h", "--help", "help"):
        print(overview())
        return
    if name not in COMMANDS:
        close = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f"did you mean {close[0]}?" if close else "./prezero alone lists the commands."
        print(f"prezero: there is no command {name!r}; {hint}", file=sys.stderr)
        sys.exit(2)
    sys.argv[:2] = [name]
    if code := load(name)(sys.argv[1:]):
        sys.exit(code)


if __name__ == "__main__":  # worker processes import this file, too
    try:
        main()
        if not sys.stdout.closed:  # the GTP server closes it when nobody reads any more
            sys.stdout.flush()
    except KeyboardInterrupt:  # while modules are still being imported, or in the tests
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # the reader of the overview, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
