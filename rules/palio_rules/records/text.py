"""Records as text, similar to chess players' PGN: tags, then numbered moves with comments.

`docs/reference/records.md` describes the format.

The text is exact in both directions: `record_from_text` reads what `record_to_text` wrote as the same record. A record
for which that fails is not written.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from palio_rules.contract.messages import Info, Result
from palio_rules.errors import BadRecord, nearest, quoted
from palio_rules.game import Game
from palio_rules.records.boards import Boards, RaceBoards, boards_of, seat_name
from palio_rules.records.faults import fault
from palio_rules.records.record import Ply, Record, RejectedMove, Setup
from palio_rules.records.tags import NUMBERS, read_tags, record_without_moves, scores_to_text

# The reader of the moves of a record's text, word by word, each checked by the rules. Every error names the line.

_WORD = re.compile(r"\s*(?:(?P<comment>\{[^{}]*\})|(?P<word>[^\s{}]\S*))")
_PLAYED = re.compile(r"\{(\d{1,9})\.(\d{3})s(?: (.*))?\}")
_OUT = re.compile(r"\{out (\S+) (\S+) (\d{1,9})\.(\d{3})s\}")
_NO_BETTER = re.compile(r"\{no better (\d{1,9})\.(\d{3})s(?: (.*))?\}")
_REFUSED = re.compile(r"\{refused (\S+) (.*)\}")


class RecordWord(NamedTuple):
    """A word of the text below the tags: a comment with its braces, or a text between spaces."""

    line: int
    text: str
    is_comment: bool


def words_of(body: str, line: int) -> Iterator[RecordWord]:
    """Yield the words of `body`, which begins in this line. Raises BadRecord."""
    at, end = 0, len(body.rstrip())
    while at < end:
        found = _WORD.match(body, at)
        if found is None:
            raise BadRecord(f"line {line}: a comment is not closed, or closed without being open")
        kind = "comment" if found["comment"] else "word"
        line += body.count("\n", at, found.start(kind))  # stepwise, because a text may have a million words
        yield RecordWord(line, found[kind], kind == "comment")
        line += body.count("\n", found.start(kind), found.end())
        at = found.end()


class Moves:
    """The moves so far, and what may come next; `moves_on` makes the reader for the kind of a game."""

    def __init__(self, boards: Boards) -> None:
        self.boards, self.rules = boards, boards.rules
        self.plies: list[Ply] = []
        self.refusals: list[RejectedMove] = []
        self._next: Callable[[RecordWord], None] = self._number
        self._seat, self._move = 0, None

    def read(self, word: RecordWord) -> None:
        """Take the next word. Raises BadRecord."""
        try:
            if word.is_comment and (found := _REFUSED.fullmatch(word.text)):
                self._rejected(found[1], found[2])
            else:
                self._next(word)
        except ValueError as error:
            raise BadRecord(f"line {word.line}: {error}") from None

    def finish(self) -> None:
        """Check the end of the text. Raises BadRecord if another word is due."""
        if self._next == self._time:
            raise BadRecord("the last move has no comment with its time, as in {0.123s}")

    def _number(self, word: RecordWord) -> None:
        expected = f"{len(self.plies) // len(self.rules.seats) + 1}."
        if word.text != expected:
            raise ValueError(f"the move number {expected} comes here, got {quoted(word.text)}")
        self._next = self._played

    def _played(self, word: RecordWord) -> None:
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

    def _out(self, word: RecordWord) -> None:
        found = _OUT.fullmatch(word.text)
        if found is None:
            raise ValueError(f"a move comes here, got {quoted(word.text)}")
        fields = {"seat": self._index(found[1]), "move": None, "ms": _ms(found[3], found[4]), "out": found[2]}
        self._add(msgspec.convert(fields, Ply))

    def _time(self, word: RecordWord) -> None:
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
    """The moves of a race: before each stands its entrant, `2: b+1 {0.123s}`."""

    def _number(self, word: RecordWord) -> None:
        if word.is_comment or not word.text.endswith(":"):
            raise ValueError(f"the number of an entrant comes here, as in 1:, got {quoted(word.text)}")
        self._seat = self._index(word.text[:-1])
        self._next = self._played

    def _played(self, word: RecordWord) -> None:
        if word.is_comment and (found := _NO_BETTER.fullmatch(word.text)):
            self._add(Ply(self._seat, None, _ms(found[1], found[2]), None if found[3] is None else _info(found[3])))
        else:
            super()._played(word)


def moves_on(boards: Boards) -> Moves:
    """Return the reader of the moves that were played on `boards`."""
    return RaceMoves(boards) if isinstance(boards, RaceBoards) else Moves(boards)


def _ms(seconds: str, thousandths: str) -> int:
    return int(seconds) * 1000 + int(thousandths)


def _info(text: str) -> Info:
    return Info() if text == "info" else msgspec.convert(dict(_jsons(text)), Info)


def _jsons(text: str) -> Iterator[tuple[str, Any]]:
    """Yield the JSON values in a comment, separated by spaces, each with the name= before it (or "")."""
    at = 0
    while at < len(text):
        name = re.compile(r"(?:([a-z_]+)=)?").match(text, at)
        assert name is not None  # it matches the empty string
        value, at = json.JSONDecoder().raw_decode(text, name.end())
        if at < len(text) and text[at] != " ":
            raise ValueError(f"a space is missing in the comment {quoted(text)}")
        at += 1
        yield name[1] or "", value


def record_to_text(record: Record) -> str:
    """Return the record as text, ending in a line break. Raises BadRecord if it does not reproduce, see `fault`."""
    if (wrong := fault(record)) is not None:
        raise BadRecord(f"match {record.match} cannot be written as text: {wrong}; export it as JSON")
    record = msgspec.json.decode(msgspec.json.encode(record), type=Record)  # moves as plain lists
    rules = record.setup.rules()
    tags = "\n".join(f"[{name} {_string(value)}]" for name, value in _tags(record, rules))
    text = f"{tags}\n\n{_moves(record, rules)}{scores_to_text(record.result.scores)}\n"
    if record_from_text(text) != record:
        raise BadRecord(f"match {record.match} would not be read back the same from text; export it as JSON")
    return text


def record_from_text(text: str) -> Record:
    """Read what `record_to_text` wrote, after notes that begin with `%`. Raises BadRecord with the line and reason."""
    try:
        return _read(text.replace("\r\n", "\n"))
    except RecursionError:
        raise BadRecord("a value in brackets is nested too deeply") from None


def _read(text: str) -> Record:
    lines, notes = text.split("\n"), 0
    while notes < len(lines) and (lines[notes].startswith("%") or (notes and not lines[notes])):
        notes += 1
    head, _, body = "\n".join(lines[notes:]).partition("\n\n")
    tags = read_tags(head, notes + 1)
    try:
        record, boards = record_without_moves(tags)
    except BadRecord:
        raise
    except ValueError as error:  # the errors of games, options, times and moves are sentences already
        raise BadRecord(f"in the tags: {error}") from None
    words = list(words_of(body, notes + head.count("\n") + 3))
    ending = scores_to_text(record.result.scores).split(" ")
    if [word.text for word in words[-len(ending) :]] != ending:
        raise BadRecord(f"the moves do not end in the result {' '.join(ending)}")
    moves = moves_on(boards)
    for word in words[: -len(ending)]:
        moves.read(word)
    moves.finish()
    return msgspec.structs.replace(record, plies=tuple(moves.plies), refusals=tuple(moves.refusals))


def _tags(record: Record, rules: Game[Any, Any]) -> Iterator[tuple[str, str]]:
    setup, result = record.setup, record.result
    if record.event:
        yield "Event", record.event
    yield "Match", record.match
    yield "Game", setup.game
    if setup.options:
        yield "Options", ",".join(f"{name}={_option(value)}" for name, value in setup.options.items())
    yield "Seed", str(setup.seed)
    yield from _seated(record, rules)
    yield "TimeControl", str(setup.time)
    yield "MarginMs", str(setup.time.margin_ms)
    for seat, time in enumerate(() if setup.times is UNSET else setup.times):
        yield f"Time.{seat_name(rules, seat)}", f"{time}, margin {time.margin_ms}"
    yield from ((name, str(getattr(setup, field))) for name, field in NUMBERS.items())
    yield from _special(setup)
    yield from _beginning(setup, rules)
    yield "Started", record.started_at.isoformat()
    yield "Finished", record.finished_at.isoformat()
    yield from _ending(result, rules)
    if record.void is not UNSET:
        yield from (("Void", record.void.reason), ("VoidBy", record.void.by), ("VoidAt", record.void.at.isoformat()))
    if record.absent:
        yield "Absent", " ".join(seat_name(rules, seat) for seat in record.absent)
    if record.time_factor is not UNSET:
        yield "TimeFactor", repr(record.time_factor)
    yield "Format", record.format


def _seated(record: Record, rules: Game[Any, Any]) -> Iterator[tuple[str, str]]:
    """Yield the tags of the players, and how they were confined."""
    for seat, bot in enumerate(record.setup.bots):
        yield f"{'Entrant' if rules.kind == 'race' else 'Seat'}.{seat_name(rules, seat)}", bot
    for seat, text in enumerate(record.confined):
        if text:
            yield f"Confined.{seat_name(rules, seat)}", text
    for seat, text in enumerate(() if record.setup.submissions is UNSET else record.setup.submissions):
        if text:
            yield f"Submission.{seat_name(rules, seat)}", text


def _ending(result: Result, rules: Game[Any, Any]) -> Iterator[tuple[str, str]]:
    yield "Result", scores_to_text(result.scores)
    yield "Termination", result.termination
    yield "Reason", result.reason
    if result.seat is not None:
        yield "Offender", rules.seats[result.seat]
    if result.detail:
        yield "Detail", result.detail
    for number, finish in enumerate([] if result.finishes is UNSET else result.finishes, 1):
        cost = "-" if finish.cost is None else repr(finish.cost)
        yield f"Finish.{number}", f"{finish.termination} {finish.reason} {cost}"
        if finish.detail:
            yield f"Detail.{number}", finish.detail


def _option(value: object) -> str:
    """Return a value as in `rows=8,first=white`; a string that would be read as another type is quoted."""
    if isinstance(value, str) and value and not set(value) & set(',"[]{}'):
        try:
            json.loads(value)
        except ValueError:  # not a number, true, false or null: unambiguous without quotes
            return value
    return _string(value)


def _special(setup: Setup) -> Iterator[tuple[str, str]]:
    """Yield the tags of rare settings."""
    if setup.by_time:
        yield "ByTime", "yes"
    if not setup.rated:
        yield "Unrated", "yes"
    if setup.adjudication.draw is not None:
        yield "DrawRule", str(setup.adjudication.draw)
    if setup.adjudication.resign is not None:
        yield "ResignRule", str(setup.adjudication.resign)
    if setup.draw_offers is True:
        yield "DrawOffers", "yes"


def _beginning(setup: Setup, rules: Game[Any, Any]) -> Iterator[tuple[str, str]]:
    """Yield the tags of the position where the clocks started, if it was not the game's first position."""
    if setup.position:
        yield "Position", setup.position
    if setup.opening:
        yield "Opening", " ".join(_opening(setup, rules))
    if setup.eco is not UNSET:
        yield "ECO", setup.eco
    if setup.opening_name is not UNSET:
        yield "OpeningName", setup.opening_name


