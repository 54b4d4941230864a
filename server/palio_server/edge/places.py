"""Places for unidentified connections: limited in number, for one address and in all.

A new connection is never refused for lack of a place. When all places are taken, it gets the place of the one that has
been silent the longest, so that a bot always finds one: it says hello long before its place is taken.
"""

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

LOOKS = 16  # unidentified connections that are examined to make one place
SPARE = 2  # times the limit: so many may be open while none of those examined is silent


@dataclass(eq=False, slots=True)
class ConnectionPlace:
    """One connection, from its first byte on."""

    address: str
    drop: Callable[[], None]  # closes it to make room
    silent: Callable[[], bool] = lambda: True  # returns True if no data of it waits to be read
    busy: bool = False  # it is being answered
    stranger: bool = field(default=True, init=False)


class ConnectionPlaces:
    """The connections that have not identified themselves."""

    def __init__(self, most: int, of_one: int) -> None:
        """`most` in all; `of_one` of each address, except that this machine ("") may have as many as all."""
        self.most, self.of_one = most, of_one
        self.dropped = 0
        self._all: dict[ConnectionPlace, None] = {}  # in the order in which they came, or spoke
        self._by_address: dict[str, dict[ConnectionPlace, None]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def enter(self, place: ConnectionPlace) -> None:
        """Add a new connection; another one may be dropped for it."""
        self._add(place)
        self._make_room(place)

    def move(self, place: ConnectionPlace, address: str) -> None:
        """Set the address of a connection, as a proxy gave it."""
        if place.stranger and address != place.address:
            self._remove(place)
            place.address = address
            self.enter(place)
        place.address = address

    def note_activity(self, place: ConnectionPlace) -> None:
        """Note a complete message: of all connections here it is now the last to be dropped."""
        if place.stranger and place in self._all:
            self._remove(place)
            self._add(place)

    def leave(self, place: ConnectionPlace) -> None:
        """Remove a connection that is gone, or identified. Does nothing if it is removed."""
        if place.stranger:
            place.stranger = False
            place.drop = _nothing  # breaks a reference cycle: the connection refers to its place
            self._remove(place)

    def _add(self, place: ConnectionPlace) -> None:
        self._all[place] = None
        self._by_address.setdefault(place.address, {})[place] = None

    def _remove(self, place: ConnectionPlace) -> None:
        self._all.pop(place, None)
        same = self._by_address.get(place.address, {})
        same.pop(place, None)
        if not same:
            self._by_address.pop(place.address, None)

    def _make_room(self, newcomer: ConnectionPlace) -> None:
        same = self._by_address[newcomer.address]
        if newcomer.address and len(same) > self.of_one:
            self._drop_one(same, newcomer, self.of_one)
        if len(self._all) > self.most:
            self._drop_one(self._all, newcomer, self.most)

    def _drop_one(self, some: dict[ConnectionPlace, None], newcomer: ConnectionPlace, limit: int) -> None:
        """Drop the one that has been silent the longest."""
        looked_at = [place for place, _ in zip(some, range(LOOKS), strict=False) if place is not newcomer]
        for place in looked_at:
            if not place.busy and place.silent():
                break
            self.note_activity(place)
        else:
            if len(some) <= SPARE * limit or not looked_at:
                return
            place = looked_at[0]
        drop = place.drop
        self.leave(place)
        self.dropped += 1
        drop()


class ConnectionShares:
    """A limit on connections of one kind, such as viewers: for one address and in all. Without room, a new one is
    refused.
    """

    def __init__(self, most: int, of_one: int) -> None:
        self.most, self.of_one = most, of_one
        self._count: dict[str, int] = {}
        self._all = 0

    def enter(self, address: str) -> bool:
        """Take a share for `address`; return True if there was room."""
        if self.is_full() or self.is_full_for(address):
            return False
        self._all += 1
        self._count[address] = self._count.get(address, 0) + 1
        return True

    def is_full(self) -> bool:
        """Return True if there is no room, for no address."""
        return self._all >= self.most

    def is_full_for(self, address: str) -> bool:
        """Return True if `address` has as many shares as one address may have; "", this machine, has no such limit."""
        return bool(address) and self._count.get(address, 0) >= self.of_one

    def leave(self, address: str) -> None:
        """Give back the share of one that had entered."""
        self._all -= 1
        self._count[address] -= 1
        if not self._count[address]:
            del self._count[address]


def _nothing() -> None:
    """Drop nothing: the connection has no place."""


# The limit on open files and sockets of this process, and the shares of those that connect.

USUAL = 1024  # if the system does not say
STRANGERS, STRANGERS_OF_ONE = 2000, 256  # if there is room: unidentified connections
VIEWERS, VIEWERS_OF_ONE = 10_000, 1000
FEWEST = 32


def raise_limit() -> int:
    """Raise this process's limit on open files as far as it may; return the limit."""
    if sys.platform == "win32":
        return USUAL
    import resource  # noqa: PLC0415  # not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = hard if hard != resource.RLIM_INFINITY else 1_048_576
    if soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # macOS has a limit of its own below "unlimited"
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return soft


@dataclass(frozen=True, slots=True)
class SocketRoom:
    """Sockets for clients that need no token; the other files are for bots, the database and the rest."""

    strangers: int
    strangers_of_one: int
    viewers: int
    viewers_of_one: int

    @classmethod
    def within(cls, files: int) -> Self:
        """Return the shares: unidentified connections get a quarter of the files at most, viewers three eighths.

        >>> Room.within(1024)
        Room(strangers=256, strangers_of_one=128, viewers=384, viewers_of_one=192)
        """
        strangers = max(FEWEST, min(STRANGERS, files // 4))
        viewers = max(FEWEST, min(VIEWERS, files * 3 // 8))
        return cls(strangers, min(STRANGERS_OF_ONE, strangers // 2), viewers, min(VIEWERS_OF_ONE, viewers // 2))
