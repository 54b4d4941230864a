"""An event as the API shows it: its rows in the store, interpreted by its format. Pure: a server and a command that
reads the database get the same from the same rows. `event_reader.py` keeps views for many readers.
"""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, Literal

import msgspec
from msgspec import convert
from msgspec.structs import asdict

from palio_db.archives import left_out
from palio_db.event_values import EncounterRow, EventMatch, KeptQuery, TournamentRow
from palio_db.store import Store
from palio_db.values import PairScore, Rating
from palio_rules.errors import BadOption
from palio_rules.records.text import record_to_text
from palio_rules.registry import games
from palio_server.api.event_items import (
    CostItem,
    EncounterItem,
    EncounterMatch,
    EntryItem,
    FaultItem,
    RoundCell,
    RoundItem,
    ScoreItem,
    StandingItem,
    TournamentDetail,
    TournamentItem,
    Wait,
    Why,
)
from palio_server.arena.directing import NOTE, note_of
from palio_server.arena.event_faults import MOST, event_faults
from palio_server.ratings.bradley_terry import performance, rate
from palio_server.tournament.cards import Card, Cell, Scoring, cards_of
from palio_server.tournament.crosstable import Costs, Crosstable
from palio_server.tournament.event import FILES, Encounter, Event
from palio_server.tournament.event_faults import EventFault
from palio_server.tournament.event_report import first_move_of
from palio_server.tournament.exports import crosstable_markdown, event_trf, standings_csv
from palio_server.tournament.format import Format, format_of
from palio_server.tournament.pair_figures import pair_figures
from palio_server.tournament.standing import Details, PairFigures, Standing

# Lines of the standings in the form of the API: each bot's results, by round and by opponent.


def items(event: Event, scoring: Scoring, standings: Sequence[Standing]) -> list[StandingItem]:
    """Return a line for each of the `standings`, in their order."""
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
            byes=line.byes,
            bye_points=line.bye_points,
            forfeits=line.forfeits,
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
    """Return standings by the points of games alone, for an event whose format is no longer installed."""
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
    """Return the cross-table of all finished games."""
    table = Crosstable([entry.bot for entry in event.entries])
    for encounter in event.encounters:
        for match in encounter.finished:
            costs: Costs | None = match.costs
            if event.race and costs is None:  # no bot has solved it
                costs = (None,) * len(match.bots)
            table.add(match.bots, match.scores or (), costs)
    return table


def rated(event: Event) -> dict[str, Rating]:
    """Return ratings by the games of this event that were fought."""
    fought = Crosstable([entry.bot for entry in event.entries])
    for encounter in event.encounters:
        for match in encounter.finished:
            if match.fought:
                fought.add(match.bots, match.scores or ())
    return rate([PairScore(first, second, s.wins, s.draws, s.losses) for first, second, s in fought.pairs()])


def first_move_advantage(event: Event) -> float | None:
    """Return the advantage of a duel's first seat in Elo, by the games that were fought; None if it cannot be
    determined, or only with an error that would have to stand beside it.
    """
    found = first_move_of(event)
    return found.elo if found is not None and found.shown else None


def _against(table: Crosstable, bot: str) -> dict[str, ScoreItem]:
    scores = ((other, table.score(bot, other)) for other in table.bots if (bot, other) in table.scores)
    return {other: ScoreItem(score.wins, score.draws, score.losses) for other, score in scores}


def _performance(table: Crosstable, bot: str, ratings: dict[str, Rating]) -> float | None:
    """Return the performance by likelihood, from the ratings of those met. None without games, or if all were won or
    lost.
    """
    met = [
        (other, table.score(bot, other)) for other in table.bots if (bot, other) in table.scores and other in ratings
    ]
    opponents = [ratings[other].rating for other, score in met for _ in range(score.games)]
    found = performance(sum(score.points for _, score in met), opponents)
    return found if found is not None and isfinite(found) else None


