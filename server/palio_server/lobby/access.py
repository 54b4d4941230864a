"""Access rules: a bot needs a token bound to its name, an HTTP request a token with the right scope."""

import asyncio
import hashlib
import hmac
import re
import secrets
import time
from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Literal
from weakref import WeakValueDictionary

from msgspec import UNSET

from palio_db.errors import Expired
from palio_db.store import Store
from palio_db.tokens import MARK
from palio_db.values import Grant, Withdrawn
from palio_rules.contract.messages import Hello
from palio_rules.contract.names import GUEST, HOUSE, is_guest, is_reserved
from palio_server.edge.budgets import Budgets, TooMuch
from palio_server.lobby.bans import BANNED, RENAMED, BanList, Refusal

# Guests, who are people without an account, and the server's own bots: their names, and tokens that prove them.
#
# A token is a signature of the name, so that nothing is stored: it is valid after a restart, and on every server with
# the same secret.

SIGNED_WITH = "guests"  # the name of the secret in the store
GUESTS_MARK = "guest_"  # the start of such a token
LONGEST_WISH = 27  # characters: with the parts around it, a name has 40
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_RANDOM = 6  # characters, for a billion guests: two guests of one name would have the same token
_WISH = re.compile(rf"[A-Za-z0-9._-]{{1,{LONGEST_WISH}}}")


class BadName(ValueError):
    """A name that a guest cannot have; the message says which can."""


class Guests:
    """The maker of guests' names and tokens, which also verifies the tokens."""

    def __init__(self, secret: Callable[[], Awaitable[bytes]] | None = None) -> None:
        """`secret` is awaited once; None: a random one that lives as long as this object."""
        self._ask = secret
        self._secret = secrets.token_bytes(32) if secret is None else b""

    def name(self, wish: str | None = None) -> str:
        """Return a new name: `guest-4fx09a`, or `guest-ada-4fx09a`. Raises BadName."""
        if wish is not None and not _WISH.fullmatch(wish):
            most = f"1 to {LONGEST_WISH} letters a to z, digits and any of . _ -"
            raise BadName(f"{wish[:40]!r} is no name for a guest; use {most}")
        tail = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM))
        return f"{GUEST}{tail}" if wish is None else f"{GUEST}{wish}-{tail}"

    async def token(self, name: str) -> str:
        """Return the token that proves that its bearer is `name`."""
        if not self._secret:
            assert self._ask is not None
            self._secret = await self._ask()
        signature = hmac.digest(self._secret, name.encode(), "sha256")
        return GUESTS_MARK + urlsafe_b64encode(signature).decode().rstrip("=")

    async def proves(self, name: str, token: str) -> bool:
        """Return True if `token` is the one of `name`."""
        return hmac.compare_digest((await self.token(name)).encode(), token.encode(errors="surrogatepass"))


# Rate limits on wrong tokens: by address, and by the beginning of the token.
#
# All our tokens begin with the same mark, so the characters after it are compared: more characters than any list shows,
# so that a reader of a list can neither guess the rest from many addresses nor use up the tries of another bot's token.
#
# A bot that has been let in from an address is let in again from there with the same token, regardless of its
# neighbours' attempts: such pairs are remembered. Of tokens and of their beginnings only digests are kept, under a key
# that ends with the process: they reveal nothing to a reader who did not have the token before.

WRONG, WRONG_A_SECOND = 20.0, 0.5  # of one address, and of tokens with the same beginning
BEGINNING = 8  # characters of a token behind its mark; `palio bot list` shows six
MARKS = (MARK, GUESTS_MARK)
REMEMBERED = 10_000  # pairs of an address and a token that was good there; half a megabyte
GENUINE = frozenset(
    {"wrong-scope", "name-not-yours", "no-guests", BANNED, RENAMED}
)  # refusals of a token that is valid


