"""Browsers that have signed in to read, and the sockets by which they read.

A browser cannot send a token with a WebSocket, a picture or a download. So it gets a session for its token: the token's
number and a moment, signed with a secret of this process. It opens nothing but reading, and that for half a day at
most; whether its token still works is asked each time. After a restart, the page signs in again by itself.
"""

import hmac
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SESSION_S = 12 * 3600.0  # a day in front of a screen


class Readers:
    """Gives sessions, knows them again, and closes the sockets of those whose token is withdrawn."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._secret = secrets.token_bytes(32)
        self._sockets: dict[int, list[Callable[[int, str], None]]] = {}  # how to close them, by token

    def session(self, token: int) -> str:
        """A session for whoever has this token, by number."""
        said = f"{token}.{int(self._now() + SESSION_S)}"
        return f"{said}.{self._signature(said)}"

    def token_of(self, session: str) -> int | None:
        """The number of the token that a session was given for; None: it is over, or never was one of ours."""
        said, _, signature = session.rpartition(".")
        if not hmac.compare_digest(self._signature(said).encode(), signature.encode(errors="replace")):
            return None
        token, _, end = said.partition(".")
        return int(token) if int(end) > self._now() else None

    @contextmanager
    def reading(self, token: int | None, close: Callable[[int, str], None]) -> Iterator[None]:
        """While a socket is open that somebody reads by; `close` takes a code and a reason."""
        if token is None:
            yield
            return
        self._sockets.setdefault(token, []).append(close)
        try:
            yield
        finally:
            self._sockets[token].remove(close)
            if not self._sockets[token]:
                del self._sockets[token]

    def tokens(self) -> set[int]:
        """By which somebody reads now."""
        return set(self._sockets)

    def close(self, token: int, code: int, reason: str) -> None:
        """Close all sockets of a token."""
        for close in [*self._sockets.get(token, ())]:
            close(code, reason)

    def _signature(self, said: str) -> str:
        return hmac.digest(self._secret, said.encode(errors="replace"), "sha256").hex()
