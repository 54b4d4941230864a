"""Standings: by points, then by one tie-break after the other, each among those who are still level."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from palio_db.event_values import Entry
from palio_rules.errors import BadOption, nearest
from palio_server.tournament.cards import Card, Cell, Scoring, cards_of
from palio_server.tournament.event import Event
from palio_server.tournament.standing import Standing
from palio_server.tournament.tie_breaks import field
from palio_server.tournament.tie_breaks.field import Field, direct_encounter

# Tie-breaks by name, and by FIDE's letters for them.

Figures = Callable[
    [Field, Sequence[Sequence[Card]]], dict[int, float]
]  # by number of a card, given the cards that are level so far


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A tie-break. More is better in each of them."""

    name: str
    code: str  # in FIDE's regulations
    title: str  # heads a column
    figures: Figures


def _each(figure: Callable[[Field, Card], float]) -> Figures:
    """Return figures that do not depend on the cards that are level."""
    return lambda field, _groups: {card.number: figure(field, card) for card in field.cards}


def _own(figure: Callable[[Card], float]) -> Figures:
    """Return figures that depend on one card alone."""
    return _each(lambda _field, card: figure(card))


_ALL = (
    TieBreak("points", "PTS", "points", _each(field.points)),
    TieBreak("direct_encounter", "DE", "DE", direct_encounter),
    TieBreak("buchholz", "BH", "BH", _each(field.buchholz())),
    TieBreak("buchholz_cut_1", "BH/C1", "BH-C1", _each(field.buchholz(1))),
    TieBreak("buchholz_cut_2", "BH/C2", "BH-C2", _each(field.buchholz(2))),
    TieBreak("buchholz_median", "BH/M1", "BH-M1", _each(field.buchholz(1, 1))),
    TieBreak("buchholz_median_2", "BH/M2", "BH-M2", _each(field.buchholz(2, 2))),
    TieBreak("sonneborn_berger", "SB", "SB", _each(field.sonneborn_berger())),
    TieBreak("sonneborn_berger_cut_1", "SB/C1", "SB-C1", _each(field.sonneborn_berger(1))),
    TieBreak("wins", "WIN", "wins", _own(field.wins)),
    TieBreak("games_won", "WON", "won", _own(field.games_won)),
    TieBreak("games_with_black", "BPG", "black", _own(field.games_with_black)),
    TieBreak("wins_with_black", "BWG", "wins black", _own(field.wins_with_black)),
    TieBreak("progressive", "PS", "PS", _each(field.progressive)),
    TieBreak("koya", "KS", "KS", _each(field.koya)),
    TieBreak("rating", "RTG", "rating", _own(field.rating)),
)
TIE_BREAKS = {each.name: each for each in _ALL}
_CODES = {each.code.replace("/", "_").lower(): each for each in _ALL}


def tie_break(name: str) -> TieBreak:
    """Return the tie-break with that name, or FIDE's letters: `buchholz_cut_1`, `BH/C1`. Raises BadOption, with the
    nearest known name.
    """
    key = name.strip().lower().replace("-", "_").replace("/", "_").replace(":", "_")
    found = TIE_BREAKS.get(key) or _CODES.get(key)
    if found is None:
        raise BadOption(f"unknown tie-break {name!r}; {nearest(key, TIE_BREAKS)}")
    return found


def checked(names: Sequence[str]) -> tuple[str, ...]:
    """Return the full names of tie-breaks. Raises BadOption for one that is unknown, or named twice."""
    found = tuple(tie_break(name).name for name in names)
    if twice := next((name for place, name in enumerate(found) if name in found[:place]), None):
        raise BadOption(f"tie-break {twice!r} is named twice; name it once")
    return found


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
    """Return the present standings, the first first; equals in the `order` of entrants, which is that of their numbers.

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
    """Return the cards in order of points and tie-breaks, the first first; equals stay in their order and share a rank.

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
    """Return the last round up to which everything is over."""
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
    """Return the card with absences for rounds in progress that it is not in."""
    playing = range(rounds_over(event) + 1, event.last_round + 1)
    out = [round_ for round_ in playing if not any(card.bot in each.bots for each in event.round(round_))]
    return replace(card, cells=(*card.cells, *(Cell(round_, "absent", 0.0) for round_ in out)))


def _standing(found: Ranked, *, left: bool) -> Standing:
    card = found.card
    cells = [cell for cell in card.cells if cell.opponents]
    alone = sum(cell.how == "played" and not cell.opponents for cell in card.cells)  # in a race, without an opponent
    won, lost = sum(map(_won, cells)), sum(map(_lost, cells))
    byes = [cell.points for cell in card.cells if cell.how in ("pairing-bye", "half-bye", "full-bye")]
    return Standing(
        found.rank,
        card.bot,
        card.points,
        len(cells) + alone,
        won,
        len(cells) - won - lost,
        lost,
        found.tie_breaks,
        left,
        byes=len(byes),
        bye_points=sum(byes, 0.0),
        forfeits=sum(cell.how == "forfeit" for cell in cells),
    )


def _won(cell: Cell) -> bool:
    """Return True if it was alone in front."""
    return cell.points > 0 and all(each == 1 for each in cell.ahead)


def _lost(cell: Cell) -> bool:
    """Return True if it was behind another, or both did not come."""
    return any(each == 0 for each in cell.ahead) or (cell.how == "forfeit" and cell.points == 0)
