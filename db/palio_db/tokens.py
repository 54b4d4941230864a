"""Tokens: secrets that grant permissions. Stored as SHA-256 only, and shown once.

A plain hash suffices, where a password would need a slow one: 32 random characters cannot be guessed. A token that an
operator chooses must have a minimum length, and the operator is responsible for its randomness.
"""

import hashlib
import re
import secrets
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Any, get_args

from msgspec import UNSET, UnsetType
from sqlalchemy import ColumnElement, and_, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.audit import log_acts
from palio_db.columns import checked, now, upsert
from palio_db.connections import ANY, Connection, Sql
from palio_db.errors import Expired, NameTaken, NotFound, StoreError
from palio_db.models import Bot, FormerName, SecretRow, Token
from palio_db.notices import BANS, TOKENS, count_change
from palio_db.store_part import StorePart, shielded
from palio_db.values import PALIO, Act, Actor, BotRow, Grant, Scope, TokenRow, Withdrawn
from palio_rules.contract.names import GUEST, HOUSE, is_reserved
from palio_rules.errors import nearest

# Registered bots: names that have an owner.

REVOKED = Sql.of("SELECT name, revoked_at FROM bots WHERE name {any} AND revoked_at IS NOT NULL", any=ANY)


class Bots(StorePart):
    """Registration of bots. Names that differ only in case are the same name."""

    @shielded
    async def add_bot(self, name: str, owner: str = "", *, by: Actor = PALIO) -> None:
        """Register a bot. A revoked bot is reinstated, without its old tokens. Raises StoreError."""
        if is_reserved(name):
            kept = f"names that begin with {GUEST} or {HOUSE} are given by the server"
            raise StoreError(f"{name[:40]!r} is no name for a bot: {kept}; choose another one")
        line = {
            "name": checked("the bot's name", name, empty=False),
            "key": name.lower(),
            "owner": checked("the owner", owner),
            "created_at": now(),
        }
        try:
            async with self._database.write() as connection:
                again = update(Bot).where(Bot.name == name, Bot.revoked_at.is_not(None))
                if (await connection.execute(again.values(revoked_at=None, owner=owner))).rowcount == 0:
                    await self._check_not_former(connection, name)
                    await connection.execute(insert(Bot).values(line))
                if owner:  # who may be banned
                    await count_change(connection, BANS)
                await log_acts(connection, by, Act("bot added", name, f"owner {owner}" if owner else ""))
        except IntegrityError:
            raise NameTaken(f"there is a bot called {name!r} already; choose another name") from None

    async def _check_not_former(self, connection: AsyncConnection, name: str) -> None:
        if self._database.has_bans:
            former = select(FormerName.successor).where(FormerName.key == name.lower())
            if (successor := await connection.scalar(former)) is not None:
                now_called = f"was a bot that is called {successor!r} now" if successor else "is given to no bot"
                raise NameTaken(f"{name!r} {now_called}; choose another name")

    @shielded
    async def bots(self) -> list[BotRow]:
        """Return all registered bots by name, the revoked ones included."""
        working = and_(Token.bot == Bot.id, is_valid(now()))
        wanted = (
            select(Bot.name, Bot.owner, Bot.created_at, Bot.revoked_at, func.count(Token.id))
            .outerjoin(Token, working)
            .group_by(Bot.id)
            .order_by(Bot.key)
        )
        return [BotRow(*row) for row in await self._all(wanted)]

    @shielded
    async def revoke_bot(self, name: str, *, by: Actor = PALIO) -> None:
        """Revoke a bot: none of its tokens works any more. Its results stay. Raises NotFound."""
        moment = now()
        async with self._database.write() as connection:
            number = await number_of_bot(connection, name)
            await connection.execute(update(Bot).where(Bot.id == number).values(revoked_at=moment))
            tokens = update(Token).where(Token.bot == number, Token.revoked_at.is_(None))
            await connection.execute(tokens.values(revoked_at=moment))
            await count_change(connection, TOKENS)
            await log_acts(connection, by, Act("bot revoked", name))

    async def revoked_bots(self, names: Collection[str]) -> dict[str, datetime]:
        """Return when each of `names` was revoked; bots that are not revoked, or not registered, are left out."""

        def asked(connection: Connection) -> dict[str, datetime]:
            found = connection.rows(REVOKED, (connection.list_(names),))
            return {name: connection.to_moment(moment) for name, moment in found}

        return await self._database.query(asked)


