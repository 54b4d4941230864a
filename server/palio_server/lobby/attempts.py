"""Tokens that are tried and turn out to be wrong: so many from one address, and so many that begin alike.

All tokens of ours begin with the same mark, so what follows it is compared: more characters than any list shows, so
that whoever has read a list can neither guess the rest from many addresses nor use up the tries of another's token.

A bot that has been let in from an address comes in again from there with the same token, whatever its neighbours try:
such pairs are remembered. Of tokens and of their beginnings only digests are kept, under a key that ends with the
process: they tell nobody anything who did not have the token before.
"""

import asyncio
import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from palio_db.tokens import MARK
from palio_server.edge.budgets import Budgets
from palio_server.edge.refusal import TooMuch
from palio_server.lobby.guests import MARK as GUESTS_MARK

WRONG, WRONG_A_SECOND = 20.0, 0.5  # of one address, and of tokens that begin alike
BEGINNING = 8  # characters of a token behind its mark; `palio bot list` shows six
MARKS = (MARK, GUESTS_MARK)
REMEMBERED = 10_000  # pairs of an address and a token that was good there; half a megabyte
GENUINE = frozenset({"wrong-scope", "name-not-yours", "no-guests"})  # refusals of a token that is somebody's


class Attempts:
    """Counts what goes wrong; ask it before and after each token that is looked at."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._of_address = Budgets(WRONG_A_SECOND, WRONG, now)
        self._of_token = Budgets(WRONG_A_SECOND, WRONG, now)
        self._key = secrets.token_bytes(32)
        self._good: OrderedDict[str, None] = OrderedDict()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, address: str, token: str | None) -> AsyncIterator[None]:
        """Within it `token` is looked at, and a denial raised if it is wrong. Raises TooMuch before that.

        New tokens of one address are looked at one after the other, so that the limit is exact.
        """
        if token is None:
            yield
            return
        pair, beginning = self._digest(f"{address} {token}"), self._digest(_beginning(token))
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
            self._check(address, beginning)
            try:
                yield
            except ValueError as denied:
                if _is_wrong(denied):
                    self._of_address.take(address)
                    self._of_token.take(beginning)
                raise
            self._good[pair] = None
            if len(self._good) > REMEMBERED:
                self._good.popitem(last=False)

    def _digest(self, text: str) -> str:
        return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16, key=self._key).hexdigest()

    def _check(self, address: str, beginning: str) -> None:
        if wait := self._of_address.wait(address):
            raise TooMuch("too-many-tokens", "too many wrong tokens have come from your address", wait)
        if wait := self._of_token.wait(beginning):
            raise TooMuch("too-many-tokens", "too many wrong tokens that begin like yours have been tried", wait)


def _beginning(token: str) -> str:
    """What tells a token from others, apart from the mark of ours."""
    for mark in MARKS:
        token = token.removeprefix(mark)
    return token[:BEGINNING]


def _is_wrong(denied: ValueError) -> bool:
    """Whether the token is nobody's. (What is raised is an AccessDenied, whose module knows this one.)"""
    return getattr(denied, "code", None) not in (None, *GENUINE)
