"""A match as PGN, in the export format of the PGN standard (Edwards 1994), as far as it fits games other than chess.

Readers of others find the seven tags, the moves and comments such as `[%clk]`. `palio import` reads lines of
the standard's escape mechanism (`%` in the first column, which other readers pass over): the complete record in JSON.
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from msgspec import UNSET

from palio_db.event_values import KeptMatch
from palio_rules.game import Game
from palio_rules.records.boards import boards_of
from palio_rules.records.record import Ply, Record
from palio_rules.time_control import TimeControl
from palio_server.match.clock import SeatClocks

# A match played through once more for its tables: notation, positions, clocks and costs, ply by ply.


@dataclass(frozen=True, slots=True)
class Step:
    """A ply and what it came to. `before` is the position on the board of its seat; see the table of plies."""

    seat: int
    ply: Ply
    move: str | None  # in notation
    before: Any
    clock_ms: int | None = None
    cost: float | None = None


class Replayed:
    """All of a match, played. Raises ValueError, among them Rejection, where the rules do not allow it."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.rules: Game[Any, Any] = record.setup.rules()
        self.first = record.setup.first()
        self.opening = tuple(self._opening())
        self._boards = boards_of(record.setup)
        self.plies = tuple(self._played())

    @property
    def is_race(self) -> bool:
        return self.rules.kind == "race"

    def last(self, seat: int) -> Any:
        """The last position on the board of `seat`."""
        return self._boards.of(seat)

    @cached_property
    def lower_bound(self) -> float | None:
        return self.rules.lower_bound(self.first) if self.is_race else None

    def _opening(self) -> Any:
        state = self.first
        for value in self.record.setup.opening:
            move = self.rules.read_move(state, value)
            seat = state.to_move
            yield Step(seat, Ply(seat, value, 0), self.rules.notation(state, move), state)
            state = state.play(move)

    def _played(self) -> Any:
        boards, rules = self._boards, self.rules
        clocks = SeatClocks(self.record.setup.clock(), boards.seats)
        for ply in self.record.plies:
            if not 0 <= ply.seat < boards.seats:
                raise ValueError(f"a ply was played by seat {ply.seat}, there are {boards.seats}")
            before = boards.of(ply.seat)
            after = boards.play(ply)
            move = None
            if ply.out is None:
                clocks.charge(ply.seat, ply.ms)
                if ply.move is not None:
                    move = rules.notation(before, rules.move_from_wire(ply.move))
            cost = rules.cost(after) if self.is_race else None
            yield Step(ply.seat, ply, move, before, clocks.left_ms[ply.seat], cost)


COLUMNS = 80  # of a line of moves
LONGEST = 255  # characters of a token
ESCAPE = "%palio-record "  # begins each line of a record

RESULTS = {(1.0, 0.0): "1-0", (0.0, 1.0): "0-1", (0.5, 0.5): "1/2-1/2"}
TERMINATIONS = {
    "rule": "normal", "resigned": "normal", "adjudicated": "adjudication", "illegal": "rules infraction",
    "time": "time forfeit",
}  # fmt: skip
ABANDONED = "abandoned"

# Of the standard's symbols those that no reader takes for the number of a move, or finds a result in.
_SYMBOL = re.compile(r"(?!.*(?:1-0|0-1))[A-Za-z][A-Za-z0-9_+#=:\-]{0,254}", re.ASCII)
NO_MOVE = "--"


def pgn_of(kept: KeptMatch, *, records: bool = True) -> str:
    """The match, ending in an empty line. Raises ValueError where its record cannot be played by the rules."""
    played = Replayed(kept)
    lines = [*_record(kept)] if records else []
    lines += [f"[{name} {_string(value)}]" for name, value in _tags(kept, played)]
    moves = textwrap.wrap(" ".join(_movetext(kept, played)), COLUMNS - 1, break_long_words=True, break_on_hyphens=False)
    return "\n".join([*lines, "", *_not_escaped(moves), "", ""])


def _not_escaped(lines: list[str]) -> Iterator[str]:
    """A line within a comment may begin with what would make it another program's."""
    for line in lines:
        yield f" {line}" if line.startswith(("%", ";", "[")) else line


