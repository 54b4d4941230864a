"""The entrance of the server, for each connection from its first byte on: its place, its address, and its floods.

A connection keeps its `Visit` when it turns from HTTP into a WebSocket, or into JSON lines. It is unidentified until
the gateway lets a bot in, or the viewers' endpoint gives it a viewer's place.
"""

import asyncio
import os
import socket
import struct
import sys
import time
from collections.abc import Callable
from time import perf_counter
from typing import Any

from palio_server.edge.accounts import Account
from palio_server.edge.addresses import Proxies, key_of
from palio_server.edge.budgets import Budgets, TooMuch
from palio_server.edge.places import ConnectionPlace, ConnectionPlaces, ConnectionShares, SocketRoom

# The time for which all peers together are read in one turn of the event loop, before other tasks have a turn.
#
# One flooding peer has few frames read in a turn; a hundred such peers would take a hundred times as long, while a
# match waits. When the time is up, each further peer has one frame read, and continues in the next turn.

LONGEST_S = 0.004  # seconds from the first read in a turn; a clock may be wrong by a few of these


class ReadBudget:
    """The read budget of an event loop, one for all its sockets."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._until = 0.0
        self._counting = False

    def is_spent(self) -> bool:
        """Return True if the time of this turn is up. The first call in a turn starts it."""
        if not self._counting:
            self._counting = True
            self._until = self._clock() + LONGEST_S
            asyncio.get_running_loop().call_soon(self._begin_again)
            return False
        return self._clock() >= self._until

    def _begin_again(self) -> None:
        self._counting = False


FLOODS, FLOODS_A_SECOND = 60.0, 1.0  # of one address, each of which costs some milliseconds; then it is barred
FLOODED = "too many floods have come from your address"
FULL_S = 30.0  # seconds after which a viewer may try again if there was no room
FULL = 8192  # files: assumed if the system's limit was not read


class Visit:
    """One connection. Every method may be called twice, and after the connection is gone."""

    __slots__ = ("_entrance", "_flooded", "_share", "_transport", "account", "host", "place")

    def __init__(self, entrance: "Entrance", transport: asyncio.Transport, host: str, place: ConnectionPlace) -> None:
        self._entrance, self._transport, self.host, self.place = entrance, transport, host, place
        self.account: Account | None = None  # of the program whose own socket it comes by
        self._flooded = False
        self._share: str | None = None  # the address under which it has a viewer's share

    @property
    def read_budget(self) -> ReadBudget:
        return self._entrance.read_budget

    @property
    def address(self) -> str:
        """Its address, as limits count; "" for this machine."""
        return self.place.address

    def forwarded(self, forwarded_for: str, forwarded: str) -> str:
        """Return the true host by these headers of a trusted proxy; limits count this connection for it from now on."""
        host = self._entrance.proxies.true_host(self.host, forwarded_for, forwarded)
        if host != self.host and self.host:
            self._entrance.places.move(self.place, key_of(host))
        return host

    def answering(self, busy: bool) -> None:  # noqa: FBT001  # one word for both
        """Note that it is being answered, or has been: meanwhile it is not silent."""
        if self.place.busy is not busy:
            self.place.busy = busy
            self._entrance.places_of(self).note_activity(self.place)

    def known(self) -> None:
        """Mark it as identified."""
        self._entrance.places_of(self).leave(self.place)

    def viewers_limit(self) -> TooMuch | None:
        """Return why it would get no viewer's place; None if it would."""
        return self._entrance.viewers_limit(self.address)

    def take_viewer_share(self) -> bool:
        """Take a viewer's place; return True, and mark it as identified, if there was room."""
        if self._share is None:
            if not self._entrance.viewers.enter(self.address):
                return False
            self._share = self.address
            self.known()
        return True

    def on_drop(self, close: Callable[[], None]) -> None:
        """Use `close` to make room, instead of aborting the transport."""
        self.place.drop = close

    def flooded(self) -> None:
        """Note that it was closed because it flooded."""
        if not self._flooded:
            self._flooded = True
            self._entrance.floods.take(self.address)

    def barred_s(self) -> float:
        """Return for how many seconds sockets of its address are refused, because too many have flooded."""
        return self._entrance.floods.wait(self.address)

    def lost(self) -> None:
        """Remove a connection that is gone."""
        self.known()
        if self._share is not None:
            self._entrance.viewers.leave(self._share)
            self._share = None
        self._entrance.forget(self._transport)


