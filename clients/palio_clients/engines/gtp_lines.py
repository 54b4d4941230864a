"""A reader of the answers of engines that speak GTP, the Go Text Protocol, and the commands that they belong to.

Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2" (2002): a command is a line, `12 genmove b`; its
answer begins with `=` or, if it has failed, with `?`, then the command's number, and ends with an empty line.

    =12 D4                 ?12 illegal move

The reader is tolerant, because engines print all kinds of things: an answer of one line counts as soon as its line is
there, a number may be missing, and text between two answers is left out. `palio check-bot` says what it was.
"""

import re
from collections import deque
from itertools import count

from palio_clients.engines.lines import Answer

# They end with an empty line only.
LONG_ANSWERS = ("list_commands", "showboard", "final_status_list", "help", "kata-analyze", "lz-analyze")
MOST_TEXT = 65_536  # characters of an answer that are kept
_FIRST = re.compile(r"(?P<sign>[=?])(?P<number>[0-9]{1,9})?(?:\s+(?P<text>.*))?", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # which the standard tells both sides to drop


class GtpReader:
    """The commands of one engine that wait for their answers; called with each line that the engine says."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._waiting: deque[tuple[int, str]] = deque()  # numbers and commands, in order
        self._open: tuple[int, bool] | None = None  # a long answer: its number, and whether it is a good one
        self._text: list[str] = []
        self._size = 0
        self._is_numbered = False  # it answers with numbers: an answer without one is noise

    def numbered(self, command: str) -> tuple[int, str]:
        """Return the next number, and the line to send for `command`."""
        number = next(self._numbers)
        self._waiting.append((number, command))
        return number, f"{number} {command}"

    @property
    def is_cut_off(self) -> bool:
        """Return whether an answer has begun that no empty line has ended yet."""
        return self._open is not None

    def __call__(self, line: str) -> Answer | None:
        """Read a line; return the answer that is whole by it, if one is. Never fails."""
        text = _CONTROL.sub("", line.replace("\t", " ")).rstrip()
        if self._open is not None:
            if not text:
                return self._ended()
            if (found := _FIRST.fullmatch(text)) is None or self._place(found) is None:
                self._keep(text)
                return None
            answer = self._ended(ended=False)  # the next answer begins before the empty line
            self._begin(found)
            return answer
        found = _FIRST.fullmatch(text)
        return None if found is None else self._begin(found)

    def _begin(self, found: re.Match[str]) -> Answer | None:
        place = self._place(found)
        if place is None:
            return None
        for _ in range(place):  # no answer to them follows
            self._waiting.popleft()
        number, command = self._waiting.popleft()
        good, text = found["sign"] == "=", (found["text"] or "").strip()
        if good and command.split(" ")[0] in LONG_ANSWERS:
            self._open = number, good
            self._text, self._size = [], 0
            self._keep(text)
            return None
        return Answer(number, text[:MOST_TEXT], good)

    def _place(self, found: re.Match[str]) -> int | None:
        """Return the place of the answer's command among those that wait; None: none of them is meant."""
        if not self._waiting:
            return None
        if found["number"] is None:
            return None if self._is_numbered else 0
        self._is_numbered = True
        wanted = int(found["number"])
        return next((at for at, (number, _) in enumerate(self._waiting) if number == wanted), None)

    def _keep(self, text: str) -> None:
        if self._size < MOST_TEXT:
            self._text.append(text)
            self._size += len(text)

    def _ended(self, *, ended: bool = True) -> Answer:
        assert self._open is not None
        (number, good), self._open = self._open, None
        return Answer(number, "\n".join(self._text).strip("\n"), good, ended)
