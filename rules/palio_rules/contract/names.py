"""The rules for a bot's name, which is part of topics and URLs."""

import re
from hashlib import sha256
from unicodedata import combining, normalize

from palio_rules.errors import quoted

LONGEST_NAME = 64  # characters: `New-` and a revision of Git are 44
DIGITS = 6  # of a digest at the end of a name
NAME_PATTERN = rf"^[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST_NAME - 1}}}(?!\n)$"  # `$` alone would accept a line break
USE = f"use up to {LONGEST_NAME} letters a to z, digits, dots, dashes and underscores, a letter or digit first"
_name = re.compile(NAME_PATTERN)


def is_name(text: str) -> bool:
    """Return whether `text` is a valid name for a bot."""
    return _name.match(text) is not None


def like_name(text: str, whole: str = "", most: int = LONGEST_NAME) -> str:
    """Return the valid name that is most like `text`, for example a file's name with settings; "" if there is none.

    One of more than `most` letters is cut, and ends in a digest of `whole` (without it of `text`): two stay two.

    >>> like_name("José Nuñez"), like_name("x" * 70)
    ('Jose-Nunez', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-c71bd1')
    """
    plain = "".join(letter for letter in normalize("NFKD", text) if not combining(letter))
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-._")
    return name if len(name) <= most else with_digest(name, whole or text, most)


def with_digest(name: str, whole: str, most: int = LONGEST_NAME) -> str:
    """Return `name`, shortened if necessary, with a digest of `whole` at its end."""
    digest = sha256(whole.encode(errors="surrogatepass")).hexdigest()[:DIGITS]
    return f"{name[: most - DIGITS - 1].rstrip('-._')}-{digest}"


def no_name(name: str) -> str:
    """Return the sentence about an invalid name for a bot, with the remedy.

    >>> no_name("ann smith").partition(";")[0]
    "'ann smith' is no name for a bot"
    """
    return f"{quoted(name)} is no name for a bot; {USE}"


# Names that are reserved for the server: of guests, who are people in a browser, and of its own bots.

GUEST, HOUSE = "guest-", "house-"


def is_guest(name: str) -> bool:
    """Return whether this is the name of a guest, in upper or lower case."""
    return name.lower().startswith(GUEST)


def is_house(name: str) -> bool:
    """Return whether this is the name of one of the server's own bots, in upper or lower case."""
    return name.lower().startswith(HOUSE)


def is_reserved(name: str) -> bool:
    """Return whether only the server may give this name."""
    return is_guest(name) or is_house(name)


# Remarks: lines on a bot's stderr for the person who started it, such as that a library is missing.
#
# `palio run` and `palio demo` pass on lines that begin with `PREFIX`, and keep all others for a post-mortem.

PREFIX = "remark: "
ENGINE_LINE = "engine line: "  # begins a line between a bot and its engine, for a log
