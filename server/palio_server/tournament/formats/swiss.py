"""Swiss: every round pairs bots of about the same score that have not met, and no bot is eliminated.

Two-handed games and races use FIDE's Dutch system (`tournament/dutch`); a race is paired heads-up, as a heat of two.
Where an encounter is one game, colours are allocated; in two games they cancel, and the bot that has been named first
less often is named first. Three or more seats: see `tournament/table_pairing.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, factorial, log2
from random import Random
from typing import Literal

import msgspec

from palio_db.event_values import Entry, Plan
from palio_rules.errors import BadOption
from palio_server.tournament.cards import Card, Scoring, cards_of
from palio_server.tournament.dutch import RoundPairing, pair_relaxed, players_of, why_board, why_bye
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.format import Format, FormatRules
from palio_server.tournament.standing import Standing
from palio_server.tournament.table_pairing import pair_tables
from palio_server.tournament.tie_breaks import checked, standings_of

TIE_BREAKS = ("buchholz_cut_1", "buchholz", "sonneborn_berger")
MAX_ROUNDS = 1000  # at tables of three or more; pairs run out of opponents earlier
MORE_ROUNDS = 2  # more than needed to leave one bot without a loss, so that the places behind it are settled better


class SwissRules(FormatRules, frozen=True, kw_only=True):
    scoring: Scoring = "encounters"
    initial_colour: Literal["white", "black"] | None = None  # of the first seed in round 1; None: drawn


@dataclass(frozen=True, slots=True)
class _Field:
    """The field of a round: cards in the order of seeds, and the numbers of those who are to be paired."""

    entries: Sequence[Entry]
    cards: Sequence[Card]
    active: frozenset[int]

    def bot(self, number: int) -> str:
        return self.entries[number - 1].bot


class Swiss(Format):
    name = "swiss"
    title = "Swiss"
    rules_type = SwissRules

    def check(self, event: Event) -> None:
        checked(self.rules.tie_breaks)
        count, seats = len(event.entries), self._seats(event)
        if count < seats:
            raise BadOption(f"a Swiss tournament needs {seats} bots at least, {count} are entered; name more")
        most = 1 if event.race else factorial(event.seats)
        games = self.rules.games_per_encounter
        if games is not None and not 1 <= games <= most:
            remedy = f"give 1 to {most}" if most > 1 else "a heat is run once; leave it out"
            raise BadOption(f"--games-per-encounter {games} is out of range; {remedy}")
        self._check_rounds(event, self.rules.rounds)

    def _check_rounds(self, event: Event, rounds: int | None) -> None:
        count = len(event.entries)
        most = MAX_ROUNDS if self._seats(event) > 2 else max(1, count - 1 + count % 2)
        if rounds is not None and not 1 <= rounds <= most:
            number = "one round" if most == 1 else f"{most} rounds"
            most_of = f"no two bots meet twice, so {count} bots have {number} at most"
            why = most_of if most < MAX_ROUNDS else "too many" if rounds > most else "too few"
            least = max(1, event.last_round)
            remedy = f"{least} to {most}" if least < most else str(most)
            raise BadOption(f"--rounds {rounds} cannot be: {why}; give {remedy}")

    # --- rounds -------------------------------------------------------------------------------------------------------

    def next(self, event: Event, most: int) -> list[Plan]:
        round_ = event.last_round + 1
        if not event.all_over or self.over(event):
            return []
        field = self._field(event, round_)
        pairing = self._pairing(event, field, round_) if self._seats(event) == 2 else None
        lineups = self._tables(event, field) if pairing is None else self._duels(event, field, pairing)
        plans = [
            Plan(round_, board, bots, self._games(event), round_ - 1)
            if len(bots) > 1
            else Plan(round_, board, bots, 0, round_ - 1, "pairing-bye")
            for board, bots in enumerate(lineups, 1)
        ]
        return [*plans, *self._absences(field.entries, round_, len(plans))]

    def _absences(self, entries: Sequence[Entry], round_: int, boards: int) -> list[Plan]:
        """Return byes for those who were there from the start and are not paired; a late entrant has no line before it
        comes.
        """
        asked = [entry for entry in entries if entry.plays_in(round_) and round_ in entry.byes]
        gone = [entry for entry in entries if entry.joined <= 1 and not entry.plays_in(round_)]
        halves = [
            Plan(round_, boards + place, (entry.bot,), 0, round_ - 1, "half-bye")
            for place, entry in enumerate(asked, 1)
        ]
        boards += len(halves)
        return [
            *halves,
            *(
                Plan(round_, boards + place, (entry.bot,), 0, round_ - 1, "absent")
                for place, entry in enumerate(gone, 1)
            ),
        ]

    def _field(self, event: Event, round_: int) -> _Field:
        entries = event.seeds()
        active = frozenset(
            number for number, entry in enumerate(entries, 1) if entry.plays_in(round_) and round_ not in entry.byes
        )
        return _Field(entries, cards_of(event, self.rules.scoring, entries), active)

    def _pairing(self, event: Event, field: _Field, round_: int) -> RoundPairing:
        games = self._games(event)
        players = players_of(field.cards, round_, field.active)
        if not self._coloured(event):
            players = {number: replace(player, colours=()) for number, player in players.items()}
        win = 10 * games if self.rules.scoring == "games" else 10
        return pair_relaxed(list(players.values()), round_, self._rounds(event), self.initial_colour(event), win)

    def _duels(self, event: Event, field: _Field, pairing: RoundPairing) -> list[tuple[str, ...]]:
        firsts = _named_first(event)
        lineups = []
        for white, black, _ in pairing.boards:
            pair = (field.bot(white.number), field.bot(black.number))
            turned = not self._coloured(event) and _earlier_first(firsts, pair[1], pair[0])
            lineups.append(pair[::-1] if turned else pair)
        return [*lineups, *([(field.bot(pairing.bye.number),)] if pairing.bye else [])]

    def _tables(self, event: Event, field: _Field) -> list[tuple[str, ...]]:
        tables = pair_tables(field.cards, event.seats, field.active)
        seated = {number for table in tables for number in table}
        tables = [*tables, *((number,) for number in sorted(field.active - seated))]
        return [tuple(map(field.bot, table)) for table in tables]

    # --- standings ---------------------------------------------------------------------------------------------------

    def over(self, event: Event) -> bool:
        if not event.all_over:
            return False
        round_ = event.last_round + 1
        return round_ > self._rounds(event) or sum(entry.plays_in(round_) for entry in event.entries) < self._seats(
            event
        )

    def standings(self, event: Event) -> list[Standing]:
        return standings_of(event, self.rules.scoring, self.tie_breaks(event), order=event.seeds())

    def tie_breaks(self, event: Event) -> Sequence[str]:
        return checked(self.rules.tie_breaks) or TIE_BREAKS

    def total(self, event: Event) -> int:
        planned = sum(
            each.plan.games - (each.missing if each.over else 0) for each in event.encounters if each.plan.games
        )
        total = planned
        for round_ in range(event.last_round + 1, self._rounds(event) + 1):
            here = sum(entry.plays_in(round_) and round_ not in entry.byes for entry in event.entries)
            total += here // self._seats(event) * self._games(event)
        return total

    def rounds_in_all(self, event: Event) -> int:
        """Return the rounds; fewer only if too few bots are left to be paired."""
        return max(self._rounds(event), event.last_round)

    def admits_late(self, event: Event) -> str:
        left = self._rounds(event) - event.last_round
        return (
            "" if left > 0 else f"all {self._rounds(event)} rounds are paired; --rounds with a greater number adds some"
        )

    def extended(self, event: Event, rounds: int) -> Format:
        paired = event.last_round
        if rounds < max(1, paired):
            raise BadOption(f"--rounds {rounds} cannot be: {paired} rounds are paired already; give {paired} or more")
        self._check_rounds(event, rounds)
        return type(self)(msgspec.structs.replace(self.rules, rounds=rounds))

    def why(self, event: Event, encounter: Encounter) -> list[str]:
        plan = encounter.plan
        if plan.kind == "half-bye":
            return [f"{plan.bots[0]} has asked not to be paired in round {plan.round}, and has half a point."]
        if plan.kind == "absent":
            return [f"{plan.bots[0]} is not there in round {plan.round}."]
        earlier = event.before(plan.round)
        field = self._field(earlier, plan.round)
        if self._seats(event) > 2:
            return _why_table(field, plan)
        return self._why_pair(event, plan, self._pairing(earlier, field, plan.round))

    def _why_pair(self, event: Event, plan: Plan, pairing: RoundPairing) -> list[str]:
        relaxed = [pairing.relaxed] if pairing.relaxed else []
        if plan.kind == "pairing-bye":
            if pairing.bye and pairing.bye.name == plan.bots[0]:
                return [*relaxed, *why_bye(pairing)]
        elif board := next(
            (each for each in pairing.boards if {each.white.name, each.black.name} == set(plan.bots)), None
        ):
            coloured = self._coloured(event)
            order = [] if coloured or event.race else [_why_first(plan.bots)]
            return [*relaxed, *order, *why_board(pairing, board, colours=coloured)]
        return [f"Round {plan.round} was paired when results or entrants were others than they are now."]

    # --- rules --------------------------------------------------------------------------------------------------------

    def _seats(self, event: Event) -> int:
        return 2 if event.race else event.seats

    def _games(self, event: Event) -> int:
        given: int | None = self.rules.games_per_encounter
        return given or (1 if event.race else factorial(event.seats))

    def _coloured(self, event: Event) -> bool:
        """Return True if seats matter: in one game they do, in two they cancel, in a race there are none."""
        return self._games(event) == 1 and not event.race

    def _rounds(self, event: Event) -> int:
        """Return the number in the rules; otherwise two more than needed to leave one bot without a loss."""
        if self.rules.rounds is not None:
            return int(self.rules.rounds)
        count = sum(entry.joined <= 1 for entry in event.entries)
        if count < 2:
            return 1
        least = ceil(log2(count))
        few = max(least, count // 2 + 1)  # with more rounds the last ones may lack new opponents
        return min(least + MORE_ROUNDS, few) if self._seats(event) == 2 else least + MORE_ROUNDS

    def initial_colour(self, event: Event) -> Literal["white", "black"]:
        """Return the colour of the first seed in round 1: drawn from values that never change, the game and the first
        entry.
        """
        if self.rules.initial_colour is not None:
            given: Literal["white", "black"] = self.rules.initial_colour
            return given
        first = min(event.entries, key=lambda entry: entry.number)
        draw = Random(f"palio swiss {event.game} {first.bot}")  # noqa: S311 - a draw for a tournament, no secret
        return draw.choice(("white", "black"))


def _named_first(event: Event) -> dict[str, list[bool]]:
    """Return for each bot, by round, True if it was named first."""
    found: dict[str, list[bool]] = {}
    for encounter in sorted(event.encounters, key=lambda each: each.plan.round):
        if encounter.plan.kind == "played":
            for bot in encounter.bots:
                found.setdefault(bot, []).append(bot == encounter.bots[0])
    return found


def _earlier_first(firsts: dict[str, list[bool]], one: str, other: str) -> bool:
    """Return True if `one` is to be named first rather than `other`."""

    def due(bot: str) -> tuple[int, list[bool]]:
        past = firsts.get(bot, [])
        return 2 * sum(past) - len(past), past[:-2:-1]

    return due(one) < due(other)


def _why_first(bots: Sequence[str]) -> str:
    return f"They play a game from each side; {bots[0]} has the first seat in the first one."


def _why_table(field: _Field, plan: Plan) -> list[str]:
    points = {card.bot: card.points for card in field.cards}
    if plan.kind == "pairing-bye":
        out = plan.bots[0]
        return [f"{out} ({points[out]:g}) is left over: the tables are full, and others have had as many byes."]
    who = ", ".join(f"{bot} ({points[bot]:g})" for bot in plan.bots)
    return [
        f"{who} sit together: tables are made by points, with as few repeated meetings as can be.",
        "Seats go to those who have sat there least.",
    ]