class Attempts:
    """The count of wrong tokens; ask it before and after each token that is checked."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.of_address = Budgets(WRONG_A_SECOND, WRONG, now)
        self._of_token = Budgets(WRONG_A_SECOND, WRONG, now)
        self._key = secrets.token_bytes(32)
        self._good: OrderedDict[str, None] = OrderedDict()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, address: str, token: str | None) -> AsyncIterator[None]:
        """Check `token` within this context, and raise a denial if it is wrong. Raises TooMuch before that.

        New tokens of one address are checked one after the other, so that the limit is exact.
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
                    self.of_address.take(address)
                    self._of_token.take(beginning)
                raise
            self._good[pair] = None
            if len(self._good) > REMEMBERED:
                self._good.popitem(last=False)

    def _digest(self, text: str) -> str:
        return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16, key=self._key).hexdigest()

    def _check(self, address: str, beginning: str) -> None:
        if wait := self.of_address.wait(address):
            raise TooMuch("too-many-tokens", "too many wrong tokens have come from your address", wait)
        if wait := self._of_token.wait(beginning):
            raise TooMuch("too-many-tokens", "too many wrong tokens that begin like yours have been tried", wait)


def _beginning(token: str) -> str:
    """Return the part that tells a token from others, which follows the mark."""
    for mark in MARKS:
        token = token.removeprefix(mark)
    return token[:BEGINNING]


def _is_wrong(denied: ValueError) -> bool:
    """Return True if the token is not valid. (The error is an AccessDenied, whose module imports this one.)"""
    return getattr(denied, "code", None) not in (None, *GENUINE)


# Browsers that have signed in to read, and the sockets by which they read.
#
# A browser cannot send a token with a WebSocket, a picture or a download. So it gets a session for its token: the
# token's number and a time, signed with a secret of this process. The session only allows reading, and for half a day
# at most; the token's validity is checked each time. After a restart, the page signs in again automatically.

SESSION_S = 12 * 3600.0  # a day in front of a screen


