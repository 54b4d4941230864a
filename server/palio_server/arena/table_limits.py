"""How many tables there may be: in all, with the server's own bots, of one address, and how fast they may be opened.

An address is what the connection comes from. Nothing that a request says of itself counts, as X-Forwarded-For does: who
wants many tables would say something else each time.
"""

from collections import OrderedDict, deque
from typing import NamedTuple

from palio_server.arena.table import TooMany

MOST = 64  # tables in use, with whatever opponents
HOUSE_A_TABLE = 3  # of the server's own bots at one table
BURST, PER_SECOND = 10, 2.0  # tables that may be opened at once, and from then on
OF_ONE = 16  # tables in use that one address may have
ONES_BURST = 5  # of `BURST`: what one address may take of it
KNOWN = 1024  # addresses, the last ones that opened tables


class Use(NamedTuple):
    """Tables in use: `all` of them, and those with the server's own bots, `house`."""

    all: int = 0
    house: int = 0


NONE = Use()


class TableLimits:
    """Says no, with a sentence. `house`: tables with the server's own bots at once."""

    def __init__(self, house: int) -> None:
        self._house = house
        self.house_of_one = (house + 1) // 2  # so that no visitor takes them all
        self._opened: deque[float] = deque(maxlen=BURST)  # when the last ones were
        self._by: OrderedDict[str, deque[float]] = OrderedDict()  # the same by address

    def opened(self, now: float, address: str = "") -> None:
        """A table was opened."""
        self._opened.append(now)
        if address:
            self._by.setdefault(address, deque(maxlen=ONES_BURST)).append(now)
            self._by.move_to_end(address)
            if len(self._by) > KNOWN:
                self._by.popitem(last=False)

    def check(self, now: float, house: int, use: Use, address: str = "", own: Use = NONE) -> None:
        """Raise TooMany unless another table may be opened, with so many of our own bots.

        `own`: the tables of `address`, which is "" for one that many share: then it has no limits of its own.
        """
        before = self._by.get(address, ())
        if _full(self._opened, BURST, now) or (address and _full(before, ONES_BURST, now)):
            raise TooMany("too many tables are being opened on this server; try again in a few seconds")
        if use.all >= MOST:
            raise TooMany(f"{MOST} tables are in use on this server, which is all; try again when one is free")
        if address and own.all >= OF_ONE:
            raise TooMany(f"{OF_ONE} tables are in use from your address, which is all for one; leave one of them")
        if house > HOUSE_A_TABLE:
            raise TooMany(f"{house} of the house's bots are wanted; take {HOUSE_A_TABLE} at most")
        if house and use.house >= self._house:
            tables = _tables(self._house)
            raise TooMany(f"{tables} in use against the house's bots, which is all; try again when one is free")
        if house and address and own.house >= self.house_of_one:
            tables = _tables(self.house_of_one)
            raise TooMany(
                f"{tables} in use against the house's bots from your address, which is all for one; leave one of them"
            )


def _full(opened: "deque[float] | tuple[()]", burst: int, now: float) -> bool:
    return len(opened) == burst and now - opened[0] < burst / PER_SECOND


def _tables(count: int) -> str:
    return f"{count} table{'s are' if count > 1 else ' is'}"
