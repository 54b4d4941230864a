"""The figures of two bots that play pairs of games: one opening from both sides, counted as a whole.

The counts and figures are those that fastchess prints for each match (`Ptnml`, nElo, PairsRatio), with the errors of
`ratings.sample`. A pair counts when both of its games have a result.
"""

from collections.abc import Iterable, Sequence

from palio_db.event_values import EventMatch
from palio_server.ratings.sample import PAIRS, Sample
from palio_server.tournament.event import Event, ahead
from palio_server.tournament.standing import PairFigures


def pair_figures(event: Event) -> list[PairFigures]:
    """Return the figures of each two that have finished a pair, in the order in which the bots were entered."""
    if event.race or event.seats != 2:
        return []
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    order = {entry.bot: place for place, entry in enumerate(event.entries)}
    for encounter in event.encounters:
        for game, turned in _pairs(encounter.finished):
            first, second = sorted(game.bots, key=lambda bot: order.get(bot, len(order)))
            results = (result_of(game, first), result_of(turned, first))
            found.setdefault((first, second), []).append(results)
    met = sorted(found, key=lambda pair: [order.get(bot, 0) for bot in pair])
    return [_figures(first, second, found[first, second]) for first, second in met]


def result_of(match: EventMatch, first: str) -> int:
    """Return 0 if `first` has lost this game, 1 for a draw, 2 if it has won."""
    assert match.scores is not None
    made = dict(zip(match.bots, match.scores, strict=True))
    theirs = next(score for bot, score in made.items() if bot != first)
    return round(2 * ahead(made[first], theirs))


def _pairs(finished: Iterable[EventMatch]) -> list[tuple[EventMatch, EventMatch]]:
    """Return the games that were played in twos from one opening, with seats changed."""
    by_number = {match.game: match for match in finished}
    twos = [(match, by_number.get(number + 1)) for number, match in by_number.items() if number % 2 == 0]
    return [(game, turned) for game, turned in twos if turned is not None and turned.bots == game.bots[::-1]]


def _figures(first: str, second: str, results: Sequence[tuple[int, int]]) -> PairFigures:
    counts, games = [0] * PAIRS, [0, 0, 0]
    for pair in results:
        counts[sum(pair)] += 1
        for result in pair:
            games[result] += 1
    sample = Sample(tuple(counts))
    errors = (sample.elo, sample.elo_error, sample.nelo, sample.nelo_error, sample.los)
    return PairFigures(first, second, counts, games[2], games[1], games[0], *errors)
