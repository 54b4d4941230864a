"""Tokens: secrets that let their bearer do something. Stored as SHA-256 only, and shown once.

A plain hash suffices, where a password would need a slow one: 32 random characters cannot be guessed. An operator who
chooses a token instead is asked for one of some length, and has to see to its being random.
"""

import hashlib
import re
import secrets
from collections.abc import Collection, Sequence
from hmac import compare_digest
from typing import Any, get_args

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from palio_db.bots import Bots, number_of_bot
from palio_db.errors import NameTaken, NotFound, StoreError
from palio_db.models import Bot, Token
from palio_db.packing import checked, now
from palio_db.store_part import shielded
from palio_db.values import Grant, Scope, TokenRow
from palio_rules.errors import nearest

MARK = "palio_"  # recognisable by people and by scanners for leaked secrets
SHOWN = len(MARK) + 6  # characters that lists show
SHOWN_OF_CHOSEN = 4  # of a token that may be as short as this:
SHORTEST, LONGEST = 16, 128  # characters of a token that an operator has chosen
SCOPES: tuple[str, ...] = get_args(Scope)


def check_chosen(token: str) -> None:
    """Refuse a token that an operator should not have chosen. Raises StoreError, which never quotes it."""
    if not SHORTEST <= len(token) <= LONGEST:
        raise StoreError(f"the token has {len(token)} characters; choose one of {SHORTEST} to {LONGEST}")
    if not re.fullmatch("[!-~]+", token):  # what an HTTP header can carry
        raise StoreError("the token has a space or an unusual character; use letters, digits and signs")


class Tokens(Bots):
    """Issuing, listing, revoking and recognising tokens."""

    @shielded
    async def issue_token(
        self, scopes: Collection[str], bot: str | None = None, note: str = "", *, token: str | None = None
    ) -> str:
        """A new token; this is the only time that it can be read. `bot` is who it plays as.

        `token` is one that an operator has chosen. Raises StoreError; NameTaken if it has been issued before.
        """
        for scope in scopes:
            if scope not in SCOPES:
                raise StoreError(f"there is no scope {scope!r}; {nearest(scope, SCOPES)}")
        if not scopes:
            raise StoreError(f"a token without a scope opens nothing; give it some of {', '.join(SCOPES)}")
        if "play" in scopes and bot is None:
            raise StoreError("a token that plays needs a bot to play as; name it")
        if token is not None:
            check_chosen(token)
        issued = token or MARK + secrets.token_urlsafe(24)  # 192 bits in 32 characters
        line = {
            "hash": _hash(issued),
            "prefix": issued[: SHOWN if token is None else SHOWN_OF_CHOSEN],
            "scopes": " ".join(sorted(set(scopes))),
            "note": checked("the note", note),
            "created_at": now(),
        }
        try:
            async with self._database.write() as connection:
                if bot is not None:
                    line["bot"] = await number_of_bot(connection, bot)
                    if await connection.scalar(select(Bot.revoked_at).where(Bot.id == line["bot"])):
                        raise StoreError(f"the bot {bot!r} is revoked; add it again first")
                await connection.execute(insert(Token).values(line))
        except IntegrityError:
            raise NameTaken("this token has been issued already; choose another one") from None
        return issued

    @shielded
    async def tokens(self) -> list[TokenRow]:
        """All tokens, oldest first, the revoked ones included."""
        return [_row(found) for found in await self._all(_ROWS.order_by(Token.id))]

    @shielded
    async def token(self, token: str) -> TokenRow | None:
        """What is known of `token`, also if it was revoked; None for one that was never issued."""
        found = await self._all(_ROWS.where(Token.hash == _hash(token)))
        return _row(found[0]) if found else None

    @shielded
    async def revoke_token(self, number: int) -> None:
        """From now on the token opens nothing. Raises NotFound."""
        async with self._database.write() as connection:
            if await connection.scalar(select(Token.id).where(Token.id == number)) is None:
                raise NotFound(f"there is no token {number}; palio bot list shows their numbers")
            revoked = update(Token).where(Token.id == number, Token.revoked_at.is_(None)).values(revoked_at=now())
            await connection.execute(revoked)

    @shielded
    async def grant(self, token: str) -> Grant | None:
        """What `token` allows; None for one that was revoked, or never issued."""
        hashed = _hash(token)
        wanted = (
            select(Token.id, Token.hash, Token.scopes, Bot.name)
            .outerjoin(Bot, Bot.id == Token.bot)
            .where(Token.hash == hashed, Token.revoked_at.is_(None), Bot.revoked_at.is_(None))
        )
        for found in await self._all(wanted):  # one at most
            # The index has compared hashes, of which a caller learns nothing by timing; this comparison is for form.
            if compare_digest(found.hash, hashed):
                return Grant(found.id, found.name, frozenset(found.scopes.split()))
        return None


_ROWS = select(
    Token.id, Token.prefix, Token.scopes, Bot.name, Token.note, Token.created_at, Token.revoked_at
).outerjoin(Bot, Bot.id == Token.bot)


def _row(found: Sequence[Any]) -> TokenRow:
    number, prefix, scopes, bot, note, created_at, revoked_at = found
    return TokenRow(number, prefix, frozenset(scopes.split()), bot, note, created_at, revoked_at)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