def _cells(event: Event, scoring: Scoring) -> dict[str, list[RoundCell]]:
    """Return by bot its result in each round, and its opponents in those that are not over."""
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
    """Return several games of a round as one cell: the points of all, and a colour if it was the same in each."""
    if len(cells) == 1:
        return cells[0]
    hows, colours = [cell.how for cell in cells], {cell.colour for cell in cells}
    how = next((how for how in ("", "played") if how in hows), hows[0])
    points = None if how == "" else sum((cell.points or 0.0 for cell in cells), 0.0)
    opponents = list(dict.fromkeys(_all(cell.opponents for cell in cells)))
    return RoundCell(cells[0].round, how, points, opponents, colours.pop() if len(colours) == 1 else "")


def _all(lists: Iterable[list[str]]) -> Iterable[str]:
    for each in lists:
        yield from each


@dataclass(frozen=True, slots=True)
class EventPace:
    """The speed of an event, as far as it is known."""

    games_per_s: float | None = None
    seconds_left: float | None = None


NO_PACE = EventPace()
DUEL = 2  # seats


class EventView:
    """An event by its rows. Made for one moment: nothing changes in it."""

    def __init__(self, row: TournamentRow, encounters: Sequence[EncounterRow], matches: Sequence[EventMatch]) -> None:
        self.row = row
        self.event, self.format, self.note = _understood(row)
        self._title = row.format if self.format is None else self.format.title
        self._planned, self._matches = encounters, matches
        self._before: dict[int, Mapping[str, float]] = {}
        if self.event is not None:
            for planned in encounters:
                self.event.add(planned)
            for match in matches:
                self.event.note(match)
            if self.format is not None and not encounters:
                self._check_format(self.format, self.event)

    def _check_format(self, format_: Format, event: Event) -> None:
        """Check the event against its format; one that it cannot play, yet or ever, is shown with its entries only."""
        try:
            format_.check(event)
        except BadOption as error:
            self.format = None
            self.note = f"it cannot start yet: {error}" if self.row.stage == "open" else ""

    # --- the event ----------------------------------------------------------------------------------------------------

    def item(self) -> TournamentItem:
        """Return the event for a list."""
        row = self.row
        standings = self.standings if row.finished else []
        test = self._details.sprt if row.finished else None
        return TournamentItem(
            id=row.id,
            name=row.name,
            game=row.game,
            format=row.format,
            title=self._title,
            stage=row.stage,
            bots=list(row.bots),
            created_at=row.created_at,
            starts_at=row.starts_at,
            total=self.total or sum(planned.plan.games for planned in self._planned),
            scheduled=row.scheduled,
            running=row.running,
            finished=row.finished,
            aborted=row.aborted,
            round=self.last_round if self.event is None else self.event.round_now,
            rounds=self.rounds,
            leader=standings[0].bot if standings else None,
            verdict=None if test is None else test.state,
        )

    def detail(
        self, connected: Collection[str] = (), pace: EventPace = NO_PACE, waits: Sequence[Wait] = ()
    ) -> TournamentDetail:
        """Return the event by itself; `connected`: the bots that are here."""
        details = self._details
        return TournamentDetail(
            **asdict(self.item()),
            settings={key: value for key, value in self.row.settings.items() if key not in (NOTE, FILES)},
            rules=dict(self.row.rules),
            entries=[_entry(self.row, number, connected) for number in range(len(self.row.entries))],
            tie_breaks=list(self._tie_breaks),
            standings=self.lines,
            bracket=details.bracket,
            groups=details.groups,
            sprt=details.sprt,
            games_per_s=pace.games_per_s,
            seconds_left=pace.seconds_left,
            first_move_advantage=None if self.event is None else first_move_advantage(self.event),
            admits=self.row.admits,
            worker=self.row.worker,
            finished_at=self.row.finished_at,
            note=note_of(self.row) or self.note,
            faults=_faults(self._matches),
            waits=list(waits),
            pair_figures=self._pair_figures,
        )

    @property
    def _pair_figures(self) -> PairFigures | None:
        if self.event is None or len(self.event.entries) != 2:
            return None
        return next(iter(pair_figures(self.event)), None)

    @property
    def last_round(self) -> int:
        """The last round that is planned; 0: none."""
        return max((planned.plan.round for planned in self._planned), default=0)

    @cached_property
    def total(self) -> int | None:
        """The number of matches in all; None if unknown."""
        if self.event is None or self.format is None or not self.event.entries:
            return None
        return self.format.total(self.event)

    @property
    def rounds(self) -> int | None:
        """The number of rounds in all; None if unknown."""
        if self.row.stage == "finished":
            return self.last_round if self.event is None else self.event.round_now
        if self.event is None or self.format is None or not self.event.entries:
            return None
        return self.format.rounds_in_all(self.event)

    @cached_property
    def standings(self) -> Sequence[Standing]:
        """The present standings; by points alone if the format is no longer installed."""
        if self.event is None:
            return ()
        return ranked_by_points(self.event) if self.format is None else self.format.standings(self.event)

    @cached_property
    def lines(self) -> list[StandingItem]:
        """The standings, with all results of each bot."""
        if self.event is None:
            return []
        scoring: Scoring = "games" if self.format is None else self.format.rules.scoring
        return items(self.event, scoring, self.standings)

    # --- rounds -------------------------------------------------------------------------------------------------------

    def round(self, number: int) -> RoundItem:
        """Return a planned round. Raises KeyError for another one."""
        event = self._known_event()
        found = event.round(number)
        if not found:
            raise KeyError(number)
        before = self._points_before(number)
        return RoundItem(number, self.rounds, event.round_over(number), [_encounter(each, before) for each in found])

    def why(self, number: int) -> Why:
        """Return why those of this encounter meet. Raises KeyError if there is no such encounter."""
        event = self._known_event()
        if not 1 <= number <= len(event.encounters):
            raise KeyError(number)
        sentences = [self.note] if self.format is None else self.format.why(event, event.encounter(number))
        return Why(number, sentences)

    def _known_event(self) -> Event:
        if self.event is None:
            raise BadOption(self.note)
        return self.event

    def _points_before(self, number: int) -> Mapping[str, float]:
        """Return the points in the event, by bot, when this round was to be paired."""
        if number not in self._before:
            earlier = self._known_event().before(number)
            standings = ranked_by_points(earlier) if self.format is None else self.format.standings(earlier)
            self._before[number] = {line.bot: line.points for line in standings}
        return self._before[number]

    # --- the format ---------------------------------------------------------------------------------------------------

    @cached_property
    def _details(self) -> Details:
        if self.event is None or self.format is None:
            return Details()
        return self.format.details(self.event)

    @property
    def _tie_breaks(self) -> Sequence[str]:
        return () if self.event is None or self.format is None else self.format.tie_breaks(self.event)


