"""Plays any format to its end with made-up results, and checks the promises of all formats on the way.

`play_out(format_, event, ...)`: the event at its end. Whenever plans are asked for, an event that is built again from
the contents of a database, and a new format, must give the same ones; no place is planned twice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

import pytest

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_rules.records.boards import shares
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.format import Format
from palio_server.tournament.round_robin import orders

Meddle = Callable[["PlayedEvent", int], None]  # between matches, after so many of them: withdraw a bot, add a bot


@dataclass
class PlayedEvent:
    """An event, and the rows that a database would have of it."""

    event: Event
    rows: dict[int, EncounterRow] = field(default_factory=dict)
    matches: dict[str, EventMatch] = field(default_factory=dict)  # as they stand, in the order in which they ended

    def rebuilt(self) -> Event:
        again = Event(self.event.game, self.event.entries)
        for number in sorted(self.rows):
            again.add(self.rows[number])
        for match in self.matches.values():
            again.note(match)
        return again

    def plan(self, plan: Plan) -> None:
        row = EncounterRow(len(self.rows) + 1, plan)
        self.rows[row.number] = row
        self.event.add(row)

    def note(self, match: EventMatch) -> None:
        self.matches.pop(match.match, None)
        self.matches[match.match] = match
        self.event.note(match)

    def enter(self, entry: Entry) -> None:
        self.event.enter(entry)

    def forfeit(self, number: int, bot: str) -> None:
        row = self.rows[number]
        self.rows[number] = EncounterRow(number, row.plan, row.forfeits | {bot})
        self.event.forfeit(number, bot)


@dataclass
class Results:
    """Made-up ones: of the two, a bot that is stronger by 1 wins nine times in ten or so."""

    random: Random
    strengths: Mapping[str, float]
    draws: float  # how many duels are drawn
    absences: float  # how many are decided because a bot did not come

    def of(self, event: Event, bots: Sequence[str]) -> tuple[tuple[float, ...], bool]:
        """Scores by seat, and whether the match was fought."""
        fought = self.random.random() >= self.absences
        if event.race:
            costs = [None if self.random.random() < 0.1 else round(10 * self._luck(bot)) for bot in bots]
            return tuple(shares(costs)), fought
        if len(bots) == 2 and fought and self.random.random() < self.draws:
            return (0.5, 0.5), True
        luck = [self._luck(bot) for bot in bots]
        best = luck.index(min(luck))
        return tuple(float(seat == best) for seat in range(len(bots))), fought

    def _luck(self, bot: str) -> float:
        return self.random.expovariate(10 ** self.strengths.get(bot, 0.0))


def play_out(
    format_: Format,
    event: Event,
    *,
    seed: int = 0,
    strengths: Mapping[str, float] | None = None,
    draws: float = 0.3,
    absences: float = 0.0,
    most: int = 4,
    meddle: Meddle | None = None,
    rebuild: bool = True,
    limit: int = 20_000,
) -> PlayedEvent:
    """Play until it is over, one match after the other, in an order that `seed` draws. Fails if it takes `limit`."""
    random = Random(seed)
    results = Results(random, strengths or {}, draws, absences)
    played = PlayedEvent(event)
    format_.check(event)
    for step in range(limit):
        if rebuild:
            _same_after_a_restart(format_, played, most)
        if format_.over(event):
            _standings_are_complete(format_, event)
            return played
        plans = format_.next(event, most)
        _never_twice(event, plans)
        for plan in plans:
            played.plan(plan)
        assert plans or event.open, f"nothing to play, and not over: {event.encounters}"
        if event.open:
            _finish_a_match(played, random.choice(event.open), results)
        if meddle is not None:
            meddle(played, step)
    raise AssertionError(f"not over after {limit} matches")


def _same_after_a_restart(format_: Format, played: PlayedEvent, most: int) -> None:
    again, anew = played.rebuilt(), type(format_)(format_.rules)
    assert anew.next(again, most) == format_.next(played.event, most)
    assert anew.over(again) == format_.over(played.event)
    assert anew.standings(again) == format_.standings(played.event)


def _never_twice(event: Event, plans: Sequence[Plan]) -> None:
    taken = {(each.plan.round, each.plan.board, each.plan.part) for each in event.encounters}
    places = [(plan.round, plan.board, plan.part) for plan in plans]
    assert len(set(places)) == len(places)
    assert not taken.intersection(places)
    for plan in plans:
        assert len(set(plan.bots)) == len(plan.bots)
        if plan.kind != "absent":
            assert all(event.entry(bot).left is None or plan.round < event.entry(bot).left for bot in plan.bots)


def _finish_a_match(played: PlayedEvent, encounter: Encounter, results: Results) -> None:
    done = {match.game for match in encounter.matches}
    game = next(game for game in range(encounter.plan.games) if game not in done)
    seated = encounter.bots if played.event.race else orders(encounter.bots)[game]
    scores, fought = results.of(played.event, seated)
    name = f"{encounter.number}-{game}"
    ms = tuple(results.random.randrange(1000) for _ in seated)
    played.note(EventMatch(name, encounter.number, game, seated, "finished", scores, ms, None, fought))


def _standings_are_complete(format_: Format, event: Event) -> None:
    standings = format_.standings(event)
    assert sorted(line.bot for line in standings) == sorted(entry.bot for entry in event.entries)
    ranks = [line.rank for line in standings]
    assert ranks == sorted(ranks)
    names = format_.tie_breaks(event)
    assert all(len(line.tie_breaks) == len(names) for line in standings)


@pytest.fixture(scope="session", name="play_out")
def _play_out() -> Callable[..., PlayedEvent]:
    return play_out
