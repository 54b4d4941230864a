"""The quality criteria C6 to C21 of a bracket, as one weight for each pair (C.04.3, article 2).

A criterion gives each pair a value; a pairing is the better, the greater the sum of its pairs' values. They are
compared one after the other, so each has bits of its own in the weight, as many as its sum can need.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from palio_server.tournament.dutch.blossom import Edge
from palio_server.tournament.dutch.bracket import BYE, PairingBracket
from palio_server.tournament.dutch.colours import beyond_two, same_preference, strong_denied, three_in_a_row
from palio_server.tournament.dutch.player import DutchPlayer

Values = dict[Edge, int]  # missing pairs count 0
PlayerPair = tuple[DutchPlayer, DutchPlayer]  # the higher ranked first


@dataclass(frozen=True, slots=True)
class Criterion:
    """`name` is its number in article 2; all values have the same sign."""

    name: str
    values: Values

    @property
    def bits(self) -> int:
        """Enough bits for the sum over any matching: each pair is worth at most the mean of its ends' best."""
        best: dict[int, int] = defaultdict(int)
        for edge, value in self.values.items():
            for end in edge:
                best[end] = max(best[end], abs(value))
        return (sum(best.values()) // 2).bit_length()


def criteria(bracket: PairingBracket) -> list[Criterion]:
    """Return the criteria of a bracket that can make a difference, in order."""
    found = [*_downfloaters(bracket), *_next_bracket(bracket)]
    if bracket.bye_here:
        found.append(Criterion("C9", _unplayed(bracket)))
    found += [Criterion(name, _count(bracket.inner, bad)) for name, bad in COLOURS.items()]
    found += _floats(bracket)
    return [criterion for criterion in found if any(criterion.values.values())]


def combined(criteria: Iterable[Criterion]) -> Values:
    """Return one weight for each pair, in which no sum of a later criterion outweighs an earlier one."""
    weights: Values = defaultdict(int)
    shift = 0
    for criterion in reversed(list(criteria)):
        for edge, value in criterion.values.items():
            weights[edge] += value << shift
        shift += criterion.bits
    return weights


def edge_of(pair: PlayerPair) -> Edge:
    return pair[0].number, pair[1].number


def _downfloaters(bracket: PairingBracket) -> Iterator[Criterion]:
    """Yield the criteria for as few downfloaters as possible (C6), with scores as low as possible (C7)."""
    yield Criterion("C6", {edge_of(pair): 1 for pair in bracket.inner})
    for score in _scores(bracket.moved):  # of residents as many float as C6 and the higher scores leave
        yield Criterion("C7", {edge_of(pair): 1 for pair in bracket.inner if pair[0].score == score})


def _next_bracket(bracket: PairingBracket) -> Iterator[Criterion]:
    """Yield the criteria for downfloaters with which the next bracket complies best with C6 and C7 (C8)."""
    last = {player.number for player in bracket.following}
    pairs = [pair for pair in bracket.edges if pair[1].number in last]
    yield Criterion("C8", {edge_of(pair): 1 for pair in pairs})
    for score in _scores(bracket.own):
        yield Criterion("C8", {edge_of(pair): 1 for pair in pairs if pair[0].score == score})


def _unplayed(bracket: PairingBracket) -> Values:
    """Return the values for a player with the bye who has played as many games as possible (C9)."""
    by_number = bracket.players
    most = max(player.games for player in bracket.all_players)
    return {edge: by_number[edge[0]].games - most for edge in bracket.byes if edge[1] == BYE}


COLOURS: Mapping[str, Callable[[DutchPlayer, DutchPlayer], bool]] = {
    "C10": beyond_two,  # minimise the colour differences beyond two of top scorers and their opponents
    "C11": three_in_a_row,  # and the same colour three times in a row
    "C12": same_preference,  # minimise players that do not get the colour they prefer
    "C13": strong_denied,  # or strongly prefer
}


def _count(pairs: Iterable[PlayerPair], bad: Callable[[DutchPlayer, DutchPlayer], bool]) -> Values:
    return {edge_of(pair): -1 for pair in pairs if bad(*pair)}


def _floats(bracket: PairingBracket) -> Iterator[Criterion]:
    """Yield the criteria against a second float in two rounds (C14, C15), or in three (C16, C17).

    Then the same for the score differences of those that must (C18 to C21). For residents they are settled by then.
    """
    pairs, scores = bracket.inner, _scores(bracket.moved)
    for back, (down, up) in enumerate((("C14", "C15"), ("C16", "C17"))):
        yield Criterion(down, {edge_of(pair): _kept(pair, back) for pair in pairs})
        yield Criterion(up, _count(pairs, partial(_upfloats_again, back)))
    for back, (down, up) in enumerate((("C18", "C19"), ("C20", "C21"))):
        for score in scores:
            high = [pair for pair in pairs if pair[0].score == score]
            yield Criterion(down, {edge_of(pair): 1 for pair in high if pair[0].floats[back] == "down"})
        for score in scores:
            high = [pair for pair in pairs if pair[0].score == score]
            yield Criterion(up, _count(high, partial(_upfloats_again, back)))


def _kept(pair: PlayerPair, back: int) -> int:
    """Return how many of the two floated down then and do not now."""
    higher, lower = pair
    return (lower.floats[back] == "down") + (higher.score == lower.score and higher.floats[back] == "down")


def _upfloats_again(back: int, higher: DutchPlayer, lower: DutchPlayer) -> bool:
    return higher.score > lower.score and lower.floats[back] == "up"


def _scores(players: Iterable[DutchPlayer]) -> list[int]:
    return sorted({player.score for player in players}, reverse=True)