def is_valid(moment: datetime) -> ColumnElement[bool]:
    """Return the condition that a token is valid at this moment."""
    return and_(Token.revoked_at.is_(None), or_(Token.expires_at.is_(None), Token.expires_at > moment))


async def number_of_bot(connection: AsyncConnection, name: str) -> int:
    """Return the bot's primary key, ignoring the case of `name`. Raises NotFound with the nearest name."""
    number = await connection.scalar(select(Bot.id).where(Bot.key == name.lower()))
    if number is None:
        names = await connection.scalars(select(Bot.name))
        raise NotFound(f"there is no bot called {name!r}; {nearest(name, names)}")
    return number


MARK = "palio_"  # recognisable by people and by scanners for leaked secrets
SHOWN = len(MARK) + 6  # characters that lists show
SHOWN_OF_CHOSEN = 4  # of a chosen token, which may be this short:
SHORTEST, LONGEST = 16, 128  # characters of a token that an operator has chosen
SCOPES: tuple[str, ...] = get_args(Scope)
PARAMETERS = 500  # in one statement
LIVE = 2  # valid tokens of a bot after a rotation: the new one, and the old one until all programs use the new one


def check_chosen(token: str) -> None:
    """Refuse an unsafe token that an operator has chosen. Raises StoreError, which never quotes it."""
    if not SHORTEST <= len(token) <= LONGEST:
        raise StoreError(f"the token has {len(token)} characters; choose one of {SHORTEST} to {LONGEST}")
    if not re.fullmatch("[!-~]+", token):  # what an HTTP header can carry
        raise StoreError("the token has a space or an unusual character; use letters a to z, digits and signs")


