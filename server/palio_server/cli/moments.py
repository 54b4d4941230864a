"""Moments and spans on a command line: `30d`, `24h`, `2026-12-31`, `never`."""

import re
from datetime import UTC, datetime, timedelta

from palio_rules.errors import BadOption

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
LONGEST_S = 36_500 * 86_400  # a century; what is longer is for ever

NEVER = "never"
_SPAN = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)


def span(text: str) -> timedelta | None:
    """`90s`, `30m`, `24h`, `30d`, `4w`; None for what is no span of time."""
    found = _SPAN.fullmatch(text)
    return None if found is None else timedelta(seconds=min(int(found[1]) * SECONDS[found[2]], LONGEST_S))


def overlap(text: str) -> timedelta:
    """For how long. Raises BadOption."""
    found = timedelta(0) if text == "0" else span(text)
    if found is None:
        raise BadOption(f"{text!r} is no span of time; write 24h, 30m, 7d, or 0")
    return found


def end(text: str, now: datetime) -> datetime | None:
    """When something ends: after a span, or with a day, or at a moment; None: `never`. Raises BadOption."""
    if text == NEVER:
        return None
    lasts = span(text)
    if lasts is not None:
        found = now + lasts
    else:
        found = _moment(text, "30d, 24h, 2026-12-31, or never")
        found += timedelta(days=_is_day(text))  # the day itself is included
    if found <= now:
        raise BadOption(f"{text!r} is over; name a later moment")
    return found


def since(text: str, now: datetime) -> datetime:
    """From when on: so long ago, or a day, or a moment. Raises BadOption."""
    ago = span(text)
    return _moment(text, "24h, 7d, or 2026-12-31") if ago is None else now - ago


def _moment(text: str, forms: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadOption(f"{text[:40]!r} is no moment; write {forms}") from None
    if not 1 < found.year < 9999:
        raise BadOption(f"{text[:40]!r} is no moment of our time; write {forms}")
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _is_day(text: str) -> bool:
    return len(text) <= len("2026-12-31")
