"""The bound on sessions of the protocol for one address. The library bounds them all together."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from palio_server.edge.budgets import TooMuch

IDLE_S = 1800.0  # after which a session without any request or open stream is ended
MOST, OF_ONE = 512, 32  # at once: in all, and of one address; this machine's own has no limit of its own
FULL_S = 30.0  # after which a client may try again for which there was no room


@dataclass(slots=True)
class _Open:
    address: str
    used_at: float
    requests: int = 0


class Sessions:
    """Those that are open, by identity, as far as we have heard."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._open: dict[str, _Open] = {}
        self._coming: dict[object, str] = {}  # addresses of those that are being opened

    def __len__(self) -> int:
        self._forget()
        return len(self._open)

    @contextmanager
    def opening(self, address: str) -> Iterator[Callable[[str], None]]:
        """While `address` opens one: gives what is to be called with its identity. Raises TooMuch where it may not.

        It counts from the beginning of the opening, so that those who come together are not all let in.
        """
        self._check_room(address)
        place = object()  # it is taken by the session when that is there: a request may last longer than the opening
        self._coming[place] = address

        def opened(session: str) -> None:
            self._coming.pop(place, None)
            self._open[session] = _Open(address, self._now())

        try:
            yield opened
        finally:
            self._coming.pop(place, None)

    def knows(self, session: str) -> bool:
        self._forget()
        return session in self._open

    def _check_room(self, address: str) -> None:
        self._forget()
        places = [*self._coming.values(), *(each.address for each in self._open.values())]
        if address and places.count(address) >= OF_ONE:
            raise TooMuch("too-many-sessions", f"your address has {OF_ONE} sessions open; end one", FULL_S)
        if len(places) >= MOST:
            raise TooMuch("too-many-sessions", f"{MOST} sessions are open here, which is the limit", FULL_S)

    def ended(self, session: str) -> None:
        self._open.pop(session, None)

    @contextmanager
    def using(self, session: str) -> Iterator[None]:
        """While a request of the session is answered."""
        found = self._open.get(session)
        if found is None:
            yield
            return
        found.requests += 1
        try:
            yield
        finally:
            found.requests -= 1
            found.used_at = self._now()

    def _forget(self) -> None:
        """Drop those that the library has ended."""
        oldest = self._now() - IDLE_S
        for session, each in list(self._open.items()):
            if not each.requests and each.used_at < oldest:
                del self._open[session]
