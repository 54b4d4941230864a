"""The setup of the matches of an event, without the bots, which the format chooses."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

import msgspec

from palio_db.event_values import Plan
from palio_rules.adjudication import Adjudication
from palio_rules.errors import BadOption
from palio_rules.game import Game
from palio_rules.records.record import Setup
from palio_rules.registry import game as rules_of
from palio_rules.time_control import TimeControl
from palio_server.tournament.openings.book import Openings
from palio_server.tournament.openings.choice import OpeningsChoice, openings_of
from palio_server.tournament.round_robin import heat, orders, terms

# Who sits where in the games of an encounter: each bot in each seat, the same from the other end, or always as named.
Seating = Literal["swapped", "reversed", "fixed"]
PATIENT_MS = 300_000  # for being ready and coming back, where other work on the machine must cost a bot nothing


STRIKES = 3  # rejected moves that lose a match, unless the event says otherwise


class Terms(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The common terms of all matches of an event. Kept with it as plain values, by `settings`."""

    game: str
    options: dict[str, Any] = {}
    time: TimeControl = TimeControl()
    seed: int = 1  # of openings and instances
    openings: OpeningsChoice = OpeningsChoice()
    by_time: bool = False
    strikes: int = STRIKES
    lenient: bool = False  # engines have as many strikes, too; else their first rejected move loses
    max_plies: int | None = None  # None: the game's default
    adjudication: Adjudication = Adjudication()  # in duels: when the bots' own scores end a game
    seating: Seating = "swapped"
    order: tuple[str, ...] = ()  # of fixed seats: the bots as they were named
    rated: bool | None = None  # None: matches are, unless a handicap or time odds favour a seat
    times: dict[str, TimeControl] = {}  # time odds: of bots that have another time than `time`
    submissions: dict[str, str] = {}  # in a course: of which submission, by ID, bots were made
    clock: Literal["processor"] | msgspec.UnsetType = msgspec.UNSET  # what moves cost; unset: time by the wall

    @classmethod
    def of(cls, game: str, settings: Mapping[str, Any]) -> "Terms":
        """Return the terms that gave these `settings`."""
        known = {field.name for field in msgspec.structs.fields(cls)} - {"game", "time"}
        found = msgspec.convert({"game": game, **{key: settings[key] for key in known & settings.keys()}}, cls)
        if (time := settings.get("time")) is None:
            return found
        margin = settings.get("margin_ms", TimeControl().margin_ms)
        return msgspec.structs.replace(found, time=TimeControl.from_text(time, margin))

    @property
    def settings(self) -> dict[str, Any]:
        """The terms as an event keeps them; the game is the event's."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        del found["game"]
        if not self.submissions:
            del found["submissions"]
        if self.rated is None:
            del found["rated"]
        return {**found, "time": str(self.time), "margin_ms": self.time.margin_ms}

    @property
    def rules(self) -> Game[Any, Any]:
        return rules_of(self.game)

    @cached_property
    def source(self) -> Openings:
        """The source of openings. Raises BadOption; reading a book may take a while."""
        return openings_of(self.openings, self.game, self.options, self.seed)

    @property
    def is_even(self) -> bool:
        """True if no seat is favoured, by a handicap or time odds."""
        return not self.times and Setup(self.game, (), self.options).is_even

    def check(self) -> None:
        """Raise BadOption unless matches can be set up so."""
        self.rules.parse_options(self.options)
        if self.by_time and self.rules.kind != "race":
            raise BadOption(f"{self.game} is no race: --by-time ranks equal costs; leave it out")
        if self.adjudication and (self.rules.kind == "race" or len(self.rules.seats) != 2):
            raise BadOption(f"{self.game} is no duel: --draw and --resign end games of two; leave them out")
        self.source  # noqa: B018  # refuses what it cannot read

    def setups(self, plan: Plan) -> Iterator[tuple[int, Setup]]:
        """Yield the games of an encounter, each with its number from 0. Raises BadOption; instances may
        take seconds.
        """
        if self.rules.kind == "race":
            for game in range(plan.games):
                yield game, heat(self._setup(plan.bots, self.seed + plan.opening + game))
            return
        opening = self.source.opening(plan.opening).fields()
        lineups = self._lineups(plan.bots)
        for game in range(plan.games):
            yield game, self._setup(lineups[game % len(lineups)], self.seed + plan.opening, opening)

    def _lineups(self, bots: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return the seats of the first game of an encounter, of the second one, and so on, to be repeated."""
        if self.seating == "fixed":
            return [tuple(sorted(bots, key=self.order.index))]
        lineups = orders(bots)
        return lineups[1:] + lineups[:1] if self.seating == "reversed" else lineups

    def _setup(self, bots: tuple[str, ...], seed: int, opening: Mapping[str, Any] | None = None) -> Setup:
        agreed = {
            **terms(self.rules, self.time, self.max_plies),
            **(opening or {}),
            "strikes": self.strikes,
            "by_time": self.by_time,
            "adjudication": self.adjudication,
            "clock": self.clock,
            **({} if self.clock is msgspec.UNSET else {"ready_ms": PATIENT_MS, "grace_ms": PATIENT_MS}),
        }
        setup = Setup(self.game, bots, dict(self.options), seed=seed, **agreed).with_odds(self.times)
        setup = msgspec.structs.replace(setup, lenient=True) if self.lenient else setup
        return setup.with_submissions(self.submissions).with_rated(rated=self.rated)
