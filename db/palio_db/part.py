"""What the parts of the store have in common."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from palio_db.database import Database
from palio_db.ids import Ids

P = ParamSpec("P")
T = TypeVar("T")

_GRACE_S = 15.0  # for a transaction whose caller was cancelled; longer than SQLite waits for another writer


class Part:
    """A part of the store: the methods about one noun. `Store` is all of them together."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ids = Ids()


def whole(method: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """A method that ends what it has begun: a caller that is cancelled meanwhile hears of it afterwards.

    A statement cannot be called back from SQLite's thread or from a server. To drop its connection half-way would
    leave a lock behind, for which every other writer then waits.
    """

    @wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        task = asyncio.ensure_future(method(*args, **kwargs))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task], timeout=_GRACE_S)
            task.cancel()  # does nothing to a task that is done
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()  # nobody is left to hear of it
            raise

    return call


def now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)
