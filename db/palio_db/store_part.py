"""The base of the parts of the store: a database, identities for matches, and protection of cancelled callers."""

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar, TypeVarTuple

from sqlalchemy import Row, Select

from palio_db.connections import GRACE_S
from palio_db.database import Database

P = ParamSpec("P")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u; sorted, in one case
_RANDOM_BITS = 35  # below 45 bits of milliseconds, which last until the year 3084


class MatchIds:
    """A generator of match identities: 16 characters that sort by age and are unique across processes.

    They are safe in URLs and topics. Within one process each is greater than the one before, even in the same
    millisecond.
    """

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def next(self) -> str:
        with self._lock:
            fresh = time.time_ns() // 1_000_000 << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
            if fresh >> _RANDOM_BITS > self._last >> _RANDOM_BITS:
                self._last = fresh
            else:  # several within one millisecond: small steps keep their order and avoid other processes' identities
                self._last += 1 + secrets.randbits(8)
            return "".join(ALPHABET[self._last >> shift & 31] for shift in range(75, -1, -5))


class StorePart:
    """The methods of the store about one noun. `Store` inherits all of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ids = MatchIds()

    async def _all(self, wanted: "Select[*Ts]") -> "Sequence[Row[*Ts]]":
        async with self._database.read() as connection:
            return (await connection.execute(wanted)).all()


def shielded(method: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Let `method` run to its end, as `asyncio.shield` does: its caller is cancelled only afterwards.

    A statement cannot be stopped in SQLite's thread or in a server. Dropping its connection half-way would leave a lock
    behind, for which every other writer then waits.
    """

    @wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        task = asyncio.ensure_future(method(*args, **kwargs))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task], timeout=GRACE_S)
            task.cancel()  # does nothing to a task that is done
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()  # mark as retrieved, because no caller is left
            raise

    return call