def _faults(matches: Sequence[EventMatch]) -> list[FaultItem]:
    """Return the loser's faults: in a duel the loser's fault ended it, unless that was a rule or the referee."""
    counts: Counter[tuple[str, str]] = Counter()
    for match in matches:
        fault = match.termination not in (None, "rule", "adjudicated")
        if (
            fault
            and match.termination
            and match.scores
            and len(match.scores) == DUEL
            and len(set(match.scores)) == DUEL
        ):
            counts[match.bots[match.scores.index(min(match.scores))], match.termination] += 1
    return [FaultItem(bot, termination, games) for (bot, termination), games in sorted(counts.items())]


def _understood(row: TournamentRow) -> tuple[Event | None, Format | None, str]:
    """Return the event without its encounters, its format, and a sentence if one of them is no longer installed."""
    if row.game not in games():
        return None, None, f"the game {row.game!r} is not installed here, so there are counts only; install it again"
    event = Event(row.game, row.entries)
    event.read_reasons(row.settings)
    try:
        return event, format_of(row.format, row.rules), ""
    except (BadOption, ImportError) as error:  # of a third-party package, which is gone or broken
        return event, None, f"{str(error).rstrip('.')}; until it is installed again, points of games are what is shown"


def _entry(row: TournamentRow, number: int, connected: Collection[str]) -> EntryItem:
    entry = row.entries[number]
    return EntryItem(
        bot=entry.bot,
        number=entry.number,
        rating=entry.rating,
        joined=entry.joined,
        left=entry.left,
        byes=sorted(entry.byes),
        connected=entry.bot in connected,
    )


