"""Secrets of the server's own: random values that it signs with, made when they are first needed."""

import secrets

from sqlalchemy import select

from palio_db.columns import upsert
from palio_db.models import SecretRow
from palio_db.packing import checked
from palio_db.store_part import StorePart, shielded

BYTES = 32  # as many as SHA-256 has


class Secrets(StorePart):
    """Keeping secrets. All servers on one database have the same ones, and know them after a restart."""

    @shielded
    async def secret(self, name: str) -> bytes:
        """The secret of that name, made now if nobody has asked for it: once, even if two servers ask together."""
        checked("the secret's name", name, empty=False)
        wanted = select(SecretRow.value).where(SecretRow.name == name)
        for found in await self._all(wanted):
            return bytes(found.value)
        making = upsert(self._database.address.kind, SecretRow).values(name=name, value=secrets.token_bytes(BYTES))
        async with self._database.write() as connection:
            await connection.execute(making.on_conflict_do_nothing())
        return bytes((await self._all(wanted))[0].value)
