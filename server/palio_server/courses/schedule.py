"""The times of an assignment: its tournaments, when it is frozen, late days, and what a student has left today.

Days are those of the course's time zone, so a day may have 23 or 25 hours; instants are compared in UTC.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from palio_rules.errors import BadOption, nearest, quoted
from palio_server.courses.toml_values import a_moment
from palio_server.courses.values import Assignment, PlannedTournament

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAILY = re.compile(r"daily\s+(?P<clock>\S+)", re.IGNORECASE)
_WEEKLY = re.compile(r"weekly\s+(?P<day>[a-z]+)\s+(?P<clock>\S+)", re.IGNORECASE)
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Times:
    """When a tournament is played: `once`, or at `clock` of each day, or of each `weekday` (0: Monday)."""

    once: datetime | None = None
    clock: time = time()
    weekday: int | None = None

    @classmethod
    def parse(cls, at: str, zone: ZoneInfo) -> "Times":
        """Read `daily 03:00`, `weekly sunday 03:00`, or a date with a time. Raises BadOption."""
        if found := _DAILY.fullmatch(at.strip()):
            return cls(clock=_clock(found["clock"]))
        if found := _WEEKLY.fullmatch(at.strip()):
            if (day := found["day"].lower()) not in WEEKDAYS:
                raise BadOption(f"{quoted(found['day'])} is no day of the week; {nearest(day, WEEKDAYS)}")
            return cls(clock=_clock(found["clock"]), weekday=WEEKDAYS.index(day))
        if at[:1].isdigit():
            return cls(once=a_moment(zone)(at))
        raise BadOption(
            f"{quoted(at)} is no time of a tournament; write 'daily 03:00', 'weekly sunday 03:00' or a date with a time"
        )

    def between(self, after: datetime, until: datetime, zone: tzinfo) -> Iterator[datetime]:
        """Yield the instants later than `after` up to `until`, in order.

        A time that the clock skips when summer time begins is an hour later on that day; of a time that comes twice
        when it ends, the first counts.
        """
        if self.once is not None:
            if _utc(after) < _utc(self.once) <= _utc(until):
                yield self.once
            return
        day, last = after.astimezone(zone).date(), until.astimezone(zone).date()
        while day <= last:
            moment = datetime.combine(day, self.clock, zone).astimezone(UTC)
            if self.weekday in (None, day.weekday()) and _utc(after) < moment <= _utc(until):
                yield moment.astimezone(zone)
            day += timedelta(days=1)


def _clock(text: str) -> time:
    if (found := _CLOCK.fullmatch(text)) is None:
        raise BadOption(f"{quoted(text)} is no time of the day; write 03:00")
    return time(int(found[1]), int(found[2]))


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)  # moments of one zone are compared by their clocks, which come twice in autumn


class Scheduled(NamedTuple):
    at: datetime
    tournament: PlannedTournament


def tournaments_between(assignment: Assignment, after: datetime, until: datetime) -> list[Scheduled]:
    """Return the tournaments of an assignment later than `after` up to `until`, in order.

    Nightly and weekly ones are played from the opening to the freeze, others at their time.
    """
    zone = _zone(assignment)
    found = []
    for tournament in assignment.tournaments:
        times = Times.parse(tournament.at, zone)
        begin, end = after, until
        if times.once is None:
            begin, end = max(after, assignment.opens, key=_utc), min(until, frozen_at(assignment), key=_utc)
        found += [Scheduled(at, tournament) for at in times.between(begin, end, zone)]
    return sorted(found, key=lambda each: _utc(each.at))


def _zone(assignment: Assignment) -> ZoneInfo:
    zone = assignment.due.tzinfo
    return zone if isinstance(zone, ZoneInfo) else ZoneInfo("UTC")


# Late days and the freeze.


def in_time_until(assignment: Assignment) -> datetime:
    """Return the last instant of a submission in time: `due` with the minutes of grace."""
    return _ends(assignment, 0)


def frozen_at(assignment: Assignment) -> datetime:
    """Return the last instant at which a submission counts, late days included."""
    return _ends(assignment, assignment.late.days)


def _ends(assignment: Assignment, days: int) -> datetime:
    """Return the last instant of a submission that is so many days late."""
    end = days_after(assignment.due, days)
    return (end.astimezone(UTC) + assignment.late.grace).astimezone(end.tzinfo)


def is_frozen(assignment: Assignment, now: datetime) -> bool:
    return _utc(now) > _utc(frozen_at(assignment))


def days_after(moment: datetime, days: int) -> datetime:
    """Return the same time of the clock so many days later."""
    later = (moment + timedelta(days=days)).replace(fold=moment.fold)
    return later.astimezone(UTC).astimezone(moment.tzinfo)


def days_late(assignment: Assignment, at: datetime) -> int:
    """Return the begun days after `due` and its grace: 0 for a submission in time, 1 for one that is a second late."""
    late = _utc(at) - _utc(in_time_until(assignment))
    if late <= timedelta():
        return 0
    days = max(1, late // timedelta(days=1))  # at most one off, where the clock was changed
    while _utc(at) > _utc(_ends(assignment, days)):
        days += 1
    while days > 1 and _utc(at) <= _utc(_ends(assignment, days - 1)):
        days -= 1
    return days


# For a student's page.


def submissions_left(assignment: Assignment, submitted: Sequence[datetime], now: datetime) -> int:
    """Return how many submissions are left today, after those at the instants `submitted`."""
    zone = _zone(assignment)
    today = now.astimezone(zone).date()
    return max(0, assignment.submissions_a_day - sum(at.astimezone(zone).date() == today for at in submitted))


def due_text(due: datetime, now: datetime) -> str:
    """Return `due in 3 days 4 hours`, `due in 25 minutes`, `was due 2 days ago`.

    >>> due_text(datetime(2027, 2, 15, 12, tzinfo=UTC), datetime(2027, 2, 12, 8, tzinfo=UTC))
    'due in 3 days 4 hours'
    """
    left = _utc(due) - _utc(now)
    length = _length(abs(left))
    return f"due in {length}" if left >= timedelta() else f"was due {length} ago"


def _length(time: timedelta) -> str:
    hours, minutes = time // timedelta(hours=1) % 24, time // timedelta(minutes=1) % 60
    if time.days:
        return " ".join(filter(None, (_counted(time.days, "day"), _counted(hours, "hour") if hours else "")))
    if hours:
        return " ".join(filter(None, (_counted(hours, "hour"), _counted(minutes, "minute") if minutes else "")))
    return _counted(minutes, "minute") if minutes else "less than a minute"


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"
