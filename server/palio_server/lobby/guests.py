"""Guests, who are people without an account, and the server's own bots: their names, and tokens that prove them.

A token is a signature of the name, so that nothing is kept of it: it holds after a restart, and on every server that
has the same secret.
"""

import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable

from palio_rules.contract.reserved import GUEST

SIGNED_WITH = "guests"  # the name of the secret in the store
MARK = "guest_"  # how such a token begins
LONGEST_WISH = 27  # characters: with what stands around it, a name has 40
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_RANDOM = 6  # characters, for a billion guests: two of one name would have the same token
_WISH = re.compile(rf"[A-Za-z0-9._-]{{1,{LONGEST_WISH}}}")


class BadName(ValueError):
    """A name that a guest cannot have; the message says which can."""


class Guests:
    """Gives names, and knows them again by their tokens."""

    def __init__(self, secret: Callable[[], Awaitable[bytes]] | None = None) -> None:
        """`secret` is asked for once; None: one that is forgotten with this object."""
        self._ask = secret
        self._secret = secrets.token_bytes(32) if secret is None else b""

    def name(self, wish: str | None = None) -> str:
        """A new name: `guest-4fx09a`, or `guest-ada-4fx09a`. Raises BadName."""
        if wish is not None and not _WISH.fullmatch(wish):
            most = f"1 to {LONGEST_WISH} letters, digits and any of . _ -"
            raise BadName(f"{wish[:40]!r} is no name for a guest; use {most}")
        tail = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM))
        return f"{GUEST}{tail}" if wish is None else f"{GUEST}{wish}-{tail}"

    async def token(self, name: str) -> str:
        """What proves that its bearer is `name`."""
        if not self._secret:
            assert self._ask is not None
            self._secret = await self._ask()
        signature = hmac.digest(self._secret, name.encode(), "sha256")
        return MARK + urlsafe_b64encode(signature).decode().rstrip("=")

    async def proves(self, name: str, token: str) -> bool:
        """Whether `token` is the one of `name`."""
        return hmac.compare_digest((await self.token(name)).encode(), token.encode(errors="surrogatepass"))
