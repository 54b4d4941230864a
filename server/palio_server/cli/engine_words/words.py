"""A command line as it is read from left to right: options, their values, and words of the form key=value."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from palio_rules.errors import BadOption, nearest

_OPTION = re.compile(r"--?([A-Za-z][\w-]*)(?:=(.*))?", re.DOTALL)
_PAIR = re.compile(r"([A-Za-z][\w.-]*)=(.*)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?", re.ASCII)


def option_of(word: str) -> tuple[str, str | None] | None:
    """`-rounds`, `--rounds=3`: the name, and the value if there is one. None: no option, as `-1.75` or `./a`."""
    found = _OPTION.fullmatch(word)
    return (found[1], found[2]) if found else None


def pair_of(word: str) -> tuple[str, str] | None:
    """`elo0=1.5` as key and value."""
    found = _PAIR.fullmatch(word)
    return (found[1], found[2]) if found else None


def _is_whole(word: str) -> bool:
    """Whether it is a whole number; nothing that can be asked for has more than nine digits."""
    return word.isascii() and word.isdigit() and len(word) <= 9


class Words:
    """What is left of a command line."""

    def __init__(self, words: Iterable[str]) -> None:
        self._rest = deque(words)

    def __iter__(self) -> Iterator[str]:
        while self._rest:
            yield self._rest.popleft()

    def any_value(self, option: str) -> str:
        """The next word, whatever it is. Raises BadOption if there is none."""
        if not self._rest:
            raise BadOption(f"{option} needs a value")
        return self._rest.popleft()

    def value(self, option: str) -> str:
        """The next word, which is no option. Raises BadOption if there is none."""
        if self._rest and (self._rest[0] == "--" or option_of(self._rest[0]) is not None):
            raise BadOption(f"{option} needs a value, got {self._rest[0]}")
        return self.any_value(option)

    def number(self, option: str, least: int = 0) -> int:
        """The next word, a whole number. Raises BadOption."""
        word = self.value(option)
        if not _is_whole(word) or int(word) < least:
            raise BadOption(f"{option} {word!r} is no number; write a whole number from {least} on")
        return int(word)

    def optional_number(self) -> int | None:
        """The next word, if it is a whole number."""
        if self._rest and _is_whole(self._rest[0]):
            return int(self._rest.popleft())
        return None

    def until_option(self) -> list[str]:
        """All words before the next option."""
        taken: list[str] = []
        while self._rest and self._rest[0] != "--" and option_of(self._rest[0]) is None:
            taken.append(self._rest.popleft())
        return taken

    def among(self, words: Iterable[str]) -> list[str]:
        """The next words, as long as they are some of these."""
        known, taken = set(words), list[str]()
        while self._rest and self._rest[0] in known:
            taken.append(self._rest.popleft())
        return taken

    def pairs(self, option: str, keys: Iterable[str], *, spaced: bool = False) -> dict[str, str]:
        """The next words of the form key=value with one of these keys. Another word ends them, as a bot does.

        `spaced`: one word may hold several of them, as ours does. Raises BadOption if a key is given twice, or is not
        known but near to one that is, or has a number as value.
        """
        known, found = list(keys), dict[str, str]()
        while self._rest and (pair := pair_of(self._rest[0])) is not None:
            key, value = pair
            if spaced and key in known and len(pieces := self._rest[0].split()) > 1:
                self._rest.popleft()
                self._rest.extendleft(reversed(pieces))
                continue
            if key not in known:
                if not get_close_matches(key, known, n=1) and not _NUMBER.fullmatch(value):
                    break  # NAME=BOT
                raise BadOption(f"{option} has no {key!r}; {nearest(key, known)}")
            if key in found:
                raise BadOption(f"{option} has {key!r} twice; keep one of them")
            found[key] = value
            self._rest.popleft()
        return found
