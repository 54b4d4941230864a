"""Bans, and former names that no bot may use, as a server keeps them in memory: a hello costs no query for them.

They are read from the store at the start, and again whenever any process has changed them; then connected bots to which
one applies are disconnected, on every server.
"""

import ipaddress
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from palio_db.bans import Ban, Barred, network_of
from palio_db.store import Store
from palio_server.edge.addresses import Proxies
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.session import Expulsion

BANNED, RENAMED = "banned", "renamed"  # codes of refusals


class Refusal(NamedTuple):
    """A code for programs, and a sentence for people."""

    code: str
    reason: str


class BanList:
    """All bans, searched by name and by address in a time that does not depend on their number."""

    def __init__(self, proxies: Proxies | None = None, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """`proxies`: all clients of one share its address, so that it is never banned."""
        self._proxies, self._now = proxies or Proxies(), now
        self.update(Barred())

    def update(self, barred: Barred) -> None:
        """Replace all of them."""
        self._former = dict(barred.former)
        self._bots = {ban.value.lower(): ban for ban in barred.bans if ban.kind == "bot"}
        owners = {ban.value: ban for ban in barred.bans if ban.kind == "owner"}
        self._owned = {bot.lower(): owners[owner] for bot, owner in barred.owned}
        # By version and length of the prefix, of which there are few, then by the network's number.
        self._networks: dict[tuple[int, int], dict[int, Ban]] = {}
        for ban in barred.bans:
            if ban.kind == "address":
                network = network_of(ban.value)
                shift = network.max_prefixlen - network.prefixlen
                alike = self._networks.setdefault((network.version, shift), {})
                alike[int(network.network_address) >> shift] = ban

    def of(self, name: str, address: str) -> Refusal | None:
        """Return why a bot may not play under a name from an address; None if it may."""
        return self.of_bot(name) or self.of_address(address)

    def successor(self, name: str) -> str:
        """Return the present name of a bot that was renamed; "" if there is none."""
        return self._former.get(name.lower(), "")

    def of_bot(self, name: str) -> Refusal | None:
        """Return why no bot may play under a name; None if one may."""
        key = name.lower()
        if (successor := self._former.get(key)) is not None:
            if not successor:
                return Refusal(RENAMED, f"the name {name} is given to no bot; choose another one")
            return Refusal(RENAMED, f"the bot {name} is called {successor} now; come under that name")
        for ban in (self._bots.get(key), self._owned.get(key)):
            if ban is not None and self._holds(ban):
                return Refusal(BANNED, f"{name} is banned {_term(ban)}")
        return None

    def of_address(self, address: str) -> Refusal | None:
        """Return why an address, as limits count it, may not act; None if it may."""
        if not self._networks or address in self._proxies:
            return None
        try:
            found = ipaddress.ip_address(address)
        except ValueError:  # this machine, or a Unix socket's
            return None
        for (version, shift), alike in self._networks.items():
            ban = alike.get(int(found) >> shift) if version == found.version else None
            if ban is not None and self._holds(ban):
                return Refusal(BANNED, f"your address is banned {_term(ban)}")
        return None

    def _holds(self, ban: Ban) -> bool:
        return ban.until is None or self._now() < ban.until


def _term(ban: Ban) -> str:
    end = "for good" if ban.until is None else f"until {ban.until:%Y-%m-%d %H:%M} UTC"
    return f"{end}: {ban.reason}"


class BanWatch:
    """The bans of a server, read again when they have changed."""

    def __init__(self, store: Store, lobby: Lobby, bans: BanList) -> None:
        self._store, self._lobby, self._bans = store, lobby, bans

    async def look(self) -> None:
        """Read all bans, and disconnect the bots to which one applies. Raises StoreError."""
        self._bans.update(await self._store.barred())
        for session in self._lobby.sessions():
            if (refusal := self._bans.of(session.name, session.address)) is not None:
                self._lobby.expel(session, Expulsion("revoked", *refusal))