def _encounter(encounter: Encounter, before: Mapping[str, float]) -> EncounterItem:
    plan, points = encounter.plan, encounter.game_points()
    matches = [
        EncounterMatch(match.match, list(match.bots), match.status, _scores(match), match.detail)
        for match in encounter.matches
    ]
    return EncounterItem(
        number=encounter.number,
        round=plan.round,
        board=plan.board,
        bots=list(plan.bots),
        kind=plan.kind,
        part=plan.part,
        games=plan.games,
        over=encounter.over,
        points=[points[bot] for bot in plan.bots],
        before=[before.get(bot, 0.0) for bot in plan.bots],
        forfeits=sorted(encounter.forfeits),
        matches=matches,
    )


def _scores(match: EventMatch) -> list[float] | None:
    return None if match.scores is None else list(match.scores)


def as_rounds(view: EventView) -> list[RoundItem]:
    """Return all planned rounds, in order."""
    planned: dict[int, Any] = dict.fromkeys(range(1, view.last_round + 1))
    event = view.event
    return [] if event is None else [view.round(number) for number in planned if event.round(number)]


# Events as files: JSON of everything, CSV of the standings, the cross-table in Markdown, TRF, records of all games.

Form = Literal["json", "csv", "md", "trf", "text"]

TYPES = {
    "json": "application/json",
    "csv": "text/csv",
    "md": "text/markdown",
    "trf": "text/plain",
    "text": "text/plain",
}
TEXTS = frozenset(TYPES.values()) - {TYPES["json"]}
PAGE = 500  # matches read at once
NOTE_MARK = "% "  # begins a line of text that is no record


class EventExport(msgspec.Struct, frozen=True):
    """All data of an event, without the games."""

    tournament: TournamentDetail
    rounds: list[RoundItem]


def exported(view: EventView, form: Form, faults: Sequence[EventFault] = ()) -> str:
    """Return the event as JSON, CSV, Markdown or TRF; for "text" see `record_texts`. CSV has the reasons of `faults`.

    Raises BadOption if its format is not installed, and of TRF for tables of three.
    """
    if form == "json":
        everything = EventExport(view.detail(), as_rounds(view))
        return msgspec.json.format(msgspec.json.encode(everything)).decode() + "\n"
    if view.event is None or view.format is None:
        raise BadOption(view.note)
    if form == "trf":
        return event_trf(view.event, view.format, view.row.name)
    if form == "csv":
        return standings_csv(view.event, view.format, faults)
    return crosstable_markdown(view.event, view.format)


async def faults_for(store: Store, view: EventView, form: Form, most: int = MOST) -> list[EventFault]:
    """Return the faults that a form of an event has, which are read from at most so many records. Raises StoreError."""
    return [] if form != "csv" or view.event is None else await event_faults(store, view.event, most=most)


async def record_texts(store: Store, number: int) -> AsyncIterator[str]:
    """Yield the records of its finished matches, in a form much like PGN, the oldest first.

    If there are archived ones, the first line says where they are; it begins with `%`, as PGN marks a note.
    """
    if archived := left_out(await store.archives(KeptQuery(tournament=number))):
        yield f"{NOTE_MARK}{archived}\n\n"
    ids: list[str] = []
    before = None
    while page := await store.matches(status="finished", tournament=number, limit=PAGE, before=before):
        before = page[-1].id
        ids += [row.id for row in page if row.archived is None]
    for place, match in enumerate(reversed(ids)):
        record = await store.record(match)
        if record is not None:
            yield ("\n" if place else "") + record_to_text(record)
