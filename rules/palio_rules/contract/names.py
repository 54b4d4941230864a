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


# Names that a server keeps for itself: of guests, who are people in a browser, and of its own bots.

GUEST, HOUSE = "guest-", "house-"


def is_guest(name: str) -> bool:
    """Whether this is the name of a guest, in whatever case."""
    return name.lower().startswith(GUEST)


def is_house(name: str) -> bool:
    """Whether this is the name of one of the server's own bots, in whatever case."""
    return name.lower().startswith(HOUSE)


def is_reserved(name: str) -> bool:
    """Whether only the server gives this name."""
    return is_guest(name) or is_house(name)


# Remarks: what a bot's program says on stderr to whoever has started it, such as that a library is missing.
#
# `palio run` and `palio demo` pass on lines that begin with `PREFIX`, and keep all others for a post-mortem.

PREFIX = "remark: "
