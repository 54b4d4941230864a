"""What a bot may be called: its name is part of topics and of addresses."""

import re

from palio_rules.errors import quoted

LONGEST_NAME = 40  # characters
NAME_PATTERN = rf"^[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST_NAME - 1}}}(?!\n)$"  # `$` alone would let a line break pass
USE = f"use up to {LONGEST_NAME} letters (a to z), digits, dots, dashes and underscores, a letter or digit first"
_name = re.compile(NAME_PATTERN)


def is_name(text: str) -> bool:
    """Tell whether a bot may be called so."""
    return _name.match(text) is not None


def no_name(name: str) -> str:
    """Return the sentence about a name that no bot may have, with the remedy.

    >>> no_name("ann smith").partition(";")[0]
    "'ann smith' is no name for a bot"
    """
    return f"{quoted(name)} is no name for a bot; {USE}"
