"""Values of a course's files, from those of TOML. Each function raises BadOption: what was given, and what to write."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar
from zoneinfo import ZoneInfo, available_timezones

from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.plain_text import given
from palio_rules.time_control import TimeControl

Word = TypeVar("Word", bound=str)
_SIZES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_TIMES = {"s": 1, "min": 60, "h": 3600}
_ALSO = {"sec": "s", "second": "s", "seconds": "s", "m": "min", "minute": "min", "minutes": "min", "hour": "h",
         "hours": "h"}  # fmt: skip
_MEASURE = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*([A-Za-z]*)", re.ASCII)
MOST_BYTES = 10**9
MOST_TIME = timedelta(days=1)
MOST = 10**6  # of any number of points, games, days
_SECONDS_A_MOVE = re.compile(r"\d+(?:\.\d+)?", re.ASCII)


def a_text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise BadOption(f"{quoted(value)} is no text of one line; write it in quotation marks")
    return value.strip()


def texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise BadOption(f'{quoted(value)} is no list of texts; write ["one", "two"]')
    return tuple(given(each) for each in value)


def a_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadOption(f"{quoted(value)} is neither true nor false")
    return value


def a_number(least: int, most: int = MOST) -> Callable[[Any], int]:
    """Return a reader of whole numbers in this range."""

    def read(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise BadOption(f"{quoted(value)} is out of range; write a whole number from {least} to {most}")
        return value

    return read


def a_rating(value: Any) -> float:
    return float(_fraction(value, -100_000, 100_000, "a rating"))


def points(value: Any) -> Fraction:
    return _fraction(value, 0, MOST, "a number of points")


def a_share(value: Any) -> Fraction:
    return _fraction(value, 0, 1, "a share")


def _fraction(value: Any, least: int, most: int, what: str) -> Fraction:
    good = isinstance(value, int | Decimal) and not isinstance(value, bool) and Decimal(value).is_finite()
    if not good or not least <= value <= most:
        raise BadOption(f"{str(value) if good else quoted(value)} is no {what[2:]} from {least} to {most}")
    return Fraction(value)


def one_of(*words: Word) -> Callable[[Any], Word]:
    """Return a reader of one of these words."""

    def read(value: Any) -> Word:
        for word in words:
            if value == word:
                return word
        raise BadOption(f"{quoted(value)} is unknown; {nearest(str(value), words)}")

    return read


def a_size(value: Any) -> int:
    """Read bytes: `1 MB` (a million), `64 KiB`, or a number.

    >>> a_size("1.5 MB"), a_size(4096)
    (1500000, 4096)
    """
    found = _MEASURE.fullmatch(str(value).strip()) if _is_measure(value) else None
    unit = _SIZES.get(found[2].upper()) if found else None
    size = int(Fraction(found[1]) * unit) if found and unit else 0
    if not 0 < size <= MOST_BYTES:
        raise BadOption(f"{quoted(value)} is no size up to 1 GB; write a number and KB or MB, as in '1 MB'")
    return size


def a_duration(value: Any) -> timedelta:
    """Read a time: `90 s`, `10 min`, `2 h`.

    >>> a_duration("10 min")
    datetime.timedelta(seconds=600)
    """
    found = _MEASURE.fullmatch(str(value).strip()) if _is_measure(value) else None
    unit = _TIMES.get(_ALSO.get(found[2].lower(), found[2].lower())) if found else None
    time = timedelta(seconds=float(Fraction(found[1]) * unit)) if found and unit else timedelta()
    if not timedelta() < time <= MOST_TIME:
        raise BadOption(f"{quoted(value)} is no time up to a day; write a number and s, min or h, as in '10 min'")
    return time


def _is_measure(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def a_clock(value: Any) -> str:
    """Read seconds for a move, or a time control: `3`, `10+0.1`. See `time_control`."""
    text = str(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else a_text(value)
    time_control(text)
    return text


def time_control(clock: str) -> TimeControl:
    """Return the time of a match under an assignment's `clock`. Raises BadOption.

    >>> str(time_control("3")), str(time_control("10+0.1"))
    ('3/move', '10+0.1')
    """
    return TimeControl.parse(st=clock) if _SECONDS_A_MOVE.fullmatch(clock) else TimeControl.parse(tc=clock)


# Moments: of the course's time zone, unless they have their own.


def a_zone(value: Any) -> ZoneInfo:
    name = a_text(value)
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        pass
    if not (known := available_timezones()):
        raise BadOption("this machine knows no time zones; pip install tzdata")
    close = nearest(name, known)
    raise BadOption(f"{quoted(name)} is no time zone; {close if close.startswith('did') else 'write Europe/Rome'}")


def a_moment(zone: ZoneInfo) -> Callable[[Any], datetime]:
    """Return a reader of dates with times; what it returns is aware, in `zone`."""

    def read(value: Any) -> datetime:
        given = value
        if isinstance(value, str):
            value = _from_text(value)
        if not isinstance(value, datetime):
            example = f"{value}T23:59:00" if isinstance(value, date) else "2027-02-15T23:59:00"
            raise BadOption(f"{quoted(str(given))} is no date with a time; write {example}")
        if not 2000 <= value.year < 3000:
            raise BadOption(f"the year {value.year} is none of a course; write one from 2000 on")
        if value.tzinfo is None:
            return _local(value, zone)
        return value.astimezone(zone)

    return read


def _from_text(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if "T" in text or " " in text else None
    except ValueError:
        return None


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    """Return a moment of the zone's clock. Raises BadOption for one that summer time leaves out, or has twice."""
    first, second = (moment.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != moment:
        raise BadOption(f"{moment.isoformat()} does not exist in {zone.key}: summer time begins; take another time")
    if first.utcoffset() != second.utcoffset():
        both = f"{first.isoformat()} or {second.isoformat()}"
        raise BadOption(f"{moment.isoformat()} comes twice in {zone.key}: summer time ends; write {both}")
    return first
