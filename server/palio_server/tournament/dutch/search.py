"""Pairings of a bracket and what is below, narrowed down wish by wish until one is left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from palio_server.tournament.dutch.blossom import BITS, Edge, Matching, best_matching, width
from palio_server.tournament.dutch.bracket import Bracket
from palio_server.tournament.dutch.criteria import Values, combined, criteria, edge_of


class NoPairing(ValueError):
    """Not all can be paired so that nobody meets twice, nobody has a forbidden colour, nobody has a second bye."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is preferred among pairings that are equal by now: the greater sum of values. It needs so many bits."""

    vertex: int  # whose matter it is
    values: Values
    bits: int


@dataclass
class Search:
    """All pairings of a bracket that are best by C6 to C21, and `found`: one of them."""

    bracket: Bracket
    weights: Values = field(init=False)  # of the pairs that are still possible
    vertices: set[int] = field(init=False)  # that are not paired for good
    found: Matching = field(init=False)

    def __post_init__(self) -> None:
        given = combined(criteria(self.bracket))
        edges = [*map(edge_of, self.bracket.edges), *self.bracket.byes]
        self.weights = {edge: given.get(edge, 0) for edge in edges}
        self.vertices = set(self.bracket.vertices)
        self.solve([])

    def solve(self, wishes: Sequence[Wish]) -> None:
        """Look again with these wishes, the first of them before the others. Raises NoPairing."""
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
        """As many of these as fit into the words of a quick search, and one at least."""
        room = BITS - width(self.weights)
        taken: list[Wish] = []
        for wish in wishes:
            room -= wish.bits
            if room < 0 and taken:
                break
            taken.append(wish)
        return taken

    def keep(self, values: Values, bits: int) -> None:
        """From now on another criterion after the others."""
        self.weights = {edge: (weight << bits) + values.get(edge, 0) for edge, weight in self.weights.items()}

    def forbid(self, edges: Iterable[Edge]) -> None:
        for edge in edges:
            self.weights.pop(edge, None)

    def only(self, vertex: int, edges: Iterable[Edge]) -> None:
        """Of all pairs with this vertex only these are possible."""
        kept = set(edges)
        self.forbid([edge for edge in self.weights if vertex in edge and edge not in kept])

    def settle(self, gone: set[int]) -> None:
        """These are paired for good."""
        self.vertices -= gone
        self.weights = {edge: weight for edge, weight in self.weights.items() if gone.isdisjoint(edge)}
