"""The pairing of one bracket: moved-down players first, then the remainder (C.04.3, articles 3 and 4).

Of all pairings that are best by the criteria, the first one in the order of article 4 is taken: opponents of moved-down
players and transpositions in the order of their numbers (4.2), exchanges between the halves of the remainder (4.3)
as few and as small as can be.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from palio_server.tournament.dutch.bracket import PairingBracket
from palio_server.tournament.dutch.player import DutchPlayer
from palio_server.tournament.dutch.search import PairingSearch, Wish


@dataclass(frozen=True, slots=True)
class Paired:
    """The result for a bracket."""

    pairs: tuple[tuple[DutchPlayer, DutchPlayer], ...]  # the higher ranked first
    down: tuple[DutchPlayer, ...]  # those who go to the next bracket, or have the bye
    bye_next: bool  # of the next bracket only the player with the bye will not be paired
    exchanges: int = 0


def pair_bracket(bracket: PairingBracket) -> Paired:
    """Return the pairs of a bracket. Raises NoPairing."""
    search = PairingSearch(bracket)
    process = _Process(bracket, search)
    process.choose_moved()
    process.pair_moved()
    process.pair_remainder()
    down = tuple(player for player in bracket.own if player.number not in process.paired)
    pairs = tuple((bracket.players[one], bracket.players[other]) for one, other in process.pairs)
    return Paired(pairs, down, _bye_next(bracket, search, down), process.exchanges)


def _bye_next(bracket: PairingBracket, search: PairingSearch, down: Sequence[DutchPlayer]) -> bool:
    """Return True if, with these downfloaters, all of the next bracket but the one with the bye are paired in it."""
    bye_score = bracket.conditions.bye_score
    if bye_score is None or not bracket.following or bye_score < bracket.following[0].score:
        return False
    below = {player.number for player in bracket.rest}
    return all(search.found[player.number] not in below for player in (*down, *bracket.following))


class _Process:
    """The stages one after the other; each leaves fewer possibilities to the search."""

    def __init__(self, bracket: PairingBracket, search: PairingSearch) -> None:
        self.search = search
        self.moved = [player.number for player in bracket.moved]
        self.residents = [player.number for player in bracket.residents]
        self.pairs: list[tuple[int, int]] = []
        self.paired: set[int] = set()
        self.exchanges = 0

    def choose_moved(self) -> None:
        """Choose the moved-down players that are paired here: the highest ranked of those that can be."""
        residents = set(self.residents)
        open_ = [one for one in self.moved if self._possible(one)]
        while open_:
            open_ = self._decided(open_, residents)
            if open_:
                wishes = [Wish(one, dict.fromkeys(self._possible(one), 1), 1) for one in open_]
                chunk = self.search.chunk(wishes)
                self.search.solve(chunk)
                for wish in chunk:
                    self._decide(wish.vertex, residents)
                open_ = open_[len(chunk) :]

    def _decided(self, open_: list[int], residents: set[int]) -> list[int]:
        """Decide those that are paired already, before the first one that is not; return the others."""
        for index, one in enumerate(open_):
            if self.search.found[one] not in residents:
                return open_[index:]
            self._decide(one, residents)
        return []

    def _decide(self, one: int, residents: set[int]) -> None:
        edges = self._possible(one)
        if self.search.found[one] in residents:
            self.search.only(one, edges)
        else:
            self.search.forbid(edges)

    def _possible(self, one: int) -> list[tuple[int, int]]:
        return [(one, other) for other in self.residents if (one, other) in self.search.weights]

    def pair_moved(self) -> None:
        """Pair the moved-down players: the first of them gets the highest ranked opponent that it can have."""
        residents = set(self.residents)
        chosen = [one for one in self.moved if self.search.found[one] in residents]
        self._pair_in_order(chosen, self.residents)

    def pair_remainder(self) -> None:
        """Pair the residents among themselves: halves, exchanges between them, transpositions."""
        left = [one for one in self.residents if one not in self.paired]
        inside = set(left)
        count = sum(self.search.found[one] in inside for one in left) // 2
        upper, lower = self._halves(left, count)
        self._pair_in_order(upper, lower)

    def _pair_in_order(self, upper: Sequence[int], lower: Sequence[int]) -> None:
        """Give each of `upper`, one after the other, the first of `lower` that it can have."""
        todo = self._settled(upper, lower)
        while todo:
            free = [other for other in lower if other not in self.paired]
            chunk = self.search.chunk([self._ranking(one, free) for one in todo])
            self.search.solve(chunk)
            self._settle([wish.vertex for wish in chunk])
            todo = self._settled(todo[len(chunk) :], lower)

    def _ranking(self, one: int, free: Sequence[int]) -> Wish:
        """Return the wish for the first of these that it can have."""
        ranks = {(one, other): len(free) - index for index, other in enumerate(free)}
        possible = {edge: rank for edge, rank in ranks.items() if edge in self.search.weights}
        return Wish(one, possible, len(free).bit_length())

    def _settled(self, upper: Sequence[int], lower: Sequence[int]) -> Sequence[int]:
        """Settle those that have the first possible opponent, before one that has not; return the others."""
        found, taken = self.search.found, set()
        for index, one in enumerate(upper):
            first = next(
                other
                for other in lower
                if other not in self.paired and other not in taken and (one, other) in self.search.weights
            )
            if found[one] != first:
                self._settle(upper[:index])
                return upper[index:]
            taken.add(first)
        self._settle(upper)
        return []

    def _settle(self, ones: Sequence[int]) -> None:
        """Pair these permanently with the opponents found for them."""
        pairs = [(one, self.search.found[one]) for one in ones]
        together = {each for pair in pairs for each in pair}
        self.search.settle(together)
        self.pairs += pairs
        self.paired |= together

    # --- exchanges (article 4.3) --------------------------------------------------------------------------------------

    def _halves(self, left: list[int], count: int) -> tuple[list[int], list[int]]:
        """Return S1 and S2 of the remainder, after the necessary exchanges."""
        place = {one: index for index, one in enumerate(left)}
        pairs = [(one, other) for one, other in self.search.weights if one in place and other in place]
        few = {(one, other): int(place[one] < count) for one, other in pairs}
        near = {(one, other): len(left) - place[one] for one, other in pairs}
        bits = (count * len(left)).bit_length()
        before = self.search.weights
        self.search.keep(few, count.bit_length())
        self.search.keep(near, bits)
        if not self._natural(left[:count], place):
            self.search.solve([])
        if not self._natural(left[:count], place):
            self._exchange(left, count, place)
        upper = [one for one in left if self._leads(one, place)]
        self.search.weights = {edge: before[edge] for edge in self.search.weights}
        self._divide(left, set(upper))
        self.exchanges = sum(place[one] >= count for one in upper)
        return upper, [one for one in left if one not in set(upper)]

    def _natural(self, upper: Sequence[int], place: dict[int, int]) -> bool:
        """Return True if there is no exchange."""
        return all(self._leads(one, place) for one in upper)

    def _leads(self, one: int, place: dict[int, int]) -> bool:
        """Return True if it is the higher ranked one of a pair of the remainder."""
        return place.get(self.search.found[one], -1) > place[one]

    def _exchange(self, left: list[int], count: int, place: dict[int, int]) -> None:
        """Exchange the lowest ranked of the first half for the highest ranked of the second half."""
        leaving = [(one, -1) for one in reversed(left[:count])]
        coming = [(one, 1) for one in left[count:]]
        todo = [Wish(one, dict.fromkeys(self._led(one, left, place), sign), 1) for one, sign in (*leaving, *coming)]
        while todo:
            chunk = self.search.chunk(todo)
            self.search.solve(chunk)
            for wish in chunk:
                led = self._led(wish.vertex, left, place)
                if self._leads(wish.vertex, place):
                    self.search.only(wish.vertex, led)
                else:
                    self.search.forbid(led)
            todo = todo[len(chunk) :]

    def _led(self, one: int, left: list[int], place: dict[int, int]) -> list[tuple[int, int]]:
        return [(one, other) for other in left[place[one] + 1 :] if (one, other) in self.search.weights]

    def _divide(self, left: list[int], upper: set[int]) -> None:
        """Restrict pairs to one of the first half with one of the second; none within the second."""
        lower = set(left) - upper
        weights = self.search.weights
        gone = [
            edge
            for edge in weights
            if (edge[0] in upper and edge[1] not in lower)
            or (edge[1] in upper)
            or (edge[0] in lower and edge[1] in lower)
        ]
        self.search.forbid(gone)
