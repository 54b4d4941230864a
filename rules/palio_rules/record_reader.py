"""Reads what `record_text` writes. Every error names the line."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from palio_rules.boards import Boards, seat_name
from palio_rules.errors import BadRecord, nearest, quoted
from palio_rules.game import Game
from palio_rules.messages import MAX_ENTRANTS, Finish, Info, Result
from palio_rules.record import Ply, Record, Refusal, Setup
from palio_rules.registry import game
from palio_rules.time_control import TimeControl

_TAG = re.compile(r'\[(\S+) (".*")\]')
_WORD = re.compile(r"\s*(?:(?P<comment>\{[^{}]*\})|(?P<word>[^\s{}]\S*))")
_PLAYED = re.compile(r"\{(\d{1,9})\.(\d{3})s(?: (.*))?\}")
_OUT = re.compile(r"\{out (\S+) (\S+) (\d{1,9})\.(\d{3})s\}")
_NO_BETTER = re.compile(r"\{no better (\d{1,9})\.(\d{3})s(?: (.*))?\}")
_REFUSED = re.compile(r"\{refused (\S+) (.*)\}")
_TAGS = """
    Event Match Game Options Seed TimeControl MarginMs Strikes MaxPlies GraceMs ReadyMs StallMs Opening Started Finished
    ByTime Result Termination Reason Offender Detail Format
