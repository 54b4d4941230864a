"""What a law is, and what is found when a game is held to it."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from palio_rules.laws.walk import Sample, Walk

LINE = 30  # moves that a line for people shows of those that led to a position


class Broken(Exception):
    """A law is broken; the message says how."""


@dataclass(frozen=True, slots=True)
class Law:
    """A law, in the words of a heading, and what to do about a game that breaks it.

    `whole` is asked about a walk, `each` about every position of it. Both raise Broken; what else they raise is
    the game's own error.
    """

    name: str
    remedy: str
    each: Callable[[Walk, Sample, random.Random], None] | None = None
    whole: Callable[[Walk], str | None] | None = None  # with a detail for people, if there is one


@dataclass(frozen=True, slots=True)
class Finding:
    """One law and one game. `position`: the text of where it is broken, `moves`: what led there from the start."""

    law: str
    verdict: Literal["ok", "FAIL", "skip"]
    detail: str = ""
    position: str = ""
    moves: tuple[str, ...] = ()
    seed: int | None = None  # of the walk that came there, for `--seed`
    remedy: str = ""

    def __str__(self) -> str:
        """A line for people; where and the remedy in lines of their own."""
        lines = [f"{self.verdict:<4}  {self.law}{': ' if self.detail else ''}{_indented(self.detail)}"]
        if self.position:
            lines.append(f"      position: {_indented(self.position)}")
        if self.verdict == "FAIL" and self.seed is not None:
            shown = self.moves[:LINE]
            more = f" and {len(self.moves) - LINE} more" if len(self.moves) > LINE else ""
            lines.append(f"      after: {' '.join(shown) or 'no move'}{more} (seed {self.seed})")
        if self.remedy:
            lines.append(f"      remedy: {_indented(self.remedy)}")
        return "\n".join(lines)


def _indented(text: str) -> str:
    return text.rstrip().replace("\n", "\n      ")
