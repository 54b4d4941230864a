"""Quotas of one asker: matches that are scheduled and not over, and work that takes a core's time.

An asker is a token (of a bot: all of its tokens), or without one the address. Matches of tournaments, of the ladder and
of commands that work on the database have no quota here.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager

from starlette.requests import Request

from palio_db.values import Grant
from palio_server.api.identity import address_of
from palio_server.edge.budgets import Budgets, TooMuch

SCHEDULED, SCHEDULED_A_SECOND = 300.0, 5.0  # matches of one asker; each requested match is charged
LOOK_S = 1.0  # seconds between two checks which matches are over
FULL_S = 5.0  # seconds after which an asker whose quota is full may try again

# A position takes about a millisecond, a picture ten; this is a third of a core, for each address.
WORK, WORK_A_SECOND = 2000.0, 300.0
HERE = 4.0  # times as much for this machine's own address, which may be a proxy
POSITION, PICTURE, SEARCH, ANIMATION = 1.0, 10.0, 50.0, 500.0  # costs

StillOpen = Callable[[Collection[str]], Awaitable[set[str]]]


class MatchQuota:
    """Matches that were requested over HTTP since the server was started."""

    def __init__(
        self, still_open: StillOpen, of_one: int, in_all: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`still_open` returns those of some matches that wait or are played."""
        self._still_open, self._of_one, self._in_all, self._now = still_open, of_one, in_all, now
        self.budgets = Budgets(SCHEDULED_A_SECOND, SCHEDULED, now)
        self._open: dict[str, set[str]] = {}  # by asker
        self._coming: dict[str, int] = {}  # of requests that are being answered
        self._looked_at = float("-inf")

    @asynccontextmanager
    async def room(self, asker: str, count: int) -> AsyncIterator[list[str]]:
        """Reserve room for `count` more matches of `asker`; scheduled ones are put into the list. Raises TooMuch."""
        if not self._fits(asker, count):
            await self._look()
        if not self._fits(asker, count):
            whose = f"{self._of_one} of yours" if self._of(asker) + count > self._of_one else f"{self._in_all}"
            raise TooMuch("too-many-matches", f"{whose} may wait or be played at once, which is reached", FULL_S)
        if wait := self.budgets.take(asker, min(float(count), SCHEDULED)):
            raise TooMuch("too-fast", "you have scheduled too many matches in a short time", wait)
        self._coming[asker] = self._coming.get(asker, 0) + count
        scheduled: list[str] = []
        try:
            yield scheduled
        finally:
            self._coming[asker] -= count
            if not self._coming[asker]:
                del self._coming[asker]
            if scheduled:
                self._open.setdefault(asker, set()).update(scheduled)

    def _of(self, asker: str) -> int:
        return len(self._open.get(asker, ())) + self._coming.get(asker, 0)

    def _fits(self, asker: str, count: int) -> bool:
        in_all = sum(map(len, self._open.values())) + sum(self._coming.values())
        return self._of(asker) + count <= self._of_one and in_all + count <= self._in_all

    async def _look(self) -> None:
        """Forget matches that are over."""
        if self._now() < self._looked_at + LOOK_S:
            return
        self._looked_at = self._now()
        looked_at = {asker: set(matches) for asker, matches in self._open.items()}
        still = await self._still_open(set().union(*looked_at.values()))
        for asker, matches in looked_at.items():
            self._open[asker] -= matches - still
            if not self._open[asker]:
                del self._open[asker]


class WorkQuota:
    """The quota of work without a token, by address."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.far = Budgets(WORK_A_SECOND, WORK, now)
        self.here = Budgets(HERE * WORK_A_SECOND, HERE * WORK, now)

    def pay(self, request: Request, cost: float) -> None:
        """Charge the request's address. Raises TooMuch if it has used up its quota."""
        address = address_of(request)
        if wait := (self.far if address else self.here).take(address, cost):
            raise TooMuch("too-much-work", "your address has asked for too much in a short time", wait)


def asker_of(request: Request) -> str:
    """Return the asker whose quota a request uses up, after its token was checked."""
    grant: Grant | None = getattr(request.state, "grant", None)
    if grant is None:
        return f"address {address_of(request)}"
    return f"token {grant.id}" if grant.bot is None else f"bot {grant.bot}"
