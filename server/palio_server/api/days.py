"""Days in addresses: `since=2026-05-01`, `until=2026-05-31`, both included, in UTC."""

import re
from datetime import UTC, datetime, timedelta

from palio_server.api.answers import ApiError

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?")  # `fromisoformat` takes any row of digits for a moment


def first_moment(name: str, day: str) -> datetime:
    """The first moment of a day, or the moment itself where one is given. Raises ApiError 422."""
    try:
        found = datetime.fromisoformat(day if _DAY.fullmatch(day) else "")
    except ValueError:
        raise ApiError(422, "bad-value", f"{name}: {day[:40]!r} is no day; write it as 2026-05-31") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def moment_after(name: str, day: str) -> datetime:
    """The first moment after a day; of a moment, itself. Raises ApiError 422."""
    found = first_moment(name, day)
    try:
        return found + timedelta(days=1) if len(day) <= len("2026-05-31") else found
    except OverflowError:
        raise ApiError(422, "bad-value", f"{name}: {day[:40]!r} is the last day there is; leave it out") from None
