"""What must reach the database is tried until the database answers: first after a tenth of a second, later rarely."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from palio_db.errors import Unavailable
from palio_rules.backoff import Backoff

log = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_S, LONGEST_S = 0.1, 5.0  # between two attempts


class Retries:
    """How often this process has had to wait for its database."""

    count = 0


async def until_database_answers(waiting: str, attempt: Callable[[], Awaitable[T]]) -> T:
    """What `attempt` returns or raises, but for Unavailable. `waiting`, for the log, says what waits meanwhile."""
    backoff: Backoff | None = None  # to make one costs more than most attempts do
    while True:
        try:
            return await attempt()
        except Unavailable as error:
            Retries.count += 1
            log.warning("%s: %s", waiting, error)
            backoff = backoff or Backoff(first=FIRST_S, longest=LONGEST_S)
            await asyncio.sleep(backoff.next())
