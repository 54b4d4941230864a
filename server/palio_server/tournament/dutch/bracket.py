"""A pairing bracket, the next one and the rest: the players, and the pairs that may meet."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from palio_server.tournament.dutch.blossom import Edge
from palio_server.tournament.dutch.colours import clash
from palio_server.tournament.dutch.player import DutchPlayer

BYE = 0  # the vertex that is matched with the player who gets the pairing-allocated bye


@dataclass(frozen=True)
class Conditions:
    """The conditions of a whole round."""

    last: bool = False  # the last round: preferences of top scorers may be denied (articles 1.8 and C3)
    top: float = 0  # players with more than this, in tenths, are top scorers
    bye_score: int | None = None  # the score, in tenths, of the player who gets the bye; None: there is no bye (C5)

    def compatible(self, one: DutchPlayer, other: DutchPlayer) -> bool:
        """Return True if they may meet: not twice (C1), and no absolute preferences for the same colour (C3)."""
        if other.number in one.met or one.number in other.met:
            return False
        return not clash(one, other) or (self.last and max(one.score, other.score) > self.top)

    def may_have_bye(self, player: DutchPlayer) -> bool:
        """Return True if it may be the player without an opponent (C2), and has a score low enough (C5)."""
        return not player.bye_barred and self.bye_score is not None and player.score <= self.bye_score


@dataclass(frozen=True)
class PairingBracket:
    """Three groups, each with the highest ranked first. Vertices are numbers of players, and `BYE`."""

    moved: Sequence[DutchPlayer]  # down from higher brackets (MDPs)
    residents: Sequence[DutchPlayer]
    following: Sequence[DutchPlayer]  # residents of the next bracket
    rest: Sequence[DutchPlayer]  # of all lower ones
    conditions: Conditions
    # it is certain that the player who gets the bye is the only one of this bracket not to be paired (C9)
    bye_here: bool = False

    @cached_property
    def own(self) -> list[DutchPlayer]:
        return [*self.moved, *self.residents]

    @cached_property
    def all_players(self) -> list[DutchPlayer]:
        return [*self.own, *self.following, *self.rest]

    @cached_property
    def players(self) -> dict[int, DutchPlayer]:
        return {player.number: player for player in self.all_players}

    @cached_property
    def edges(self) -> list[tuple[DutchPlayer, DutchPlayer]]:
        """The pairs that may meet, the higher ranked first. Two moved-down players may not: otherwise they had met
        above.
        """
        return [*self.inner, *self._edges(self.own, self.following), *self._within(self.following), *self.outer]

    @cached_property
    def inner(self) -> list[tuple[DutchPlayer, DutchPlayer]]:
        """The pairs in this bracket."""
        return [*self._edges(self.moved, self.residents), *self._within(self.residents)]

    @cached_property
    def outer(self) -> list[tuple[DutchPlayer, DutchPlayer]]:
        """The pairs with a player below the next bracket."""
        return [*self._edges([*self.own, *self.following], self.rest), *self._within(self.rest)]

    @cached_property
    def byes(self) -> list[Edge]:
        return [(player.number, BYE) for player in self.all_players if self.conditions.may_have_bye(player)]

    @cached_property
    def vertices(self) -> list[int]:
        return [*self.players, *([BYE] if len(self.players) % 2 else [])]

    def _edges(
        self, higher: Sequence[DutchPlayer], lower: Sequence[DutchPlayer]
    ) -> list[tuple[DutchPlayer, DutchPlayer]]:
        compatible = self.conditions.compatible
        return [(one, other) for one in higher for other in lower if compatible(one, other)]

    def _within(self, group: Sequence[DutchPlayer]) -> list[tuple[DutchPlayer, DutchPlayer]]:
        compatible = self.conditions.compatible
        return [
            (one, other) for index, one in enumerate(group) for other in group[index + 1 :] if compatible(one, other)
        ]
