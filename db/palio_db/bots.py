"""Registered bots: names that belong to somebody."""

from datetime import datetime

from sqlalchemy import ColumnElement, and_, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.audit import noted
from palio_db.audit_values import PALIO, Act, Actor
from palio_db.changes import TOKENS, changed
from palio_db.errors import NameTaken, NotFound, StoreError
from palio_db.models import Bot, Token
from palio_db.packing import checked, now
from palio_db.store_part import StorePart, shielded
from palio_db.values import BotRow
from palio_rules.contract.reserved import GUEST, HOUSE, is_reserved
from palio_rules.errors import nearest


class Bots(StorePart):
    """Registering bots. Names that differ only in case are the same name."""

    @shielded
    async def add_bot(self, name: str, owner: str = "", *, by: Actor = PALIO) -> None:
        """Register a bot. One that was revoked is let in again, without its old tokens. Raises StoreError."""
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
                    await connection.execute(insert(Bot).values(line))
                await noted(connection, by, Act("bot added", name, f"owner {owner}" if owner else ""))
        except IntegrityError:
            raise NameTaken(f"there is a bot called {name!r} already; choose another name") from None

    @shielded
    async def bots(self) -> list[BotRow]:
        """All registered bots by name, the revoked ones included."""
        working = and_(Token.bot == Bot.id, works(now()))
        wanted = (
            select(Bot.name, Bot.owner, Bot.created_at, Bot.revoked_at, func.count(Token.id))
            .outerjoin(Token, working)
            .group_by(Bot.id)
            .order_by(Bot.key)
        )
        return [BotRow(*row) for row in await self._all(wanted)]

    @shielded
    async def revoke_bot(self, name: str, *, by: Actor = PALIO) -> None:
        """Shut a bot out: none of its tokens works any more. Its results stay. Raises NotFound."""
        moment = now()
        async with self._database.write() as connection:
            number = await number_of_bot(connection, name)
            await connection.execute(update(Bot).where(Bot.id == number).values(revoked_at=moment))
            tokens = update(Token).where(Token.bot == number, Token.revoked_at.is_(None))
            await connection.execute(tokens.values(revoked_at=moment))
            await changed(connection, TOKENS)
            await noted(connection, by, Act("bot revoked", name))


def works(moment: datetime) -> ColumnElement[bool]:
    """Whether a token opens anything at this moment."""
    return and_(Token.revoked_at.is_(None), or_(Token.expires_at.is_(None), Token.expires_at > moment))


async def number_of_bot(connection: AsyncConnection, name: str) -> int:
    """The bot's primary key, whatever the case of `name`. Raises NotFound with the nearest name."""
    number = await connection.scalar(select(Bot.id).where(Bot.key == name.lower()))
    if number is None:
        names = await connection.scalars(select(Bot.name))
        raise NotFound(f"there is no bot called {name!r}; {nearest(name, names)}")
    return number