class Entrance:
    """All connections of one server."""

    def __init__(
        self, room: SocketRoom | None = None, proxies: Proxies | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        room = room or SocketRoom.within(FULL)
        self.proxies = proxies or Proxies()
        self.places = ConnectionPlaces(room.strangers, room.strangers_of_one)
        # programs of the same user take no other client's place
        self._local_places = ConnectionPlaces(room.strangers, room.strangers)
        self.viewers = ConnectionShares(room.viewers, room.viewers_of_one)
        self.floods = Budgets(FLOODS_A_SECOND, FLOODS, now)
        self.read_budget = ReadBudget()
        self._visits: dict[asyncio.BaseTransport, Visit] = {}

    @property
    def connections(self) -> int:
        """The number of open ones: bots, viewers, browsers, and unidentified ones."""
        return len(self._visits)

    def flood_limit(self, address: str) -> TooMuch | None:
        """Return why no socket of `address` would be opened now; None if one would."""
        barred_s = self.floods.wait(address)
        return TooMuch("flooded", FLOODED, barred_s) if barred_s > 0 else None

    def viewers_limit(self, address: str) -> TooMuch | None:
        """Return why no viewer of `address` would be let in now; None if one would."""
        if (flooded := self.flood_limit(address)) is not None:
            return flooded
        if self.viewers.is_full():
            return TooMuch("too-many-viewers", "this server has as many viewers as it has room for", FULL_S)
        if self.viewers.is_full_for(address):
            reason = f"your address has {self.viewers.of_one} live views open, and no more are allowed; close some"
            return TooMuch("too-many-viewers", reason, FULL_S)
        return None

    def visit(self, transport: asyncio.Transport) -> Visit:
        """Return the visit of this connection, which begins at the first call."""
        found = self._visits.get(transport)
        if found is None:
            host, address = _origin(transport)
            shared = host is not None and host in self.proxies  # by all clients of that proxy
            place = ConnectionPlace("" if shared else address, transport.abort, _silent(transport))
            found = self._visits[transport] = Visit(self, transport, host or "", place)
            self.places_of(found).enter(place)
        return found

    def places_of(self, visit: Visit) -> ConnectionPlaces:
        return self.places if visit.host else self._local_places

    def forget(self, transport: asyncio.BaseTransport) -> None:
        self._visits.pop(transport, None)


def entrance_of(config: Any) -> Entrance:
    """Return the entrance in a server's configuration; without one, a new entrance."""
    found: Entrance | None = getattr(config, "entrance", None)
    if found is None:
        found = config.entrance = Entrance()
    return found


def _origin(transport: asyncio.Transport) -> tuple[str | None, str]:
    """Return the peer's host, and its address as limits count. A program on a Unix socket has no host, and its own
    limits.
    """
    peer: Any = transport.get_extra_info("peername")
    if isinstance(peer, tuple):
        return str(peer[0]), key_of(str(peer[0]))
    end: Any = transport.get_extra_info("socket")
    if end is None or sys.platform != "linux":
        return None, "unix"
    try:
        pid, _, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    except OSError:
        return None, "unix"
    return None, f"unix:{pid}"


def _silent(transport: asyncio.Transport) -> Callable[[], bool]:
    """Return a function that tells if the kernel has no unread data of the peer: in a rush the server may be late to
    read.
    """

    def silent() -> bool:
        end: Any = transport.get_extra_info("socket")
        if end is None or os.name != "posix":
            return True
        import fcntl  # noqa: PLC0415  # not on Windows
        import termios  # noqa: PLC0415  # as above

        try:
            return fcntl.ioctl(end.fileno(), termios.FIONREAD, b"\0" * 4) == b"\0" * 4
        except (OSError, ValueError):  # it is gone
            return True

    return silent
