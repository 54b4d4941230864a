"""Lines of the standings as the API gives them: what each bot has done, round by round and against whom."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import isfinite

from msgspec import convert

from palio_db.values import PairScore, Rating
from palio_server.api.event_items import CostItem, RoundCell, ScoreItem, StandingItem
from palio_server.ratings.bradley_terry import rate
from palio_server.ratings.performance import performance
from palio_server.tournament.cards import Card, Cell, Scoring, cards_of
from palio_server.tournament.crosstable import Costs, Crosstable
from palio_server.tournament.event import Event
from palio_server.tournament.event_report import first_move_of
from palio_server.tournament.standing import Standing


def items(event: Event, scoring: Scoring, standings: Sequence[Standing]) -> list[StandingItem]:
    """A line for each of the `standings`, in their order."""
    table, ratings = crosstable(event), rated(event)
    cells = _cells(event, scoring)
    return [
        StandingItem(
            rank=line.rank,
            bot=line.bot,
            points=line.points,
            played=line.played,
            wins=line.wins,
            draws=line.draws,
            losses=line.losses,
            tie_breaks=list(line.tie_breaks),
            left=line.left,
            note=line.note,
            rating=ratings[line.bot].rating if line.bot in ratings else None,
            error=ratings[line.bot].error if line.bot in ratings else None,
            performance=_performance(table, line.bot, ratings),
            rounds=cells.get(line.bot, []),
            against=_against(table, line.bot),
            costs=convert(table.paid.get(line.bot), CostItem | None, from_attributes=True),
        )
        for line in standings
    ]


def ranked_by_points(event: Event) -> list[Standing]:
    """Standings by the points of games alone, for an event whose format nobody knows any more."""
    cards = cards_of(event, "games")
    order = sorted(cards, key=lambda card: -round(card.points, 9))
    places = {round(card.points, 9): place for place, card in reversed(list(enumerate(order, 1)))}
    return [_by_points(card, places[round(card.points, 9)]) for card in order]


def _by_points(card: Card, rank: int) -> Standing:
    met = [cell for cell in card.cells if cell.opponents]
    wins = sum(all(ahead == 1 for ahead in cell.ahead) for cell in met)
    losses = sum(any(ahead == 0 for ahead in cell.ahead) for cell in met)
    return Standing(rank, card.bot, card.points, len(met), wins, len(met) - wins - losses, losses)


def crosstable(event: Event) -> Crosstable:
    """All finished games."""
    table = Crosstable([entry.bot for entry in event.entries])
    for encounter in event.encounters:
        for match in encounter.finished:
            costs: Costs | None = match.costs
            if event.race and costs is None:  # nobody has solved it
                costs = (None,) * len(match.bots)
            table.add(match.bots, match.scores or (), costs)
    return table


def rated(event: Event) -> dict[str, Rating]:
    """Ratings by the games of this event that were fought."""
    fought = Crosstable([entry.bot for entry in event.entries])
    for encounter in event.encounters:
        for match in encounter.finished:
            if match.fought:
                fought.add(match.bots, match.scores or ())
    return rate([PairScore(first, second, s.wins, s.draws, s.losses) for first, second, s in fought.pairs()])


def first_move_advantage(event: Event) -> float | None:
    """How much Elo the first seat of a duel is worth, by the games that were fought; None where nobody can say."""
    found = first_move_of(event)
    return None if found is None else found.elo


def _against(table: Crosstable, bot: str) -> dict[str, ScoreItem]:
    scores = ((other, table.score(bot, other)) for other in table.bots if (bot, other) in table.scores)
    return {other: ScoreItem(score.wins, score.draws, score.losses) for other, score in scores}


def _performance(table: Crosstable, bot: str, ratings: dict[str, Rating]) -> float | None:
    """By likelihood, from the ratings of those met. None without games, or where all of them were won or lost."""
    met = [
        (other, table.score(bot, other)) for other in table.bots if (bot, other) in table.scores and other in ratings
    ]
    opponents = [ratings[other].rating for other, score in met for _ in range(score.games)]
    found = performance(sum(score.points for _, score in met), opponents)
    return found if found is not None and isfinite(found) else None


def _cells(event: Event, scoring: Scoring) -> dict[str, list[RoundCell]]:
    """By bot: what it made of each round, and whom it plays in those that are not over."""
    entries = event.entries
    names = [entry.bot for entry in entries]
    found: dict[str, dict[int, list[RoundCell]]] = {bot: defaultdict(list) for bot in names}
    for card in cards_of(event, scoring, entries):
        for cell in card.cells:
            found[card.bot][cell.round].append(_cell(cell, names))
    for encounter in event.open:
        for bot in encounter.bots:
            others = [other for other in encounter.bots if other != bot]
            playing = RoundCell(encounter.plan.round, "", None, others, "")
            found[bot][encounter.plan.round].append(playing)
    return {bot: [_merged(rounds[number]) for number in sorted(rounds)] for bot, rounds in found.items()}


def _cell(cell: Cell, names: Sequence[str]) -> RoundCell:
    return RoundCell(cell.round, cell.how, cell.points, [names[number - 1] for number in cell.opponents], cell.colour)


def _merged(cells: Sequence[RoundCell]) -> RoundCell:
    """Several games of a round as one cell: the points of all, and a colour if it was the same in each."""
    if len(cells) == 1:
        return cells[0]
    hows, colours = [cell.how for cell in cells], {cell.colour for cell in cells}
    how = next((how for how in ("", "played") if how in hows), hows[0])
    points = None if how == "" else sum(cell.points or 0.0 for cell in cells)
    opponents = list(dict.fromkeys(_all(cell.opponents for cell in cells)))
    return RoundCell(cells[0].round, how, points, opponents, colours.pop() if len(colours) == 1 else "")


def _all(lists: Iterable[list[str]]) -> Iterable[str]:
    for each in lists:
        yield from each
