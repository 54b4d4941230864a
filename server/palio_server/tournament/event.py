"""An event as a format sees it: its entrants, its encounters, and their results.

The values are the store's (`palio_db.event_values`). An `Event` grows as results come in; formats only read it, and the
same contents give the same answers, in any order of arrival.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_rules.contract.messages import MAX_ENTRANTS
from palio_rules.errors import BadOption
from palio_rules.registry import game as rules_of


@dataclass(frozen=True, slots=True)
class Encounter:
    """A planned encounter and its matches, by game; some of them may not be scheduled yet."""

    number: int  # from 1, in the order of planning
    plan: Plan
    matches: tuple[EventMatch, ...] = ()
    forfeits: frozenset[str] = frozenset()

    @property
    def bots(self) -> tuple[str, ...]:
        return self.plan.bots

    def numbered(self, number: int) -> "Encounter":
        """Return the same encounter with another number, for a part of its event."""
        if number == self.number:
            return self
        return replace(self, number=number, matches=tuple(replace(each, encounter=number) for each in self.matches))

    @property
    def finished(self) -> list[EventMatch]:
        """Its matches that have a result."""
        return [match for match in self.matches if match.scores is not None]

    @property
    def over(self) -> bool:
        """True if no further result can come."""
        if self.plan.kind != "played":
            return True
        if self.forfeits:  # matches that have begun are played to their end
            return not any(match.status == "running" for match in self.matches)
        done = sum(match.status in ("finished", "aborted") for match in self.matches)
        return done >= self.plan.games

    @property
    def fought(self) -> bool:
        """True if at least one game was played."""
        return any(match.fought for match in self.finished)

    @property
    def void(self) -> bool:
        """True if it is over without a result: all its games were aborted."""
        return self.plan.kind == "played" and self.over and not self.finished and not self.forfeits

    @property
    def missing(self) -> int:
        """The number of its games that are not over."""
        return self.plan.games - sum(match.status in ("finished", "aborted") for match in self.matches)

    def game_points(self, *, forfeits_count: bool = True) -> dict[str, float]:
        """Return the points of each bot in its games; forfeited games are included if `forfeits_count`."""
        points = dict.fromkeys(self.bots, 0.0)
        for match in self.finished:
            for bot, score in zip(match.bots, match.scores or (), strict=True):
                points[bot] += score
        if self.forfeits and forfeits_count:
            others = [bot for bot in self.bots if bot not in self.forfeits]
            for bot in others:
                points[bot] += self.missing / len(others)
        return points

    def shares(self) -> dict[str, float]:
        """Return the scores of the encounter as a whole: the share of the others that each has left behind, level ones
        count half.

        So a duel is worth 1, 1/2 or 0, for any number of its games.
        """
        made = self.game_points()
        if len(made) < 2:
            return dict.fromkeys(made, 0.0)
        if len(self.forfeits) == len(self.bots) or self.void:
            return dict.fromkeys(made, 0.0)
        return {
            bot: sum(ahead(points, theirs) for other, theirs in made.items() if other != bot) / (len(made) - 1)
            for bot, points in made.items()
        }


def ahead(points: float, theirs: float) -> float:
    """Return 1 for more points than theirs, 1/2 for as many, 0 for fewer."""
    return 0.5 if abs(points - theirs) < 1e-9 else float(points > theirs)


class Event:
    """Entrants and encounters of one tournament in one game."""

    def __init__(self, game: str, entries: Iterable[Entry] = ()) -> None:
        self.game = game
        rules = rules_of(game)
        self.race = rules.kind == "race"
        self.seats = len(rules.seats)  # in each match; 1 for a race, with any number of entrants
        self._entries: dict[str, Entry] = {}
        self._encounters: list[Encounter] = []
        self._open: dict[int, Encounter] = {}
        self._rounds: dict[int, list[int]] = {}  # numbers of encounters
        self._games: list[int] = []  # planned before each encounter
        self.planned = 0  # games
        self.settled: list[Encounter] = []  # in the order in which they were over; only ever appended to
        self.broken: Mapping[str, str] = {}  # bots that did not start, and why: they lose their games by forfeit
        self.given_up: Mapping[str, str] = {}  # bots that played and were withdrawn for a failure, and which
        self.revision = 0  # changes with every change of the event
        for entry in entries:
            self.enter(entry)

    # --- read --------------------------------------------------------------------------------------------------------

    @property
    def entries(self) -> list[Entry]:
        """The entries in the order of their starting numbers."""
        return sorted(self._entries.values(), key=lambda entry: entry.number)

    def entry(self, bot: str) -> Entry:
        return self._entries[bot]

    def seeds(self) -> list[Entry]:
        """Return the entries, the strongest first: by rating, those without one last; among equals by number."""
        return sorted(self._entries.values(), key=lambda entry: (-(entry.rating or 0.0), entry.number))

    @property
    def encounters(self) -> Sequence[Encounter]:
        """The encounters by number: the first one is number 1."""
        return self._encounters

    def encounter(self, number: int) -> Encounter:
        return self._encounters[number - 1]

    def game_number(self, match: EventMatch) -> int:
        """Return the number of the game in the event, from 1, in the order of planning: a repetition has the same
        number.
        """
        return self._games[match.encounter - 1] + match.game + 1

    @property
    def open(self) -> Sequence[Encounter]:
        """The encounters that are not over, by number."""
        return [self._open[number] for number in sorted(self._open)]

    @property
    def open_count(self) -> int:
        """The number of encounters that are not over."""
        return len(self._open)

    @property
    def all_over(self) -> bool:
        """True if every planned encounter is over."""
        return not self._open

    @property
    def last_round(self) -> int:
        """The last round that has been planned; 0: none."""
        return max(self._rounds, default=0)

    @property
    def round_now(self) -> int:
        """The first round that is being played; between two rounds, and in the end, the last that was; 0: none."""
        played = max((encounter.plan.round for encounter in self.settled), default=0)
        begun = [
            each.plan.round
            for each in self._open.values()
            if any(match.status != "scheduled" for match in each.matches)
        ]
        return min(begun, default=played or min((each.plan.round for each in self._open.values()), default=0))

    def round(self, number: int) -> list[Encounter]:
        """Return the encounters of a round, by board."""
        found = [self._encounters[place] for place in self._rounds.get(number, ())]
        return sorted(found, key=lambda encounter: encounter.plan.board)

    def round_over(self, number: int) -> bool:
        return all(encounter.over for encounter in self.round(number))

    def before(self, round_: int) -> "Event":
        """Return the event as it was when this round was to be paired: with the results of the earlier ones."""
        earlier = Event(self.game, self.entries)
        earlier.broken, earlier.given_up = self.broken, self.given_up
        kept = [encounter for encounter in self._encounters if encounter.plan.round < round_]
        for encounter in kept:  # numbers stay without a gap
            earlier.add_whole(encounter.numbered(len(earlier._encounters) + 1))
        return earlier

    # --- change ------------------------------------------------------------------------------------------------------

    def read_reasons(self, settings: Mapping[str, Any]) -> None:
        """Take from an event's settings which bots did not start or were given up, and why."""
        self.broken, self.given_up = settings.get(BROKEN, {}), settings.get(GIVEN_UP, {})

    def enter(self, entry: Entry) -> None:
        """Add an entry, or replace the one of that bot."""
        self._entries[entry.bot] = entry
        self.revision += 1

    def add(self, row: EncounterRow) -> Encounter:
        """Add a planned encounter; its number follows the last one's."""
        return self.add_whole(Encounter(row.number, row.plan, (), row.forfeits))

    def add_whole(self, encounter: Encounter) -> Encounter:
        """Add a planned encounter with its matches."""
        assert encounter.number == len(self._encounters) + 1
        plan = encounter.plan
        self._rounds.setdefault(plan.round, []).append(len(self._encounters))
        self._games.append(self.planned)
        self.planned += plan.games if plan.kind == "played" else 0
        self._encounters.append(encounter)
        self.revision += 1
        if encounter.over:
            self.settled.append(encounter)
        else:
            self._open[encounter.number] = encounter
        return encounter

    def note(self, match: EventMatch) -> Encounter:
        """Keep the state of a match; return its encounter."""
        former = self.encounter(match.encounter)
        others = tuple(each for each in former.matches if each.game != match.game)
        matches = tuple(sorted((*others, match), key=lambda each: each.game))
        return self._put(replace(former, matches=matches))

    def drop(self, number: int, matches: Iterable[str]) -> Encounter:
        """Remove matches of an encounter that are no longer scheduled."""
        former, gone = self.encounter(number), set(matches)
        return self._put(replace(former, matches=tuple(each for each in former.matches if each.match not in gone)))

    def forfeit(self, number: int, bot: str) -> Encounter:
        """Let a bot forfeit the unfinished games of an encounter."""
        former = self.encounter(number)
        return self._put(replace(former, forfeits=former.forfeits | {bot}))

    def replan(self, number: int, plan: Plan) -> Encounter:
        """Replace the bots of an encounter, for a heat that is run without one of them."""
        return self._put(replace(self.encounter(number), plan=plan))

    def _put(self, encounter: Encounter) -> Encounter:
        self._encounters[encounter.number - 1] = encounter
        self.revision += 1
        if not encounter.over:
            self._open[encounter.number] = encounter
        elif self._open.pop(encounter.number, None) is not None:
            self.settled.append(encounter)
        return encounter


# Limits on the number of bots in an event, and the settings that keep those that did not start or were given up.

BROKEN = "broken"  # among an event's settings: bots that did not start and lose their games by forfeit, and why
GIVEN_UP = "given_up"  # the same for bots that were withdrawn for a failure while the event was played
FILES = "files"  # and the files that palio run writes
NUMBERS = {1: "one bot", 2: "two bots", 3: "three bots", 4: "four bots"}


def check_entrants(bots: Sequence[str], least: int, *, race: bool) -> None:
    """Raise BadOption unless there are `least` different ones, and no more than one heat takes if all race at once."""
    if len(bots) < least:
        more = "one" if least - len(bots) == 1 else least - len(bots)
        number = NUMBERS.get(least, f"{least} bots")
        raise BadOption(f"a tournament needs {number} at least; name {more} more, `random` is always there")
    if race and len(bots) > MAX_ENTRANTS:
        raise BadOption(f"a race has at most {MAX_ENTRANTS} entrants, {len(bots)} are named; leave some out")
    if twice := next((bot for place, bot in enumerate(bots) if bot in bots[:place]), None):
        raise BadOption(f"two bots are called {twice!r}; give one of them another name, as in {twice}2=SPEC")
