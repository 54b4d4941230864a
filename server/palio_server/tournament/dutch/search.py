"""Pairings of a bracket and what is below, narrowed down wish by wish until one is left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from palio_server.tournament.dutch.blossom import BITS, Edge, Matching, best_matching, width
from palio_server.tournament.dutch.bracket import PairingBracket
from palio_server.tournament.dutch.criteria import Values, combined, criteria, edge_of


class NoPairing(ValueError):
    """No pairing exists without a second meeting, a forbidden colour, or a second bye."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A preference among pairings that are equal so far: the greater sum of values. It needs so many bits."""

    vertex: int  # that has the wish
    values: Values
    bits: int


@dataclass
class PairingSearch:
    """All pairings of a bracket that are best by C6 to C21, and `found`: one of them."""

    bracket: PairingBracket
    weights: Values = field(init=False)  # of the pairs that are still possible
    vertices: set[int] = field(init=False)  # that are not paired permanently
    found: Matching = field(init=False)

    def __post_init__(self) -> None:
        given = combined(criteria(self.bracket))
        edges = [*map(edge_of, self.bracket.edges), *self.bracket.byes]
        self.weights = {edge: given.get(edge, 0) for edge in edges}
        self.vertices = set(self.bracket.vertices)
        self.solve([])

    def solve(self, wishes: Sequence[Wish]) -> None:
        """Search again with these wishes, the first of them before the others. Raises NoPairing."""
        room, shift = sum(wish.bits for wish in wishes), 0
        weights = {edge: weight << room for edge, weight in self.weights.items()} if room else self.weights
        for wish in reversed(wishes):
            for edge, value in wish.values.items():
                if edge in weights:
                    weights[edge] += value << shift
            shift += wish.bits
        found = best_matching(self.vertices, weights)
        if found is None:
            raise NoPairing("no pairing fulfils the absolute criteria C1 to C4")
        self.found = found

    def chunk(self, wishes: Sequence[Wish]) -> list[Wish]:
        """Return as many of these as fit into the words of a quick search, and one at least."""
        room = BITS - width(self.weights)
        taken: list[Wish] = []
        for wish in wishes:
            room -= wish.bits
            if room < 0 and taken:
                break
            taken.append(wish)
        return taken

    def keep(self, values: Values, bits: int) -> None:
        """Add a criterion after the others."""
        self.weights = {edge: (weight << bits) + values.get(edge, 0) for edge, weight in self.weights.items()}

    def forbid(self, edges: Iterable[Edge]) -> None:
        for edge in edges:
            self.weights.pop(edge, None)

    def only(self, vertex: int, edges: Iterable[Edge]) -> None:
        """Allow only these of all pairs with this vertex."""
        kept = set(edges)
        self.forbid([edge for edge in self.weights if vertex in edge and edge not in kept])

    def settle(self, gone: set[int]) -> None:
        """Pair these permanently."""
        self.vertices -= gone
        self.weights = {edge: weight for edge, weight in self.weights.items() if gone.isdisjoint(edge)}