def _opening(setup: Setup, rules: Game[Any, Any]) -> Iterator[str]:
    state = setup.first()
    for value in setup.opening:
        move = rules.read_move(state, value)
        yield rules.notation(state, move)
        state = state.play(move)


def _moves(record: Record, rules: Game[Any, Any]) -> str:
    """Return a line for each round of the seats, in a race for each ply; a rejected move has its own line before it."""
    words: list[str] = []
    boards, round_ = boards_of(record.setup), len(rules.seats)
    for number in range(len(record.plies) + 1):
        words += [f"\n{_rejected(rejected, rules)}\n" for rejected in record.refusals if rejected.ply == number]
        if number < len(record.plies):
            ply = record.plies[number]
            if isinstance(boards, RaceBoards):
                words.append(f"\n{ply.seat + 1}:")
            elif number % round_ == 0:
                words.append(f"\n{number // round_ + 1}.")
            words.append(_played(ply, rules, boards.of(ply.seat)))
            boards.play(ply)
    lines = (line.strip() for line in " ".join(words).split("\n"))
    return "".join(f"{line}\n" for line in lines if line)


def _played(ply: Ply, rules: Game[Any, Any], state: Any) -> str:
    """Return `b5-b4 {0.123s depth=4}`: the move, its time, the bot's information.

    Or, without a move, `{out green time 9.500s}`; in an anytime race `{no better 0.123s}`.
    """
    time = f"{ply.ms // 1000}.{ply.ms % 1000:03}s"
    if ply.out is not None:
        return f"{{out {seat_name(rules, ply.seat)} {ply.out} {time}}}"
    if ply.info is not None:
        known = [(name, getattr(ply.info, name)) for name in Info.__struct_fields__]
        pairs = " ".join(f"{name}={_inside(value)}" for name, value in known if value is not UNSET)
        time = f"{time} {pairs or 'info'}"
    if ply.move is None and rules.anytime:
        return f"{{no better {time}}}"
    return f"{rules.notation(state, rules.read_move(state, ply.move))} {{{time}}}"


def _rejected(rejected: RejectedMove, rules: Game[Any, Any]) -> str:
    """Return `{refused black "off-board" "[[7,0],[8,0]]" "row 7 is off the 6x6 board"}`."""
    parts = " ".join(map(_inside, (rejected.code, rejected.move, rejected.reason)))
    return f"{{refused {seat_name(rules, rejected.seat)} {parts}}}"


def _string(value: object) -> str:
    """Return a value as JSON; characters that could control a terminal are escaped, foreign letters are not."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)


def _inside(value: object) -> str:
    """Return a value as JSON within a comment, which ends at the first closing brace and has one line."""
    return _string(value).replace("{", "\\u007b").replace("}", "\\u007d")
