"""How many tables there may be: in all, with the server's own bots, and how fast they may be opened."""

from collections import deque

from palio_server.arena.table import TooMany

MOST = 64  # tables in use, with whatever opponents
HOUSE_A_TABLE = 3  # of the server's own bots at one table
BURST, PER_SECOND = 10, 2.0  # tables that may be opened at once, and from then on


class TableLimits:
    """Says no, with a sentence. `house`: tables with the server's own bots at once."""

    def __init__(self, house: int) -> None:
        self._house = house
        self._opened: deque[float] = deque(maxlen=BURST)  # when the last ones were

    def opened(self, now: float) -> None:
        """A table was opened."""
        self._opened.append(now)

    def check(self, now: float, house: int, in_use: int, house_in_use: int) -> None:
        """Raise TooMany unless another table may be opened, with so many of our own bots."""
        if len(self._opened) == BURST and now - self._opened[0] < BURST / PER_SECOND:
            raise TooMany("too many tables are being opened on this server; try again in a few seconds")
        if in_use >= MOST:
            raise TooMany(f"{MOST} tables are in use on this server, which is all; try again when one is free")
        if house > HOUSE_A_TABLE:
            raise TooMany(f"{house} of the house's bots are wanted; take {HOUSE_A_TABLE} at most")
        if house and house_in_use >= self._house:
            tables = f"{self._house} table{'s are' if self._house > 1 else ' is'}"
            raise TooMany(f"{tables} in use against the house's bots, which is all; try again when one is free")
