"""A match as PGN, in the export format of the PGN standard (Edwards 1994), as far as it fits games other than chess.

Chess is written by `palio_rules.records.pgn_text`. Readers of others find the seven tags, the moves and comments such
as `[%clk]`. `palio import` reads lines of the standard's escape mechanism (`%` in the first column, which other readers
pass over): the complete record in JSON.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from msgspec import UNSET

from palio_db.event_values import KeptMatch
from palio_rules.contract.messages import Info
from palio_rules.game import Game
from palio_rules.records.boards import boards_of
from palio_rules.records.pgn_text import (
    ABANDONED,
    COLUMNS,
    LONGEST,
    RESULTS,
    TERMINATIONS,
    clock_text,
    comment_text,
    record_to_pgn,
    string_token,
    time_control_text,
    wrapped,
)
from palio_rules.records.record import Ply, Record
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
        clocks = SeatClocks(self.record.setup.clocks())
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


ESCAPE = "%palio-record "  # begins each line of a record

# Of the standard's symbols those that no reader takes for the number of a move, or finds a result in.
_SYMBOL = re.compile(r"(?!.*(?:1-0|0-1))[A-Za-z][A-Za-z0-9_+#=:\-]{0,254}", re.ASCII)
NO_MOVE = "--"


def pgn_of(kept: KeptMatch, *, records: bool = True) -> str:
    """The match, ending in an empty line. Raises ValueError where its record cannot be played by the rules."""
    lines = [*_record(kept)] if records else []
    if kept.setup.rules().exchanged_as == "pgn":
        return "\n".join([*lines, record_to_pgn(kept, round_=_round(kept))])
    played = Replayed(kept)
    lines += [f"[{name} {string_token(value)}]" for name, value in _tags(kept, played)]
    return "\n".join([*lines, "", *wrapped(" ".join(_movetext(kept, played))), "", ""])


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
    yield "Event", kept.event or "?"
    yield "Site", "?"
    yield "Date", f"{kept.started_at:%Y.%m.%d}"
    yield "Round", _round(kept)
    yield "White", ":".join(bots) if played.is_race else bots[0]
    yield "Black", "?" if played.is_race else ":".join(bots[1:])
    yield "Result", _result(kept)
    yield "UTCDate", f"{kept.started_at:%Y.%m.%d}"
    yield "UTCTime", f"{kept.started_at:%H:%M:%S}"
    yield "Variant", setup.game
    yield "SetUp", "1"
    if len(position := played.rules.format_state(played.first)) <= LONGEST:
        yield "FEN", position
    yield "TimeControl", time_control_text(setup.time)
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


def _round(kept: KeptMatch) -> str:
    place = kept.tournament
    if place is UNSET or not place.round:
        return "-"
    if place.encounter is None or place.game is None:
        return str(place.round)
    return f"{place.round}.{place.encounter}.{place.game + 1}"


def _result(kept: KeptMatch) -> str:
    """Of a duel; PGN has no result for three, nor for a race: `Scores` has that."""
    if kept.result.finishes is not UNSET or len(kept.setup.bots) != 2:
        return "*"
    return RESULTS.get((kept.result.scores[0], kept.result.scores[1]), "*")


def _movetext(kept: KeptMatch, played: Replayed) -> Iterator[str]:
    """Moves with their numbers, a number for each round of the seats; in a race for each ply."""
    round_ = 1 if played.is_race else len(played.rules.seats)
    rejected: dict[int, list[str]] = {}
    for each in kept.refusals:
        where = comment_text(f"{kept.setup.bots[each.seat]}: {each.move}: {each.reason}")
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
        words.append(f"[%move {comment_text(step.move)}]")
    if step.clock_ms is not None:
        words.append(f"[%clk {clock_text(step.clock_ms)}]")
    words.append(f"[%emt {clock_text(ply.ms)}]")
    if ply.info is not None and ply.info.score is not UNSET and not played.is_race:
        white = -ply.info.score if step.seat == 1 and len(played.rules.seats) == 2 else ply.info.score
        depth = "" if ply.info.depth is UNSET else f",{ply.info.depth}"
        words.append(f"[%eval {white + 0.0:.2f}{depth}]")
    if ply.out is not None:
        words.append(f"out: {ply.out}")
    if ply.info is not None:
        words += _of_an_engine(ply.info)
    if ply.info is not None and ply.info.text is not UNSET:
        words.append(comment_text(ply.info.text))
    return " ".join(words)


_ENGINE_WORDS = {"seldepth": "sd", "nps": "nps", "hashfull": "hashfull", "tbhits": "tbhits"}


def _of_an_engine(info: Info) -> Iterator[str]:
    """Yield what an engine said of its search, in the words of fastchess; its line only beside them."""
    found = [(word, getattr(info, name)) for name, word in _ENGINE_WORDS.items()]
    told = [f"{word}={value}" for word, value in found if value is not UNSET]
    if info.wdl is not UNSET:
        told.append(f"wdl={'/'.join(map(str, info.wdl))}")
    if not told:
        return
    if info.nodes is not UNSET:
        yield f"n={info.nodes}"
    yield from told
    if info.pv is not UNSET:
        line = comment_text(" ".join(info.pv)).replace('"', "")
        yield f'pv="{line}"'