"""


def record_from_text(text: str) -> Record:
    """The record that `text` tells. Raises BadRecord with the line and the reason."""
    try:
        return _read(text.replace("\r\n", "\n"))
    except RecursionError:
        raise BadRecord("a value in brackets is nested too deeply") from None


def _read(text: str) -> Record:
    head, _, body = text.partition("\n\n")
    tags = _read_tags(head)
    try:
        record, opened = _untold(tags)
    except BadRecord:
        raise
    except ValueError as error:  # the sentences of games, options, times and moves say what is wrong themselves
        raise BadRecord(f"in the tags: {error}") from None
    words = list(_words(body, head.count("\n") + 3))
    ending = _score_words(words, record.result.scores)
    moves = (_RaceMoves if opened.race else _Moves)(opened)
    for word in words[: len(words) - ending]:
        moves.read(word)
    moves.finish()
    return msgspec.structs.replace(record, plies=tuple(moves.plies), refusals=tuple(moves.refusals))


def _untold(tags: "_Tags") -> tuple[Record, Boards]:
    """The record without its moves, and the boards on which they begin."""
    rules = game(tags.take("Game"))
    setup, state = _setup(tags, rules)
    record = Record(
        match=tags.take("Match"),
        setup=setup,
        plies=(),
        result=_result(tags, rules),
        started_at=datetime.fromisoformat(tags.take("Started")),
        finished_at=datetime.fromisoformat(tags.take("Finished")),
        event=tags.values.pop("Event", ""),
        format=tags.take("Format"),
    )
    for name in tags.values:
        raise BadRecord(f"unknown tag {name!r}; {nearest(name, _TAGS.split())}")
    return record, Boards(rules, state, len(setup.bots))


# --- tags ------------------------------------------------------------------------------------------------------------


@dataclass
class _Tags:
    """Tags that have not been used yet."""

    values: dict[str, str]

    def take(self, name: str) -> str:
        if name not in self.values:
            raise BadRecord(f"the tag [{name} ...] is missing")
        return self.values.pop(name)

    def number(self, name: str) -> int:
        text = self.take(name)
        if not re.fullmatch(r"-?\d{1,16}", text):
            raise BadRecord(f"the tag {name} is an integer, got {quoted(text)}")
        return int(text)

    def flag(self, name: str) -> bool:
        if name not in self.values:
            return False
        if (text := self.values.pop(name)) != "yes":
            raise BadRecord(f"the tag {name} is yes, or left out, got {quoted(text)}")
        return True


def _read_tags(head: str) -> _Tags:
    values: dict[str, str] = {}
    for number, line in enumerate(head.split("\n"), 1):
        found = _TAG.fullmatch(line)
        if found is None:
            raise BadRecord(f'line {number}: a tag is written [Name "value"], got {quoted(line)}')
        if found[1] in values:
            raise BadRecord(f"line {number}: the tag {found[1]!r} is given twice")
        try:
            values[found[1]] = json.loads(found[2])
        except ValueError:
            raise BadRecord(f"line {number}: the value of {found[1]} is not a string in quotes") from None
    return _Tags(values)


def _setup(tags: _Tags, rules: Game[Any, Any]) -> tuple[Setup, Any]:
    """The setup, and the position after its opening."""
    options = _options(tags.values.pop("Options", ""))
    seed = tags.number("Seed")
    state, opening = rules.start(rules.parse_options(options), seed), []
    for text in tags.values.pop("Opening", "").split():
        move = rules.parse_notation(state, text)
        state.check(move)
        opening.append(rules.move_to_wire(move))
        state = state.play(move)
    fields = {
        "game": rules.name,
        "bots": _entrants(tags) if rules.kind == "race" else [tags.take(f"Seat.{seat}") for seat in rules.seats],
        "options": options,
        "seed": seed,
        "opening": opening,
        "time": TimeControl.from_text(tags.take("TimeControl"), tags.number("MarginMs")),
        "strikes": tags.number("Strikes"),
        "max_plies": tags.number("MaxPlies"),
        "grace_ms": tags.number("GraceMs"),
        "ready_ms": tags.number("ReadyMs"),
        "stall_ms": tags.number("StallMs"),
        "by_time": tags.flag("ByTime"),
    }
    return msgspec.convert(fields, Setup), state


def _entrants(tags: _Tags) -> list[str]:
    """The bots of a race, numbered from 1 without a gap."""
    count = sum(name.startswith("Entrant.") for name in tags.values)
    if not 1 <= count <= MAX_ENTRANTS:
        raise BadRecord(f"a race has 1 to {MAX_ENTRANTS} tags [Entrant.1 ...], [Entrant.2 ...], got {count}")
    return [tags.take(f"Entrant.{number}") for number in range(1, count + 1)]


def _options(text: str) -> dict[str, Any]:
    """Read `rows=8,first=white`: a value is JSON if it can be, else a bare string."""
    options: dict[str, Any] = {}
    rest = text
    while rest:
        name, equals, rest = rest.partition("=")
        if not equals:
            raise BadRecord(f"the tag Options is name=value,name=value, got {quoted(text)}")
        if name in options:
            raise BadRecord(f"the tag Options gives {name!r} twice")
        if rest[:1] in tuple('"[{'):
            options[name], end = json.JSONDecoder().raw_decode(rest)
            if rest[end:] and rest[end] != ",":
                raise BadRecord(f"the tag Options has a comma after each value, got {quoted(text)}")
            rest = rest[end + 1 :]
        else:
            value, _, rest = rest.partition(",")
            options[name] = _scalar(value)
    return options


def _scalar(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # a bare string is how most options are written
        return text


def _result(tags: _Tags, rules: Game[Any, Any]) -> Result:
    text = tags.take("Result")
    halves = {"0": 0.0, "1/2": 0.5, "1": 1.0}
    parts = text.split("-")
    scores = [halves[part] for part in parts] if set(parts) <= set(halves) else [float(part) for part in text.split()]
    offender = tags.values.pop("Offender", None)
    if offender is not None and offender not in rules.seats:
        raise BadRecord(f"the tag Offender names no seat of {rules.name}: {nearest(offender, rules.seats)}")
    fields: dict[str, Any] = {
        "termination": tags.take("Termination"),
        "reason": tags.take("Reason"),
        "scores": scores,
        "seat": None if offender is None else rules.seats.index(offender),
        "detail": tags.values.pop("Detail", ""),
    }
    if rules.kind == "race":
        fields["finishes"] = [_finish(tags, number) for number in range(1, len(scores) + 1)]
    return msgspec.convert(fields, Result)


def _finish(tags: _Tags, number: int) -> Finish:
    """How an entrant of a race ended: `rule solved 12.0`, or `illegal too-many-illegal-moves -`."""
    text = tags.take(f"Finish.{number}")
    parts = text.split(" ")
    if len(parts) != 3:
        raise BadRecord(f"the tag Finish.{number} is a termination, a reason and a cost or -, got {quoted(text)}")
    termination, reason, cost = parts
    fields = {
        "termination": termination,
        "reason": reason,
        "cost": None if cost == "-" else float(cost),
        "detail": tags.values.pop(f"Detail.{number}", ""),
    }
    return msgspec.convert(fields, Finish)


# --- moves -----------------------------------------------------------------------------------------------------------


class _Word(NamedTuple):
    line: int
    text: str
    is_comment: bool


def _words(body: str, line: int) -> Iterator[_Word]:
    at, end = 0, len(body.rstrip())
    while at < end:
        found = _WORD.match(body, at)
        here = line + body.count("\n", 0, at)
        if found is None:
            raise BadRecord(f"line {here}: a comment is not closed, or closed without being open")
        kind = "comment" if found["comment"] else "word"
        yield _Word(line + body.count("\n", 0, found.start(kind)), found[kind], kind == "comment")
        at = found.end()


def _score_words(words: list[_Word], scores: list[float]) -> int:
    """How many words at the end repeat the result. Raises BadRecord if they do not."""
    halves = {0.0: "0", 0.5: "1/2", 1.0: "1"}
    ending = ["-".join(halves[value] for value in scores)] if set(scores) <= set(halves) else list(map(repr, scores))
    if [word.text for word in words[-len(ending) :]] != ending:
        raise BadRecord(f"the moves do not end in the result {' '.join(ending)}")
    return len(ending)


class _Moves:
    """The moves so far, and what may come next."""

    def __init__(self, boards: Boards) -> None:
        self.boards, self.rules = boards, boards.rules
        self.plies: list[Ply] = []
        self.refusals: list[Refusal] = []
        self._next: Callable[[_Word], None] = self._number
        self._seat, self._move = 0, None

    def read(self, word: _Word) -> None:
        try:
            if word.is_comment and (found := _REFUSED.fullmatch(word.text)):
                self._refused(found[1], found[2])
            else:
                self._next(word)
        except ValueError as error:
            raise BadRecord(f"line {word.line}: {error}") from None

    def finish(self) -> None:
        if self._next == self._time:
            raise BadRecord("the last move has no comment with its time, as in {0.123s}")

    def _number(self, word: _Word) -> None:
        expected = f"{len(self.plies) // len(self.rules.seats) + 1}."
        if word.text != expected:
            raise ValueError(f"the move number {expected} comes here, got {quoted(word.text)}")
        self._next = self._played

    def _played(self, word: _Word) -> None:
        if word.is_comment:
            self._out(word)
            return
        state = self.boards.of(self._seat)
        move = self.rules.parse_notation(state, word.text)
        state.check(move)
        if not self.boards.race:
            self._seat = state.to_move
        self._move = self.rules.move_to_wire(move)
        self._next = self._time

    def _out(self, word: _Word) -> None:
        found = _OUT.fullmatch(word.text)
        if found is None:
            raise ValueError(f"a move comes here, got {quoted(word.text)}")
        fields = {"seat": self._index(found[1]), "move": None, "ms": _ms(found[3], found[4]), "out": found[2]}
        self._add(msgspec.convert(fields, Ply))

    def _time(self, word: _Word) -> None:
        found = _PLAYED.fullmatch(word.text)
        if found is None:
            raise ValueError(f"after a move comes its time as in {{0.123s}}, got {quoted(word.text)}")
        info = None if found[3] is None else _info(found[3])
        self._add(Ply(self._seat, self._move, _ms(found[1], found[2]), info))

    def _add(self, ply: Ply) -> None:
        self.boards.play(ply)
        self.plies.append(ply)
        self._next = self._number if self.boards.race or len(self.plies) % len(self.rules.seats) == 0 else self._played

    def _refused(self, seat: str, rest: str) -> None:
        parts = [part for _, part in _jsons(rest)]
        if len(parts) != 3 or not all(isinstance(part, str) for part in parts):
            raise ValueError('a refused move is {refused seat "code" "move" "reason"}')
        code, move, reason = parts
        if self._next == self._time:
            raise ValueError("the time of a move comes before the next refused one")
        self.refusals.append(Refusal(len(self.plies), self._index(seat), move, code, reason))

    def _index(self, seat: str) -> int:
        names = [seat_name(self.rules, index) for index in range(len(self.boards.out))]
        if seat not in names:
            raise ValueError(f"{seat!r} is no seat of {self.rules.name}; {nearest(seat, names)}")
        return names.index(seat)


class _RaceMoves(_Moves):
    """The moves of a race: before each stands whose it is, `2: b+1 {0.123s}`."""

    def _number(self, word: _Word) -> None:
        if word.is_comment or not word.text.endswith(":"):
            raise ValueError(f"the number of an entrant comes here, as in 1:, got {quoted(word.text)}")
        self._seat = self._index(word.text[:-1])
        self._next = self._played

    def _played(self, word: _Word) -> None:
        if word.is_comment and (found := _NO_BETTER.fullmatch(word.text)):
            self._add(Ply(self._seat, None, _ms(found[1], found[2]), None if found[3] is None else _info(found[3])))
        else:
            super()._played(word)


def _ms(seconds: str, thousandths: str) -> int:
    return int(seconds) * 1000 + int(thousandths)


def _info(text: str) -> Info:
    return Info() if text == "info" else msgspec.convert(dict(_jsons(text)), Info)


def _jsons(text: str) -> Iterator[tuple[str, Any]]:
    """The JSON values in a comment, divided by spaces, each with the name= that stands before it (or "")."""
    at = 0
    while at < len(text):
        name = re.compile(r"(?:([a-z]+)=)?").match(text, at)
        assert name is not None  # it matches the empty string
        value, at = json.JSONDecoder().raw_decode(text, name.end())
        if at < len(text) and text[at] != " ":
            raise ValueError(f"a space is missing in the comment {quoted(text)}")
        at += 1
        yield name[1] or "", value
