"""`./prezero COMMAND ...` ends up here: find the command and run its module."""

import difflib
import os
import runpy
import sys

from pipeline.commands import COMMANDS, overview
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
    runpy.run_module(COMMANDS[name].module, run_name="__main__", alter_sys=False)


if __name__ == "__main__":  # not in the worker processes of a command, which import this file, too
    try:
        main()
        if not sys.stdout.closed:  # as the GTP server leaves it when nobody listens any more
            sys.stdout.flush()
    except KeyboardInterrupt:  # while modules are still being imported, or in the tests
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # the reader of the overview, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
