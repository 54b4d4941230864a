"""Who stands where: by points, then by one tie-break after the other, each among those who are still level."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from palio_db.event_values import Entry
from palio_server.tournament.cards import Card, Cell, Scoring, cards_of
from palio_server.tournament.event import Event
from palio_server.tournament.standing import Standing
from palio_server.tournament.tie_breaks.field import Field
from palio_server.tournament.tie_breaks.registry import checked, tie_break


@dataclass(frozen=True, slots=True)
class Ranked:
    """A card's place; equal ranks share it. `tie_breaks` as they were named."""

    rank: int
    card: Card
    tie_breaks: tuple[float, ...]


def standings_of(
    event: Event,
    scoring: Scoring,
    tie_breaks: Sequence[str],
    *,
    order: Sequence[Entry] | None = None,
    predetermined: bool = False,
    forfeits_count: bool = True,
) -> list[Standing]:
    """The standings now, the first first; equals in the `order` of entrants, which is that of their numbers.

    `predetermined`: in a round robin, see `ranked`. `forfeits_count`: see `cards_of`. Raises BadOption.
    """
    entries = event.entries if order is None else order
    cards = cards_of(event, scoring, entries, forfeits_count=forfeits_count)
    if not predetermined:
        cards = [_with_absences(event, card) for card in cards]
    found = ranked(cards, tie_breaks, rounds=rounds_over(event), predetermined=predetermined)
    left = {entry.bot for entry in entries if entry.left is not None}
    return [_standing(each, left=each.card.bot in left) for each in found]


def ranked(
    cards: Sequence[Card], tie_breaks: Sequence[str], *, rounds: int, predetermined: bool = False
) -> list[Ranked]:
    """The cards in order of points and tie-breaks, the first first; equals stay in their order and share a rank.

    Points come first, unless "points" is one of `tie_breaks`: then they count where they are named. `rounds` are over;
    up to that one a round without a cell counts as absent. Raises BadOption for an unknown name.
    """
    names = checked(tie_breaks)
    field = Field(cards, 0 if predetermined else rounds, predetermined=predetermined)
    groups: list[list[Card]] = [list(field.cards)] if cards else []
    columns: dict[str, dict[int, float]] = {}
    for name in names if "points" in names else ("points", *names):
        columns[name] = {number: round(figure, 9) for number, figure in tie_break(name).figures(field, groups).items()}
        groups = [part for group in groups for part in _split(group, columns[name])]
    given = {card.number: card for card in cards}
    return [
        Ranked(rank, given[card.number], tuple(columns[name][card.number] for name in names))
        for rank, group in _places(groups)
        for card in group
    ]


def rounds_over(event: Event) -> int:
    """The last round up to which everything is over."""
    first_open = min((encounter.plan.round for encounter in event.open), default=event.last_round + 1)
    return first_open - 1


def _split(group: Sequence[Card], figures: dict[int, float]) -> list[list[Card]]:
    def figure(card: Card) -> float:
        return -figures[card.number]

    return [list(part) for _, part in groupby(sorted(group, key=figure), key=figure)]


def _places(groups: Sequence[list[Card]]) -> list[tuple[int, list[Card]]]:
    found, place = [], 1
    for group in groups:
        found.append((place, group))
        place += len(group)
    return found


def _with_absences(event: Event, card: Card) -> Card:
    """In a round that is being played, who is not in it is absent."""
    playing = range(rounds_over(event) + 1, event.last_round + 1)
    out = [round_ for round_ in playing if not any(card.bot in each.bots for each in event.round(round_))]
    return replace(card, cells=(*card.cells, *(Cell(round_, "absent", 0.0) for round_ in out)))


def _standing(found: Ranked, *, left: bool) -> Standing:
    card = found.card
    cells = [cell for cell in card.cells if cell.opponents]
    alone = sum(cell.how == "played" and not cell.opponents for cell in card.cells)  # in a race, against nobody
    won, lost = sum(map(_won, cells)), sum(map(_lost, cells))
    drawn, played = len(cells) - won - lost, len(cells) + alone
    return Standing(found.rank, card.bot, card.points, played, won, drawn, lost, found.tie_breaks, left)


def _won(cell: Cell) -> bool:
    """Alone in front."""
    return cell.points > 0 and all(each == 1 for each in cell.ahead)


def _lost(cell: Cell) -> bool:
    """Behind somebody, or both did not come."""
    return any(each == 0 for each in cell.ahead) or (cell.how == "forfeit" and cell.points == 0)