def _record(kept: KeptMatch) -> Iterator[str]:
    text = msgspec.json.encode(kept).decode()
    ascii_ = "".join(each if " " <= each <= "~" else _escaped(each) for each in text)
    room = COLUMNS - 1 - len(ESCAPE)
    for begin in range(0, len(ascii_), room):
        # what ends in a space would lose it in many an editor
        yield f"{ESCAPE}{ascii_[begin : begin + room]}|"


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _tags(kept: KeptMatch, played: Replayed) -> Iterator[tuple[str, str]]:
    setup, result, bots = kept.setup, kept.result, kept.setup.bots
    place = None if kept.tournament is UNSET else kept.tournament
    yield "Event", kept.event or "?"
    yield "Site", "?"
    yield "Date", f"{kept.started_at:%Y.%m.%d}"
    yield "Round", "-" if place is None or not place.round else _round(place.round, place.encounter, place.game)
    yield "White", ":".join(bots) if played.is_race else bots[0]
    yield "Black", "?" if played.is_race else ":".join(bots[1:])
    yield "Result", _result(kept)
    yield "UTCDate", f"{kept.started_at:%Y.%m.%d}"
    yield "UTCTime", f"{kept.started_at:%H:%M:%S}"
    yield "Variant", setup.game
    yield "SetUp", "1"
    if len(position := played.rules.format_state(played.first)) <= LONGEST:
        yield "FEN", position
    yield "TimeControl", _time_control(setup.time)
    yield "Termination", TERMINATIONS.get(result.termination, ABANDONED)
    yield "TerminationDetails", result.reason
    yield "PlyCount", str(len(played.opening) + len(played.plies))
    yield "Match", kept.match
    if setup.options:
        yield "Options", msgspec.json.encode(setup.options).decode()
    if played.is_race or len(bots) != 2:
        yield "Scores", " ".join(f"{score:g}" for score in result.scores)
    for number, bot in enumerate(bots, 1):
        yield f"Seat{number}", bot if played.is_race else f"{played.rules.seats[number - 1]}: {bot}"
    for number, finish in enumerate(() if result.finishes is UNSET else result.finishes, 1):
        cost = "-" if finish.cost is None else f"{finish.cost!r}"
        yield f"Finish{number}", f"{finish.termination} {finish.reason} {cost}"
    if kept.void is not UNSET:
        yield "Void", kept.void.reason


def _round(round_: int, encounter: int | None, game: int | None) -> str:
    return str(round_) if encounter is None or game is None else f"{round_}.{encounter}.{game + 1}"


def _result(kept: KeptMatch) -> str:
    """Of a duel; PGN has no result for three, nor for a race: `Scores` has that."""
    if kept.result.finishes is not UNSET or len(kept.setup.bots) != 2:
        return "*"
    return RESULTS.get((kept.result.scores[0], kept.result.scores[1]), "*")


def _time_control(time: TimeControl) -> str:
    """As the standard writes it: `10+0.1`; `1/0.5` for half a second a move; `-` for none."""
    if time.base_ms is not None:
        return str(TimeControl(time.base_ms, time.increment_ms)).removesuffix("+0")
    return "-" if time.move_ms is None else f"1/{str(TimeControl(move_ms=time.move_ms)).removesuffix('/move')}"


def _movetext(kept: KeptMatch, played: Replayed) -> Iterator[str]:
    """Moves with their numbers, a number for each round of the seats; in a race for each ply."""
    round_ = 1 if played.is_race else len(played.rules.seats)
    rejected: dict[int, list[str]] = {}
    for each in kept.refusals:
        where = _inside(f"{kept.setup.bots[each.seat]}: {each.move}: {each.reason}")
        rejected.setdefault(each.ply, []).append(f"{{rejected {where}}}")
    opening = len(played.opening)
    for number, step in enumerate((*played.opening, *played.plies)):
        yield from rejected.pop(number - opening, [])
        place, turn = divmod(number, round_)
        if turn == 0:
            yield f"{place + 1}."
        elif round_ == 2:
            yield f"{place + 1}..."  # after a comment, as the standard's export format has it
        move = step.move if step.move and _SYMBOL.fullmatch(step.move) else None
        yield move or NO_MOVE
        comment = "book" if number < opening else _comment(step, played, in_words=move is None)
        yield f"{{{comment}}}"
    for left in rejected.values():
        yield from left
    yield _result(kept)


def _comment(step: Step, played: Replayed, *, in_words: bool) -> str:
    ply = step.ply
    words = [f"[%seat {step.seat + 1}]"] if played.is_race else []
    if in_words and step.move is not None:
        words.append(f"[%move {_inside(step.move)}]")
    if step.clock_ms is not None:
        words.append(f"[%clk {_time(step.clock_ms)}]")
    words.append(f"[%emt {_time(ply.ms)}]")
    if ply.info is not None and ply.info.score is not UNSET and not played.is_race:
        white = -ply.info.score if step.seat == 1 and len(played.rules.seats) == 2 else ply.info.score
        depth = "" if ply.info.depth is UNSET else f",{ply.info.depth}"
        words.append(f"[%eval {white + 0.0:.2f}{depth}]")
    if ply.out is not None:
        words.append(f"out: {ply.out}")
    if ply.info is not None and ply.info.text is not UNSET:
        words.append(_inside(ply.info.text))
    return " ".join(words)


def _time(ms: int) -> str:
    """`0:01:02.345`, as lichess writes it; without thousandths where there are none."""
    seconds, rest = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" + (f".{rest:03}" if rest else "")


def _inside(text: str) -> str:
    """As it may stand in a comment, which ends at the first closing brace, and in which `[%` begins a command."""
    plain = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return plain.replace("{", "(").replace("}", ")").replace("[%", "[ %")


def _string(text: str) -> str:
    """A string token: one line, quotes and backslashes escaped, no longer than the standard's 255 characters."""
    plain = "".join(each if each.isprintable() else " " for each in text)
    written = plain.replace("\\", "\\\\").replace('"', '\\"')
    while len(written) > LONGEST:
        plain = plain[: len(plain) - (len(written) - LONGEST) // 2 - 1]
        written = plain.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{written}"'
