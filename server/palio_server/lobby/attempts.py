"""Tokens that are tried and turn out to be wrong: so many from one address, and so many that begin alike.

A bot that has been let in from an address comes in again from there with the same token, whatever its neighbours try:
such pairs are remembered, as digests. That tells nobody anything who did not have the token before.
"""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from palio_server.edge.budgets import Budgets
from palio_server.edge.refusal import TooMuch

WRONG, WRONG_A_SECOND = 20.0, 0.5  # of one address, and of tokens that begin alike
BEGINNING = 8  # characters of a token; `palio bot list` shows as many
REMEMBERED = 10_000  # pairs of an address and a token that was good there; half a megabyte
GENUINE = frozenset({"wrong-scope", "name-not-yours", "no-guests"})  # refusals of a token that is somebody's


class Attempts:
    """Counts what goes wrong; ask it before and after each token that is looked at."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._of_address = Budgets(WRONG_A_SECOND, WRONG, now)
        self._of_token = Budgets(WRONG_A_SECOND, WRONG, now)
        self._good: OrderedDict[bytes, None] = OrderedDict()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, address: str, token: str | None) -> AsyncIterator[None]:
        """Within it `token` is looked at, and a denial raised if it is wrong. Raises TooMuch before that.

        New tokens of one address are looked at one after the other, so that the limit is exact.
        """
        if token is None:
            yield
            return
        pair = hashlib.blake2b(f"{address} {token}".encode(errors="surrogatepass"), digest_size=16).digest()
        if pair in self._good:
            self._good.move_to_end(pair)
            try:
                yield
            except ValueError as denied:
                if _is_wrong(denied):  # it has been revoked since
                    self._good.pop(pair, None)
                raise
            return
        turn = self._turns.setdefault(address, asyncio.Lock())
        async with turn:
            self._check(address, token)
            try:
                yield
            except ValueError as denied:
                if _is_wrong(denied):
                    self._of_address.take(address)
                    self._of_token.take(token[:BEGINNING])
                raise
            self._good[pair] = None
            if len(self._good) > REMEMBERED:
                self._good.popitem(last=False)

    def _check(self, address: str, token: str) -> None:
        if wait := self._of_address.wait(address):
            raise TooMuch("too-many-tokens", "too many wrong tokens have come from your address", wait)
        if wait := self._of_token.wait(token[:BEGINNING]):
            raise TooMuch("too-many-tokens", "too many wrong tokens that begin like yours have been tried", wait)


def _is_wrong(denied: ValueError) -> bool:
    """Whether the token is nobody's. (What is raised is an AccessDenied, whose module knows this one.)"""
    return getattr(denied, "code", None) not in (None, *GENUINE)
