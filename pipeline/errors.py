"""The exception for what a person can put right."""


class UserError(Exception):
    """Bad input or a missing thing; its message is one sentence, shown without a traceback, with exit code 2."""
