"""What a check finds."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "FAIL", "skip"]


class CheckFailed(Exception):
    """The bot does something wrong: what, and what its author can do about it."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.remedy = remedy


class Silence(CheckFailed):
    """Nothing was received in time."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How many seconds a bot may take; `limit_ms` is the time for a move where the clock is tested."""

    connect: float = 30.0
    ready: float = 30.0
    move: float = 20.0
    resend: float = 5.0  # after so long a referee sends an unanswered turn again
    quiet: float = 0.5  # for as long the check listens whether the bot stays silent
    leave: float = 5.0
    limit_ms: int = 100
    margin_ms: int = 200  # granted on top of the limit, as a referee does
    race_ms: int = 2_000  # the clock of an anytime race


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check."""

    check: str
    verdict: Verdict
    detail: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        """A line for people; the remedy in a second one."""
        line = f"{self.verdict:<4}  {self.check}{': ' if self.detail else ''}{_indented(self.detail)}"
        return f"{line}\n      remedy: {_indented(self.remedy)}" if self.remedy else line


def _indented(text: str) -> str:
    return text.rstrip().replace("\n", "\n      ")
