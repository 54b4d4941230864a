"""Draw offers of a duel: whose offer stands, and who may make another one.

An offer stands until the opponent's next move, or its agreement; the offerer's own moves keep it. A seat offers again
only after a move of its own. Offers are in memory only: a match that is taken up after a restart has none.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class DrawOffers:
    """The offers at one moment of a duel."""

    standing: int | None = None  # the seat whose offer stands
    spent: frozenset[int] = frozenset()  # seats that have offered a draw since their last move

    def accepts(self, seat: int) -> bool:
        """Return True if `draw` from `seat` accepts its opponent's offer."""
        return self.standing is not None and self.standing != seat

    def refusal(self, seat: int) -> str:
        """Return why `seat` may not offer a draw now; "" if it may."""
        if self.standing == seat:
            return "your offer of a draw stands until your opponent moves"
        return "you have offered a draw; play a move before you offer another one" if seat in self.spent else ""

    def offered(self, seat: int) -> "DrawOffers":
        """Return the offers after `seat` has offered a draw."""
        return DrawOffers(seat, self.spent | {seat})

    def moved(self, seat: int) -> "DrawOffers":
        """Return the offers after a move of `seat`, which declines its opponent's offer."""
        if self.standing is None and not self.spent:  # the usual case
            return self
        return replace(self, standing=None if self.accepts(seat) else self.standing, spent=self.spent - {seat})
