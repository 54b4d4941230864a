"""A card for every entrant: its results in each round. Pairings, tie-breaks and TRF files are made from cards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from palio_db.event_values import Entry, EventMatch, Plan
from palio_server.tournament.event import Encounter, Event, ahead

Scoring = Literal["games", "encounters"]  # every game counts, or an encounter as a whole
Colour = Literal["white", "black", ""]  # white: the first seat of a duel; "": both, or neither
How = Literal["played", "forfeit", "pairing-bye", "half-bye", "full-bye", "absent"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One round of one entrant. A table of three has two opponents; a forfeit is not a meeting, and has no colour."""

    round: int
    how: How
    points: float
    opponents: tuple[int, ...] = ()  # starting numbers
    ahead: tuple[float, ...] = ()  # against each of them: 1 won, 1/2 level, 0 lost
    colour: Colour = ""


@dataclass(frozen=True, slots=True)
class Card:
    """An entrant. `number` is its starting number: 1 is the strongest where a Swiss system pairs by rating."""

    number: int
    bot: str
    rating: float | None = None
    cells: tuple[Cell, ...] = ()  # in the order of rounds; several of a round where every game counts

    @property
    def points(self) -> float:
        return sum((cell.points for cell in self.cells), 0.0)


BYES = {"pairing-bye": 1.0, "half-bye": 0.5, "absent": 0.0}  # points of a game, or of an encounter as a whole


def cards_of(
    event: Event, scoring: Scoring, order: Sequence[Entry] | None = None, *, forfeits_count: bool = True
) -> list[Card]:
    """Return the cards of all encounters that are over, for the entrants in `order`: it gives their numbers, from 1.

    Where every game counts, a bye is worth as many games as others have in that round. Not `forfeits_count`: games that
    were given up and not played are left out, or an encounter as a whole where these are scored so. Games lost by bots
    that did not start count in both cases.
    """
    entries = event.entries if order is None else order
    numbers = {entry.bot: number for number, entry in enumerate(entries, 1)}
    cells: dict[str, list[Cell]] = {entry.bot: [] for entry in entries}
    games = _games(event) if scoring == "games" else {}
    for encounter in sorted(event.encounters, key=lambda each: (each.plan.round, each.plan.board)):
        if encounter.over and not encounter.void:
            width = games.get(encounter.plan.round, 1)
            count = forfeits_count or not encounter.forfeits.isdisjoint(event.broken)
            for bot, cell in _cells(encounter, scoring, numbers, width, forfeits_count=count):
                cells[bot].append(_absent(cell) if cell.how == "pairing-bye" and bot in event.broken else cell)
    return [Card(numbers[entry.bot], entry.bot, entry.rating, tuple(cells[entry.bot])) for entry in entries]


def _absent(bye: Cell) -> Cell:
    """Return the bye with no points: its bot did not start, and could not have played."""
    return Cell(bye.round, "absent", BYES["absent"])


def _games(event: Event) -> dict[int, int]:
    """Return for each round how many games its largest encounter has."""
    games: dict[int, int] = {}
    for encounter in event.encounters:
        if encounter.plan.kind == "played":
            games[encounter.plan.round] = max(games.get(encounter.plan.round, 1), encounter.plan.games)
    return games


def _cells(
    encounter: Encounter, scoring: Scoring, numbers: dict[str, int], games: int, *, forfeits_count: bool
) -> Iterator[tuple[str, Cell]]:
    if encounter.plan.kind != "played":
        return _byes(encounter.plan, games)
    if scoring == "games":
        return _by_games(encounter, numbers, forfeits_count=forfeits_count)
    if encounter.missing and not forfeits_count:
        return iter(())
    return _as_a_whole(encounter, numbers)


def _byes(plan: Plan, games: int) -> Iterator[tuple[str, Cell]]:
    assert plan.kind != "played"
    for bot in plan.bots:
        for _ in range(games):
            yield bot, Cell(plan.round, plan.kind, BYES[plan.kind])


def _as_a_whole(encounter: Encounter, numbers: dict[str, int]) -> Iterator[tuple[str, Cell]]:
    plan = encounter.plan
    how: How = "played" if encounter.fought else "forfeit"
    seated = encounter.finished[0].bots if plan.games == 1 and encounter.finished else ()
    return _ranked(plan.round, how, encounter.shares(), numbers, seated)


def _by_games(encounter: Encounter, numbers: dict[str, int], *, forfeits_count: bool) -> Iterator[tuple[str, Cell]]:
    plan = encounter.plan
    for match in encounter.finished:
        assert match.scores is not None
        made = dict(zip(match.bots, match.scores, strict=True))
        yield from _ranked(plan.round, _how(match), made, numbers, match.bots)
    if encounter.forfeits and forfeits_count:
        others = [bot for bot in plan.bots if bot not in encounter.forfeits]
        won = {bot: 0.0 if bot in encounter.forfeits else 1 / len(others) for bot in plan.bots}
        for _ in range(encounter.missing):
            yield from _ranked(plan.round, "forfeit", won, numbers, ())


def _how(match: EventMatch) -> How:
    return "played" if match.fought else "forfeit"


def _ranked(
    round_: int, how: How, made: dict[str, float], numbers: dict[str, int], seated: Sequence[str]
) -> Iterator[tuple[str, Cell]]:
    """Yield a cell for each bot; `seated`: in the order of seats, if that has a meaning."""
    for bot, points in made.items():
        others = [other for other in made if other != bot]
        colour: Colour = ""
        if how == "played" and len(seated) == 2:
            colour = "white" if seated[0] == bot else "black"
        opponents = tuple(numbers[other] for other in others)
        yield bot, Cell(round_, how, points, opponents, tuple(ahead(points, made[other]) for other in others), colour)