class Tokens(Bots):
    """Issuing, listing, revoking and checking of tokens."""

    @shielded
    async def issue_token(
        self,
        scopes: Collection[str],
        bot: str | None = None,
        note: str = "",
        *,
        token: str | None = None,
        expires_at: datetime | None = None,
        by: Actor = PALIO,
    ) -> str:
        """Issue a new token; this is the only time that it can be read. `bot` is the bot that it authenticates.

        `token` is one that an operator has chosen. It is invalid from `expires_at` on. Raises StoreError; NameTaken if
        it has been issued before.
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
        if expires_at is not None and expires_at <= now():
            raise StoreError(f"the token would have expired already, at {_moment(expires_at)}; give a later moment")
        issued = token or _new()
        line = {
            "hash": _hash(issued),
            "prefix": issued[: SHOWN if token is None else SHOWN_OF_CHOSEN],
            "scopes": " ".join(sorted(set(scopes))),
            "note": checked("the note", note),
            "created_at": now(),
            "expires_at": expires_at,
        }
        try:
            async with self._database.write() as connection:
                if bot is not None:
                    line["bot"] = await _working_bot(connection, bot)
                number = await _insert(connection, line)
                until = "" if expires_at is None else f", until {_moment(expires_at)}"
                act = Act("token issued", _named(number, bot), f"for {line['scopes']}{until}")
                await log_acts(connection, by, act)
        except IntegrityError:
            raise NameTaken("this token has been issued already; choose another one") from None
        return issued

    @shielded
    async def rotate_token(
        self, bot: str, overlap: timedelta, *, expires_at: datetime | UnsetType | None = UNSET, by: Actor = PALIO
    ) -> tuple[str, TokenRow]:
        """Replace the only token of `bot`; return the new token, and the old one, which stays valid for `overlap`.

        The new token has the same permissions, and the same lifetime as the old one had, unless `expires_at` is given.
        Raises StoreError if two tokens are valid already.
        """
        moment = now()
        issued = _new()
        async with self._database.write() as connection:
            owner = await _working_bot(connection, bot)
            # Locked: of two concurrent rotations, the second sees the result of the first.
            await connection.execute(select(Bot.id).where(Bot.id == owner).with_for_update())
            found = (
                await connection.execute(_ROWS.where(Token.bot == owner, is_valid(moment)).order_by(Token.id))
            ).all()
            old = _only(bot, [_row(each) for each in found])
            if expires_at is UNSET:
                expires_at = old.expires_at and moment + (old.expires_at - old.created_at)
            if expires_at is not None and expires_at <= moment:
                raise StoreError(f"the token would have expired already, at {_moment(expires_at)}; give a later moment")
            line = {
                "hash": _hash(issued),
                "prefix": issued[:SHOWN],
                "scopes": " ".join(sorted(old.scopes)),
                "note": old.note,
                "created_at": moment,
                "expires_at": expires_at,
                "bot": owner,
            }
            number = await _insert(connection, line)
            end = min(moment + overlap, old.expires_at or moment + overlap)
            await connection.execute(update(Token).where(Token.id == old.id).values(expires_at=end))
            await count_change(connection, TOKENS)
            detail = f"in place of token {old.id}, which works until {_moment(end)}"
            await log_acts(connection, by, Act("token rotated", _named(number, bot), detail))
        return issued, replace(old, expires_at=end)

    @shielded
    async def tokens(self) -> list[TokenRow]:
        """Return all tokens, oldest first, the revoked ones included."""
        return [_row(found) for found in await self._all(_ROWS.order_by(Token.id))]

    @shielded
    async def token(self, token: str) -> TokenRow | None:
        """Return what is known of `token`, also if it was revoked; None for one that was never issued."""
        found = await self._all(_ROWS.where(Token.hash == _hash(token)))
        return _row(found[0]) if found else None

    @shielded
    async def revoke_token(self, number: int, *, by: Actor = PALIO) -> None:
        """Revoke a token. Raises NotFound."""
        async with self._database.write() as connection:
            found = (await connection.execute(_ROWS.where(Token.id == number))).one_or_none()
            if found is None:
                raise NotFound(f"there is no token {number}; palio bot list shows their numbers")
            revoked = update(Token).where(Token.id == number, Token.revoked_at.is_(None)).values(revoked_at=now())
            await connection.execute(revoked)
            await count_change(connection, TOKENS)
            await log_acts(connection, by, Act("token revoked", _named(number, found.name)))

    @shielded
    async def grant(self, token: str) -> Grant | None:
        """Return what `token` permits; None for one that was revoked, or never issued. Raises Expired."""
        hashed = _hash(token)
        wanted = (
            select(Token.id, Token.hash, Token.scopes, Token.prefix, Token.expires_at, Bot.name)
            .outerjoin(Bot, Bot.id == Token.bot)
            .where(Token.hash == hashed, Token.revoked_at.is_(None), Bot.revoked_at.is_(None))
        )
        for found in await self._all(wanted):  # one at most
            # The index compares hashes, whose timing tells a caller nothing; this comparison is an additional
            # precaution.
            if not compare_digest(found.hash, hashed):
                continue
            if found.expires_at is not None and found.expires_at <= now():
                remedy = "ask for a new one" if found.name is None else f"`palio bot add {found.name}` makes a new one"
                raise Expired(f"this token expired at {_moment(found.expires_at)}; {remedy}")
            return Grant(found.id, found.name, frozenset(found.scopes.split()), found.prefix)
        return None

    @shielded
    async def withdrawn(self, tokens: Collection[int]) -> tuple[dict[int, Withdrawn], datetime | None]:
        """Return those of `tokens`, by number, that are no longer valid; and when the next of the others expires."""
        wanted = select(Token.id, Token.revoked_at, Token.expires_at, Bot.name, Bot.revoked_at.label("banned_at"))
        wanted = wanted.outerjoin(Bot, Bot.id == Token.bot)
        ids, moment = sorted(tokens), now()
        gone = {number: Withdrawn(None, expired=False) for number in ids}  # those that are not found were deleted
        ends: list[datetime] = []
        for start in range(0, len(ids), PARAMETERS):
            for found in await self._all(wanted.where(Token.id.in_(ids[start : start + PARAMETERS]))):
                gone[found.id] = Withdrawn(found.name, expired=False)
                if found.revoked_at is not None or found.banned_at is not None:
                    continue
                if found.expires_at is not None and found.expires_at <= moment:
                    gone[found.id] = Withdrawn(found.name, expired=True)
                    continue
                del gone[found.id]
                if found.expires_at is not None:
                    ends.append(found.expires_at)
        return gone, min(ends, default=None)


_ROWS = select(
    Token.id, Token.prefix, Token.scopes, Bot.name, Token.note, Token.created_at, Token.revoked_at, Token.expires_at
).outerjoin(Bot, Bot.id == Token.bot)


def _row(found: Sequence[Any]) -> TokenRow:
    number, prefix, scopes, bot, note, created_at, revoked_at, expires_at = found
    return TokenRow(number, prefix, frozenset(scopes.split()), bot, note, created_at, revoked_at, expires_at)


def _only(bot: str, found: Sequence[TokenRow]) -> TokenRow:
    """Return the token to replace. Raises StoreError if there is none, or more than one."""
    if not found:
        raise StoreError(f"{bot} has no token that works; make one with `palio bot add {bot}`")
    if len(found) >= LIVE:
        ends = [f"token {row.id}{f', until {_moment(row.expires_at)}' if row.expires_at else ''}" for row in found]
        remedy = f"take the oldest one back first: palio bot revoke --token {found[0].id}"
        if soonest := min((row.expires_at for row in found if row.expires_at is not None), default=None):
            remedy += f", or wait until {_moment(soonest)}"
        raise StoreError(f"{bot} has {len(found)} tokens that work ({'; '.join(ends)}); {remedy}")
    return found[0]


async def _working_bot(connection: AsyncConnection, bot: str) -> int:
    """Return the number of a bot that is not revoked. Raises NotFound, StoreError."""
    number = await number_of_bot(connection, bot)
    if await connection.scalar(select(Bot.revoked_at).where(Bot.id == number)):
        raise StoreError(f"the bot {bot!r} is revoked; add it again first")
    return number


async def _insert(connection: AsyncConnection, line: dict[str, Any]) -> int:
    number: int = (await connection.execute(insert(Token).values(line).returning(Token.id))).scalar_one()
    return number


def _named(number: int, bot: str | None) -> str:
    return f"token {number}" if bot is None else f"token {number} of {bot}"


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _new() -> str:
    return MARK + secrets.token_urlsafe(24)  # 192 bits in 32 characters


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


# Secrets of the server: random values with which it signs, made on first use.

BYTES = 32  # as many as SHA-256 has


class Secrets(StorePart):
    """Storage of secrets. All servers on one database share them, also after a restart."""

    @shielded
    async def secret(self, name: str) -> bytes:
        """Return the secret of that name, created on first use: once, even if two servers ask together."""
        checked("the secret's name", name, empty=False)
        wanted = select(SecretRow.value).where(SecretRow.name == name)
        for found in await self._all(wanted):
            return bytes(found.value)
        making = upsert(self._database.address.kind, SecretRow).values(name=name, value=secrets.token_bytes(BYTES))
        async with self._database.write() as connection:
            await connection.execute(making.on_conflict_do_nothing())
        return bytes((await self._all(wanted))[0].value)
