"""When a tournament starts: a moment, or a time from now."""

import re
from datetime import UTC, datetime, timedelta

from palio_rules.errors import BadOption

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
MOST = timedelta(days=366)
LATE = timedelta(minutes=1)  # a request may have been on its way, and clocks differ

_FROM_NOW = re.compile(r"\+(\d{1,6})([smhd])", re.ASCII)


def start_time(text: str, now: datetime) -> datetime:
    """`2026-12-24T18:00:00Z` or, from `now`, `+10m` (s, m, h, d), in UTC. Raises BadOption.

    A moment without a time zone is refused: nobody could say whose it is.
    """
    if found := _FROM_NOW.fullmatch(text):
        moment = now + timedelta(seconds=int(found[1]) * SECONDS[found[2]])
    else:
        moment = _moment(text)
    if moment < now - LATE:
        raise BadOption(f"{text!r} is past; give a moment to come, or leave it out and start the event by hand")
    if moment > now + MOST:
        raise BadOption(f"{text!r} is more than a year away; start it within a year")
    return moment.astimezone(UTC)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadOption(f"{text!r} is no time to start; write 2026-12-24T18:00:00Z, or +10m for ten minutes") from None
    if moment.tzinfo is None:
        raise BadOption(f"{text!r} has no time zone; write {text}Z for UTC, or {text}+01:00")
    return moment
