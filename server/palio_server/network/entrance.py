"""The edge of the server, for each connection from its first byte on: its place, its address, and whether it may flood.

A connection keeps its `Visit` while it turns from HTTP into a WebSocket, or into JSON lines. It is a stranger until
somebody says otherwise: the gateway, when a bot is let in; the viewers' endpoint, when it has a viewer's place.
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

from palio_server.edge.addresses import Proxies, key_of
from palio_server.edge.budgets import Budgets
from palio_server.edge.places import Place, Places, Room, Shares

# How long all peers together are read in one turn of the event loop, before others come in between.
#
# One flooding peer has few frames read in a turn; of a hundred such peers it would be a hundred times as many, while a
# match waits. Whoever comes when the time is up has one frame read, and goes on in the next turn.

LONGEST_S = 0.004  # from the first that is read in a turn; a clock may be wrong by a few of these


class Pace:
    """One for all sockets of an event loop."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._until = 0.0
        self._counting = False

    def is_up(self) -> bool:
        """Whether the time of this turn is up. The first who asks starts it."""
        if not self._counting:
            self._counting = True
            self._until = self._clock() + LONGEST_S
            asyncio.get_running_loop().call_soon(self._begin_again)
            return False
        return self._clock() >= self._until

    def _begin_again(self) -> None:
        self._counting = False


FLOODS, FLOODS_A_SECOND = 60.0, 1.0  # of one address, each of which costs us some milliseconds; then it is barred
FULL = 8192  # files: what is assumed where nobody has asked the system


class Visit:
    """One connection. Every method is harmless twice, and after the connection is gone."""

    __slots__ = ("_entrance", "_flooded", "_share", "_transport", "host", "place")

    def __init__(self, entrance: "Entrance", transport: asyncio.Transport, host: str, place: Place) -> None:
        self._entrance, self._transport, self.host, self.place = entrance, transport, host, place
        self._flooded = False
        self._share: str | None = None  # the address under which it has a viewer's share

    @property
    def pace(self) -> Pace:
        return self._entrance.pace

    @property
    def address(self) -> str:
        """Where it comes from, as limits count; "" for this machine."""
        return self.place.address

    def forwarded(self, forwarded_for: str, forwarded: str) -> str:
        """The true host, after what a proxy of ours says in these headers; this connection counts for it now."""
        host = self._entrance.proxies.true_host(self.host, forwarded_for, forwarded)
        if host != self.host and self.host:
            self._entrance.places.move(self.place, key_of(host))
        return host

    def answering(self, busy: bool) -> None:  # noqa: FBT001  # one word for both
        """It is being answered, or has been: meanwhile it is not silent."""
        if self.place.busy is not busy:
            self.place.busy = busy
            self._entrance.places_of(self).spoke(self.place)

    def known(self) -> None:
        """It is no stranger any more."""
        self._entrance.places_of(self).leave(self.place)

    def watches(self) -> bool:
        """Whether there is room for one more viewer; then it is no stranger any more."""
        if self._share is None:
            if not self._entrance.viewers.enter(self.address):
                return False
            self._share = self.address
            self.known()
        return True

    def drops_by(self, close: Callable[[], None]) -> None:
        """From now on `close` makes room of it, rather than the end of its transport."""
        self.place.drop = close

    def flooded(self) -> None:
        """It has been closed for it."""
        if not self._flooded:
            self._flooded = True
            self._entrance.floods.take(self.address)

    def barred_s(self) -> float:
        """For how many seconds sockets of its address are refused, because too many have flooded."""
        return self._entrance.floods.wait(self.address)

    def lost(self) -> None:
        """The connection is gone."""
        self.known()
        if self._share is not None:
            self._entrance.viewers.leave(self._share)
            self._share = None
        self._entrance.forget(self._transport)


class Entrance:
    """All connections of one server."""

    def __init__(
        self, room: Room | None = None, proxies: Proxies | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        room = room or Room.within(FULL)
        self.proxies = proxies or Proxies()
        self.places = Places(room.strangers, room.strangers_of_one)
        self._local_places = Places(room.strangers, room.strangers)  # programs of our user take nobody's place
        self.viewers = Shares(room.viewers, room.viewers_of_one)
        self.floods = Budgets(FLOODS_A_SECOND, FLOODS, now)
        self.pace = Pace()
        self._visits: dict[asyncio.BaseTransport, Visit] = {}

    @property
    def connections(self) -> int:
        """How many are open: bots, viewers, browsers, and strangers."""
        return len(self._visits)

    def visit(self, transport: asyncio.Transport) -> Visit:
        """The visit of this connection, which begins when it is asked for first."""
        found = self._visits.get(transport)
        if found is None:
            host, address = _whence(transport)
            shared = host is not None and host in self.proxies  # by all who come through that proxy
            place = Place("" if shared else address, transport.abort, _silent(transport))
            found = self._visits[transport] = Visit(self, transport, host or "", place)
            self.places_of(found).enter(place)
        return found

    def places_of(self, visit: Visit) -> Places:
        return self.places if visit.host else self._local_places

    def forget(self, transport: asyncio.BaseTransport) -> None:
        self._visits.pop(transport, None)


def entrance_of(config: Any) -> Entrance:
    """The entrance of a server by its configuration; one that has none gets one of its own."""
    found: Entrance | None = getattr(config, "entrance", None)
    if found is None:
        found = config.entrance = Entrance()
    return found


def _whence(transport: asyncio.Transport) -> tuple[str | None, str]:
    """The peer's host, and its address as limits count. A program on a Unix socket has no host, and its own limits."""
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
    """Tells whether nothing that the peer has sent waits in the kernel: in a rush it may be we who have not read."""

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
