"""Prepare the process of a command: streams that take any text, threads that wait, and numba's compiler."""

import io
import os
import sys

from pipeline.errors import fail

STREAMS = ("stdin", "stdout", "stderr")  # by the number of their file


def prepare_process() -> None:
    """Make the standard streams usable. Exit with one sentence if kernels cannot be compiled.

    Threads of torch that wait go to sleep. By default they keep their cores busy, which halves the speed of learning
    beside other programs, and gains 4% where there are none.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when torch is imported
    for number, name in enumerate(STREAMS):
        if getattr(sys, name) is None:  # closed by the caller, as by `>&-`; this makes it `>/dev/null`
            opened = os.open(os.devnull, os.O_RDWR)
            os.dup2(opened, number)  # keeps the number from being given to a file that we write
            os.set_inheritable(number, True)
            if opened != number:
                os.close(opened)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # an ASCII terminal gets a question mark, not an error
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        fail("NUMBA_DISABLE_JIT is set, but Prezero's kernels only run compiled; unset it.")
