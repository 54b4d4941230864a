"""Reading of the tags of a record's text, and from them all of the record but its moves."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from palio_rules.adjudication import Adjudication
from palio_rules.contract.messages import MAX_ENTRANTS, Finish, Result
from palio_rules.errors import BadRecord, nearest, quoted
from palio_rules.game import Game
from palio_rules.records.boards import Boards, boards_of, seat_name
from palio_rules.records.record import Record, Setup, Void
from palio_rules.registry import game
from palio_rules.time_control import TimeControl

_WORDS = {0.0: "0", 0.5: "1/2", 1.0: "1"}
_VALUES = {word: value for value, word in _WORDS.items()}


def scores_to_text(scores: Sequence[float]) -> str:
    """Return scores in seat order, in chess notation if possible.

    >>> scores_to_text([0.5, 0.5]), scores_to_text([1.0, 0.25])
    ('1/2-1/2', '1.0 0.25')
    """
    if all(score in _WORDS for score in scores):
        return "-".join(_WORDS[score] for score in scores)
    return " ".join(map(repr, scores))


def scores_from_text(text: str) -> list[float]:
    """Read what `scores_to_text` wrote. Raises ValueError for a word that is not a number."""
    words = text.split("-")
    return [_VALUES[word] for word in words] if set(words) <= _VALUES.keys() else [float(word) for word in text.split()]


NUMBERS = {
    "Strikes": "strikes",
    "MaxPlies": "max_plies",
    "GraceMs": "grace_ms",
    "ReadyMs": "ready_ms",
    "StallMs": "stall_ms",
}
_TAG = re.compile(r'\[(\S+) (".*")\]')
_TAGS = """
    Event Match Game Options Seed TimeControl MarginMs Strikes MaxPlies GraceMs ReadyMs StallMs Position Opening ECO
    OpeningName Started Finished ByTime Unrated DrawRule ResignRule DrawOffers Result Termination Reason Offender Detail
    Void VoidBy VoidAt TimeFactor Absent Format