class Readers:
    """The maker of sessions, which verifies them, and closes the sockets of those whose token is withdrawn."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._secret = secrets.token_bytes(32)
        self._sockets: dict[int, list[Callable[[int, str], None]]] = {}  # by token, the functions that close them

    def session(self, token: int) -> str:
        """Return a session for the bearer of this token, by number."""
        said = f"{token}.{int(self._now() + SESSION_S)}"
        return f"{said}.{self._signature(said)}"

    def token_of(self, session: str) -> int | None:
        """Return the number of the token that a session was given for; None if it has expired or is not one of this
        server.
        """
        said, _, signature = session.rpartition(".")
        if not hmac.compare_digest(self._signature(said).encode(), signature.encode(errors="replace")):
            return None
        token, _, end = said.partition(".")
        return int(token) if int(end) > self._now() else None

    @contextmanager
    def reading(self, token: int | None, close: Callable[[int, str], None]) -> Iterator[None]:
        """Register a socket for reading while it is open; `close` takes a code and a reason."""
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
        """Return the tokens that are used for reading now."""
        return set(self._sockets)

    def close(self, token: int, code: int, reason: str) -> None:
        """Close all sockets of a token."""
        for close in [*self._sockets.get(token, ())]:
            close(code, reason)

    def _signature(self, said: str) -> str:
        return hmac.digest(self._secret, said.encode(errors="replace"), "sha256").hex()


AccessMode = Literal["open", "required"]

PLAY = "play"  # connect as a bot
WATCH = "watch"  # read, which every other scope includes
MATCHES = "matches"  # start and stop matches
ADMIN = "admin"  # everything


class AccessDenied(ValueError):
    """A request that is refused: `code` for programs, the message for people; `grant` of a token that is known."""

    def __init__(self, code: str, reason: str, grant: Grant | None = None) -> None:
        super().__init__(reason)
        self.code, self.grant = code, grant


class Access:
    """The decisions on access, by the tokens in `store`.

    In mode "open" no token is needed, but a wrong one is still refused, because its sender expects it to count. Without
    a store there are no tokens, so every one is wrong.
    """

    def __init__(
        self,
        store: Store | None,
        mode: AccessMode = "required",
        *,
        with_guests: bool = True,
        private: bool = False,
        bans: BanList | None = None,
    ) -> None:
        """`with_guests`: people without an account may play; `private`: reading needs a token."""
        self.bans = bans or BanList()
        self._store = store
        self.mode = mode
        self.attempts = Attempts()  # a caller that checks a token does so within `attempts.of`
        self.with_guests = with_guests
        self.private = private
        self.readers = Readers()
        self.guests = Guests(None if store is None else lambda: store.secret(SIGNED_WITH))

    async def bot(self, hello: Hello, address: str = "") -> Grant | None:
        """Let the bot in under its name; return its token's grant, None without a token. Raises AccessDenied.

        Bans are looked at last, so that a ban which is made meanwhile counts.
        """
        grant = await self._bot(hello)
        _refuse(self.bans.of(hello.name, address), grant)
        return grant

    async def _bot(self, hello: Hello) -> Grant | None:
        token = None if hello.token is UNSET else hello.token
        if is_reserved(hello.name):
            await self._reserved(hello.name, token)
            return None
        remedy = f"ask for one (`palio bot add {hello.name}`) and give it in hello.token (`palio join --token`)"
        grant = await self._grant(token, PLAY, remedy)
        if grant is not None and grant.bot not in (None, hello.name):
            reason = f"this token belongs to the bot {grant.bot!r}, not to {hello.name!r}"
            raise AccessDenied("name-not-yours", reason, grant)
        return grant

    async def _reserved(self, name: str, token: str | None) -> None:
        """Refuse names that only the server itself gives, each with its own token."""
        if token is None or not await self.guests.proves(name, token):
            kept = f"names that begin with {GUEST} or {HOUSE} are given by the server, with a token"
            raise AccessDenied("name-reserved", f"{kept}, and this is not the token of {name!r}; choose another name")
        if is_guest(name) and not self.with_guests:
            raise AccessDenied("no-guests", "guests do not play on this server; ask for a token of your own")

    async def allow(self, token: str | None, scope: str) -> Grant | None:
        """Return the grant behind `token` if it has `scope`; None without a token in open mode. Raises AccessDenied."""
        grant = await self._grant(token, scope, f"give one of scope {scope!r} as `Authorization: Bearer TOKEN`")
        if grant is not None and grant.bot is not None and ADMIN not in grant.scopes:
            _refuse(self.bans.of_bot(grant.bot), grant)
        return grant

    def check_may_act(self, address: str, grant: Grant | None) -> None:
        """Refuse what comes from a banned address, except from an operator. Raises AccessDenied."""
        if grant is None or ADMIN not in grant.scopes:
            _refuse(self.bans.of_address(address), grant)

    async def reader(self, token: str | None, session: str | None) -> int | None:
        """Return the number of the reader's token; None where no token is needed. Raises AccessDenied.

        A token of any scope may read. `session` is a browser's, which it has got for its token.
        """
        if not self.private:
            return None
        number = None if session is None else self.readers.token_of(session)
        if number is None:
            remedy = "sign in on its page, or give a token as `Authorization: Bearer TOKEN`"
            grant = await self._grant(token, WATCH, f"to look at it, {remedy}")
            return None if grant is None else grant.id
        assert self._store is not None
        gone, _ = await self._store.withdrawn([number])
        if number in gone:
            code, sentence = withdrawal(gone[number])
            raise AccessDenied(code, f"{sentence}; sign in with another one")
        return number

    async def sign_in(self, token: str | None) -> str:
        """Return a session for a browser, whose WebSockets cannot send a token. Raises AccessDenied."""
        grant = await self._grant(token, WATCH, "give it as `Authorization: Bearer TOKEN`")
        if grant is None:
            raise AccessDenied("token-missing", "there is nothing to sign in with; give a token")
        return self.readers.session(grant.id)

    async def _grant(self, token: str | None, scope: str, remedy: str) -> Grant | None:
        if token is None:
            if self.mode == "open":
                return None
            raise AccessDenied("token-missing", f"this server wants a token; {remedy}")
        try:
            grant = None if self._store is None else await self._store.grant(token)
        except Expired as error:
            raise AccessDenied("token-expired", str(error)) from None
        if grant is None:
            raise AccessDenied("bad-token", "this token is unknown or has been revoked")
        if scope not in (WATCH, *grant.scopes) and ADMIN not in grant.scopes:
            its_own = " and ".join(sorted(grant.scopes))
            raise AccessDenied("wrong-scope", f"this token has no scope {scope!r}, it is for {its_own}", grant)
        return grant


def _refuse(refusal: Refusal | None, grant: Grant | None) -> None:
    if refusal is not None:
        raise AccessDenied(*refusal, grant)


def withdrawal(why: Withdrawn) -> tuple[str, str]:
    """Return a code and a sentence for a token that is no longer valid."""
    whose = "the token" if why.bot is None else f"the token of {why.bot}"
    return ("token-expired", f"{whose} has expired") if why.expired else ("token-revoked", f"{whose} has been revoked")
