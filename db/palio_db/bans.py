"""Bans of addresses, of owners with all their bots, and of bots; and former names, which no bot may use.

Running servers keep `barred` in memory, and read it again when the counter of these changes goes up.
"""

import ipaddress
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from sqlalchemy import delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.audit import log_acts
from palio_db.columns import checked, now, upsert
from palio_db.errors import NotFound, StoreError
from palio_db.models import BanRow, Bot, FormerName
from palio_db.notices import BANS, count_change
from palio_db.store_part import StorePart, shielded
from palio_db.values import PALIO, Act, Actor
from palio_rules.errors import nearest

HOUSEHOLD = 64  # bits of an IPv6 address that one household or machine has

BanKind = Literal["address", "owner", "bot"]
KINDS: tuple[str, ...] = get_args(BanKind)
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class Ban:
    """One ban. `value` is a network in its shortest form, an owner, or a bot."""

    id: int
    kind: BanKind
    value: str
    reason: str
    who: str
    created_at: datetime
    until: datetime | None  # None: for good


@dataclass(frozen=True, slots=True)
class Barred:
    """All that a server must know to refuse hellos and requests."""

    bans: tuple[Ban, ...] = ()
    owned: tuple[tuple[str, str], ...] = ()  # banned owners' bots, each with its owner's key
    former: tuple[tuple[str, str], ...] = ()  # former names in lower case, each with the bot's name now


def network_of(text: str) -> Network:
    """Read an address or a network; an IPv6 address stands for its household's network. Raises StoreError.

    >>> str(network_of("2001:db8:1:2:3::4"))
    '2001:db8:1:2::/64'
    """
    try:
        found = ipaddress.ip_network(text.strip(), strict=False)
    except ValueError as error:
        remedy = "write 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48"
        raise StoreError(f"{text[:60]!r} is no address and no network ({error}); {remedy}") from None
    return found.supernet(new_prefix=HOUSEHOLD) if found.version == 6 and found.prefixlen > HOUSEHOLD else found


def within(network: str, addresses: Iterable[str]) -> list[str]:
    """Return those of `addresses`, as limits count them, that are in a network. Raises StoreError."""
    wanted, found = network_of(network), []
    for address in addresses:
        try:
            if ipaddress.ip_address(address) in wanted:
                found.append(address)
        except ValueError:  # a Unix socket's
            continue
    return found


class Bans(StorePart):
    """Making, lifting and reading of bans."""

    @shielded
    async def ban(self, kind: str, value: str, reason: str, *, until: datetime | None = None, by: Actor = PALIO) -> Ban:
        """Ban an address or network, an owner with all bots, or a bot; a second ban replaces the first.

        Raises StoreError for what cannot be banned, NotFound for an owner without bots.
        """
        self._database.check_has_bans()
        if kind not in KINDS:
            raise StoreError(f"there is no ban of kind {kind!r}; {nearest(kind, KINDS)}")
        if not checked("the reason", reason.strip()):
            raise StoreError("a ban has a reason, which the banned are told; give one")
        if until is not None and until <= now():
            raise StoreError(f"the ban would be over already, at {until:%Y-%m-%d %H:%M} UTC; give a later moment")
        key = _address(value) if kind == "address" else checked(f"the {kind}", value.strip(), empty=False)
        line = {
            "kind": kind,
            "value": key,
            "reason": reason.strip(),
            "who": by.who,
            "created_at": now(),
            "until": until,
        }
        adding = upsert(self._database.address.kind, BanRow).values(line)
        newer = {name: adding.excluded[name] for name in ("reason", "who", "created_at", "until")}
        adding = adding.on_conflict_do_update(index_elements=[BanRow.kind, BanRow.value], set_=newer)
        async with self._database.write() as connection:
            if kind == "owner":
                await _check_owner(connection, key)
            row = (await connection.execute(adding.returning(*BanRow.__table__.columns))).one()
            end = "" if until is None else f", until {until:%Y-%m-%d %H:%M} UTC"
            await count_change(connection, BANS)
            await log_acts(connection, by, Act("banned", f"{kind} {key}", f"{line['reason']}{end}"))
        return Ban(**row._asdict())

    @shielded
    async def lift_ban(self, number: int, *, by: Actor = PALIO) -> Ban:
        """Lift a ban and return it. Raises NotFound."""
        self._database.check_has_bans()
        async with self._database.write() as connection:
            found = (await connection.execute(select(BanRow.__table__).where(BanRow.id == number))).one_or_none()
            if found is None:
                raise NotFound(f"there is no ban {number}; palio ban list shows their numbers")
            await connection.execute(delete(BanRow).where(BanRow.id == number))
            await count_change(connection, BANS)
            await log_acts(connection, by, Act("ban lifted", f"{found.kind} {found.value}"))
        return Ban(**found._asdict())

    @shielded
    async def bans(self) -> list[Ban]:
        """Return the bans that are not over, oldest first."""
        if not self._database.has_bans:
            return []
        wanted = select(BanRow.__table__).where(or_(BanRow.until.is_(None), BanRow.until > now())).order_by(BanRow.id)
        return [Ban(**row._asdict()) for row in await self._all(wanted)]

    @shielded
    async def barred(self) -> Barred:
        """Return all bans, the bots of banned owners, and former names."""
        if not self._database.has_bans:
            return Barred()
        bans = await self.bans()
        owners = [ban.value for ban in bans if ban.kind == "owner"]
        owned = await self._all(select(Bot.name, Bot.owner).where(Bot.owner.in_(owners))) if owners else ()
        former = await self._all(select(FormerName.key, FormerName.successor))
        names = tuple((key, successor) for key, successor in former)
        return Barred(tuple(bans), tuple((bot, owner) for bot, owner in owned), names)

    @shielded
    async def drop_old_bans(self) -> None:
        """Delete bans that are over."""
        if self._database.has_bans:
            async with self._database.write() as connection:
                await connection.execute(delete(BanRow).where(BanRow.until <= now()))


def _address(text: str) -> str:
    network = network_of(text)
    if ipaddress.ip_network(text.strip(), strict=False).is_loopback or not network.prefixlen:
        what = "every address" if not network.prefixlen else "this machine"
        raise StoreError(f"{text[:60]!r} is {what}, which cannot be banned; name the address of a bot or a visitor")
    single = network.prefixlen == network.max_prefixlen
    return str(network.network_address) if single else str(network)


async def _check_owner(connection: AsyncConnection, owner: str) -> None:
    if await connection.scalar(select(func.count()).select_from(Bot).where(Bot.owner == owner)):
        return
    owners: Collection[str] = (await connection.scalars(select(Bot.owner).where(Bot.owner != "").distinct())).all()
    raise NotFound(f"no bot has the owner {owner!r}; {nearest(owner, owners) or 'palio bot list shows owners'}")
