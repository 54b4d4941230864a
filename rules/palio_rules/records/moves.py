"""Reads the moves of a record's text, word by word, each checked by the rules. Every error names the line."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from palio_rules.contract.messages import Info
from palio_rules.errors import BadRecord, nearest, quoted
from palio_rules.records.boards import Boards, RaceBoards, seat_name
from palio_rules.records.record import Ply, RejectedMove

_WORD = re.compile(r"\s*(?:(?P<comment>\{[^{}]*\})|(?P<word>[^\s{}]\S*))")
_PLAYED = re.compile(r"\{(\d{1,9})\.(\d{3})s(?: (.*))?\}")
_OUT = re.compile(r"\{out (\S+) (\S+) (\d{1,9})\.(\d{3})s\}")
_NO_BETTER = re.compile(r"\{no better (\d{1,9})\.(\d{3})s(?: (.*))?\}")
_REFUSED = re.compile(r"\{refused (\S+) (.*)\}")


class Word(NamedTuple):
    """A word of the text below the tags: a comment with its braces, or what stands between spaces."""

    line: int
    text: str
    is_comment: bool


def words_of(body: str, line: int) -> Iterator[Word]:
    """The words of `body`, which begins in this line. Raises BadRecord."""
    at, end = 0, len(body.rstrip())
    while at < end:
        found = _WORD.match(body, at)
        if found is None:
            raise BadRecord(f"line {line}: a comment is not closed, or closed without being open")
        kind = "comment" if found["comment"] else "word"
        line += body.count("\n", at, found.start(kind))  # from word to word: a text may have a million of them
        yield Word(line, found[kind], kind == "comment")
        line += body.count("\n", found.start(kind), found.end())
        at = found.end()


class Moves:
    """The moves so far, and what may come next; `moves_on` makes the reader for the kind of a game."""

    def __init__(self, boards: Boards) -> None:
        self.boards, self.rules = boards, boards.rules
        self.plies: list[Ply] = []
        self.refusals: list[RejectedMove] = []
        self._next: Callable[[Word], None] = self._number
        self._seat, self._move = 0, None

    def read(self, word: Word) -> None:
        """Take the next word. Raises BadRecord."""
        try:
            if word.is_comment and (found := _REFUSED.fullmatch(word.text)):
                self._rejected(found[1], found[2])
            else:
                self._next(word)
        except ValueError as error:
            raise BadRecord(f"line {word.line}: {error}") from None

    def finish(self) -> None:
        """All words have been read. Raises BadRecord if another one is due."""
        if self._next == self._time:
            raise BadRecord("the last move has no comment with its time, as in {0.123s}")

    def _number(self, word: Word) -> None:
        expected = f"{len(self.plies) // len(self.rules.seats) + 1}."
        if word.text != expected:
            raise ValueError(f"the move number {expected} comes here, got {quoted(word.text)}")
        self._next = self._played

    def _played(self, word: Word) -> None:
        if word.is_comment:
            self._out(word)
            return
        state = self.boards.of(self._seat)
        move = self.rules.parse_notation(state, word.text)
        state.check(move)
        mover = self.boards.to_move(self._seat)
        assert mover is not None  # a move has just been found legal there
        self._seat = mover
        self._move = self.rules.move_to_wire(move)
        self._next = self._time

    def _out(self, word: Word) -> None:
        found = _OUT.fullmatch(word.text)
        if found is None:
            raise ValueError(f"a move comes here, got {quoted(word.text)}")
        fields = {"seat": self._index(found[1]), "move": None, "ms": _ms(found[3], found[4]), "out": found[2]}
        self._add(msgspec.convert(fields, Ply))

    def _time(self, word: Word) -> None:
        found = _PLAYED.fullmatch(word.text)
        if found is None:
            raise ValueError(f"after a move comes its time as in {{0.123s}}, got {quoted(word.text)}")
        info = None if found[3] is None else _info(found[3])
        self._add(Ply(self._seat, self._move, _ms(found[1], found[2]), info))

    def _add(self, ply: Ply) -> None:
        self.boards.play(ply)
        self.plies.append(ply)
        self._next = self._number if len(self.plies) % len(self.rules.seats) == 0 else self._played

    def _rejected(self, seat: str, rest: str) -> None:
        parts = [part for _, part in _jsons(rest)]
        if len(parts) != 3 or not all(isinstance(part, str) for part in parts):
            raise ValueError('a rejected move is {refused seat "code" "move" "reason"}')
        code, move, reason = parts
        if self._next == self._time:
            raise ValueError("the time of a move comes before the next rejected one")
        self.refusals.append(RejectedMove(len(self.plies), self._index(seat), move, code, reason))

    def _index(self, seat: str) -> int:
        names = [seat_name(self.rules, index) for index in range(self.boards.seats)]
        if seat not in names:
            raise ValueError(f"{quoted(seat)} is no seat of {self.rules.name}; {nearest(seat, names)}")
        return names.index(seat)


class RaceMoves(Moves):
    """The moves of a race: before each stands whose it is, `2: b+1 {0.123s}`."""

    def _number(self, word: Word) -> None:
        if word.is_comment or not word.text.endswith(":"):
            raise ValueError(f"the number of an entrant comes here, as in 1:, got {quoted(word.text)}")
        self._seat = self._index(word.text[:-1])
        self._next = self._played

    def _played(self, word: Word) -> None:
        if word.is_comment and (found := _NO_BETTER.fullmatch(word.text)):
            self._add(Ply(self._seat, None, _ms(found[1], found[2]), None if found[3] is None else _info(found[3])))
        else:
            super()._played(word)


def moves_on(boards: Boards) -> Moves:
    """The reader of the moves that were played on `boards`."""
    return RaceMoves(boards) if isinstance(boards, RaceBoards) else Moves(boards)


def _ms(seconds: str, thousandths: str) -> int:
    return int(seconds) * 1000 + int(thousandths)


def _info(text: str) -> Info:
    return Info() if text == "info" else msgspec.convert(dict(_jsons(text)), Info)


def _jsons(text: str) -> Iterator[tuple[str, Any]]:
    """The JSON values in a comment, divided by spaces, each with the name= that stands before it (or "")."""
    at = 0
    while at < len(text):
        name = re.compile(r"(?:([a-z_]+)=)?").match(text, at)
        assert name is not None  # it matches the empty string
        value, at = json.JSONDecoder().raw_decode(text, name.end())
        if at < len(text) and text[at] != " ":
            raise ValueError(f"a space is missing in the comment {quoted(text)}")
        at += 1
        yield name[1] or "", value