"""


def record_without_moves(tags: "Tags") -> tuple[Record, Boards]:
    """Return the record without its moves, and the boards on which they begin.

    Raises BadRecord, or the ValueError of a game, an option, a time or a move of the opening.
    """
    rules = game(tags.take("Game"))
    setup, state = _setup(tags, rules)
    record = Record(
        match=tags.take("Match"),
        setup=setup,
        plies=(),
        result=_result(tags, rules),
        started_at=tags.moment("Started"),
        finished_at=tags.moment("Finished"),
        event=tags.values.pop("Event", ""),
        confined=_confined(tags, rules, len(setup.bots)),
        format=tags.take("Format"),
        void=_void(tags),
        time_factor=_time_factor(tags),
        absent=_absent(tags, rules, len(setup.bots)),
    )
    for name in tags.values:
        raise BadRecord(f"unknown tag {quoted(name)}; {nearest(name, _TAGS.split())}")
    return record, boards_of(setup, state)


@dataclass
class Tags:
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

    def moment(self, name: str) -> datetime:
        text = self.take(name)
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            raise BadRecord(f"the tag {name} is a time such as 2026-05-01T12:00:00+00:00, got {quoted(text)}") from None

    def flag(self, name: str) -> bool:
        if name not in self.values:
            return False
        if (text := self.values.pop(name)) != "yes":
            raise BadRecord(f"the tag {name} is yes, or left out, got {quoted(text)}")
        return True


def read_tags(head: str, first: int = 1) -> Tags:
    """Read the tags, one a line, of which the first has this number. Raises BadRecord with the line and the reason."""
    values: dict[str, str] = {}
    for number, line in enumerate(head.split("\n"), first):
        found = _TAG.fullmatch(line)
        if found is None:
            raise BadRecord(f'line {number}: a tag is written [Name "value"], got {quoted(line)}')
        if found[1] in values:
            raise BadRecord(f"line {number}: the tag {quoted(found[1])} is given twice")
        try:
            values[found[1]] = json.loads(found[2])
        except ValueError:
            raise BadRecord(f"line {number}: the value of {found[1]} is not a string in quotes") from None
    return Tags(values)


def _setup(tags: Tags, rules: Game[Any, Any]) -> tuple[Setup, Any]:
    """Read the setup, and the position after its opening."""
    options = _options(tags.values.pop("Options", ""))
    seed = tags.number("Seed")
    position = tags.values.pop("Position", "")
    state, opening = Setup(rules.name, (), options, seed, position=position).first(), []
    for text in tags.values.pop("Opening", "").split():
        move = rules.parse_notation(state, text)
        state.check(move)
        opening.append(rules.move_to_wire(move))
        state = state.play(move)
    bots = _entrants(tags) if rules.kind == "race" else [tags.take(f"Seat.{seat}") for seat in rules.seats]
    fields = {
        "game": rules.name,
        "bots": bots,
        "options": options,
        "seed": seed,
        "opening": opening,
        "position": position,
        "time": TimeControl.from_text(tags.take("TimeControl"), tags.number("MarginMs")),
        "by_time": tags.flag("ByTime"),
        "rated": not tags.flag("Unrated"),
        "adjudication": _adjudication(tags),
        **{field: tags.number(name) for name, field in NUMBERS.items()},
    }
    if (eco := tags.values.pop("ECO", None)) is not None:
        fields["eco"] = eco
    if (name := tags.values.pop("OpeningName", None)) is not None:
        fields["opening_name"] = name
    if tags.flag("DrawOffers"):
        fields["draw_offers"] = True
    if (times := _times(tags, rules, len(bots))) is not UNSET:
        fields["times"] = times
    submissions = [tags.values.pop(f"Submission.{seat_name(rules, seat)}", "") for seat in range(len(bots))]
    if any(submissions):
        fields["submissions"] = submissions
    return msgspec.convert(fields, Setup), state


def _times(tags: Tags, rules: Game[Any, Any], bots: int) -> tuple[TimeControl, ...] | UnsetType:
    """Read the time control of each seat, `10+0.1, margin 200`, where they differ."""
    texts = [tags.values.pop(f"Time.{seat_name(rules, seat)}", "") for seat in range(bots)]
    if not any(texts):
        return UNSET
    times = []
    for text in texts:
        time, comma, margin = text.partition(", margin ")
        if not comma or not re.fullmatch(r"\d{1,8}", margin):
            remedy = 'write [Time.SEAT "10+0.1, margin 200"] for each seat'
            raise BadRecord(f"time odds are read from tags, got {quoted(text)}; {remedy}")
        times.append(TimeControl.from_text(time, int(margin)))
    return tuple(times)


def _adjudication(tags: Tags) -> Adjudication:
    draw, resign = (tags.values.pop(name, None) for name in ("DrawRule", "ResignRule"))
    return Adjudication(
        None if draw is None else Adjudication.parse_draw(draw),
        None if resign is None else Adjudication.parse_resign(resign),
    )


def _entrants(tags: Tags) -> list[str]:
    """Read the bots of a race, numbered from 1 without a gap."""
    count = sum(name.startswith("Entrant.") for name in tags.values)
    if not 1 <= count <= MAX_ENTRANTS:
        raise BadRecord(f"a race has 1 to {MAX_ENTRANTS} tags [Entrant.1 ...], [Entrant.2 ...], got {count}")
    return [tags.take(f"Entrant.{number}") for number in range(1, count + 1)]


def _confined(tags: Tags, rules: Game[Any, Any], bots: int) -> tuple[str, ...]:
    """Read how the bots' programs were confined, as far as that is known."""
    found = tuple(tags.values.pop(f"Confined.{seat_name(rules, seat)}", "") for seat in range(bots))
    return found if any(found) else ()


def _time_factor(tags: Tags) -> float | UnsetType:
    """Read the factor by which all times were multiplied, if there is one."""
    if (text := tags.values.pop("TimeFactor", None)) is None:
        return UNSET
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 0 < factor <= 100:
        raise BadRecord(f"the tag TimeFactor is a number above 0, at most 100, got {quoted(text)}")
    return factor


def _absent(tags: Tags, rules: Game[Any, Any], bots: int) -> tuple[int, ...] | UnsetType:
    """Read the seats whose bots did not come, if there are any."""
    if (text := tags.values.pop("Absent", None)) is None:
        return UNSET
    names = [seat_name(rules, seat) for seat in range(bots)]
    seats = text.split()
    if not seats or any(name not in names for name in seats):
        raise BadRecord(f"the tag Absent names seats of {', '.join(names)} with blanks between, got {quoted(text)}")
    return tuple(names.index(name) for name in seats)


def _options(text: str) -> dict[str, Any]:
    """Read `rows=8,first=white`: a value is JSON if it can be, else a bare string."""
    options: dict[str, Any] = {}
    rest = text
    while rest:
        name, equals, rest = rest.partition("=")
        if not equals:
            raise BadRecord(f"the tag Options is name=value,name=value, got {quoted(text)}")
        if name in options:
            raise BadRecord(f"the tag Options gives {quoted(name)} twice")
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
    except ValueError:  # most options are bare strings
        return text


def _result(tags: Tags, rules: Game[Any, Any]) -> Result:
    scores = scores_from_text(tags.take("Result"))
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


def _void(tags: Tags) -> Void | UnsetType:
    if "Void" not in tags.values:
        return UNSET
    return Void(tags.take("Void"), tags.take("VoidBy"), datetime.fromisoformat(tags.take("VoidAt")))


def _finish(tags: Tags, number: int) -> Finish:
    """Read the end of an entrant of a race: `rule solved 12.0`, or `illegal too-many-illegal-moves -`."""
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
