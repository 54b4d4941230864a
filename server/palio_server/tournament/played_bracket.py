"""A bracket in its present state: the bots in each pairing, those who have gone on, and the next plans.

It is computed from an event's entries and encounters, so that it is the same after a restart. Three rules keep it so
when bots leave: a bot that has been planned in the first round is in the bracket; a pairing that its encounters have
decided stays decided; and a walkover is planned as a bye, which stands from then on.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from palio_db.event_values import Entry, Plan
from palio_server.tournament.bracket import THIRD_PLACE, Decision, Pairing, PairingTerms, decide, pairings
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.standing import Bracket, BracketMatch, BracketRound


@dataclass(frozen=True, slots=True)
class Tie:
    """A pairing with its bots, as far as these are known; `bots` and `pairing.sources` go together."""

    pairing: Pairing
    bots: tuple[str | None, ...]
    encounters: tuple[Encounter, ...]
    decision: Decision

    @property
    def known(self) -> list[str]:
        return [bot for bot in self.bots if bot is not None]

    @property
    def winner(self) -> str | None:
        return self.decision.winner

    @property
    def losers(self) -> list[str]:
        """The bots that it has eliminated; [] while it is not decided."""
        return [] if self.winner is None else [bot for bot in self.known if bot != self.winner]


class PlayedBracket:
    """The bracket of an event. `ties` are by round and board; the third place comes last."""

    def __init__(self, event: Event, terms: PairingTerms, games: int, *, third_place: bool) -> None:
        """`games` is the number in an encounter."""
        self.terms = terms
        self.games = games
        self.seeds = [entry.bot for entry in entrants(event)]
        self.numbers = {bot: number for number, bot in enumerate(self.seeds, 1)}
        self._last_round = event.last_round
        self._gone = {bot for bot in self.seeds if self._left(event.entry(bot))}
        self._parts: dict[str, list[Encounter]] = {}
        for encounter in event.encounters:
            self._parts.setdefault(encounter.plan.part, []).append(encounter)
        self._ties: dict[str, Tie] = {}
        for pairing in pairings(len(self.seeds), seats_of(event), third_place=third_place):
            self._ties[pairing.id] = self._tie(pairing)
        self.passed = Counter(tie.winner for tie in self.main if tie.winner is not None)  # rounds, byes too
        self.lost = {bot: tie for tie in self.main for bot in tie.losers}  # the pairing in which each was eliminated

    @property
    def ties(self) -> list[Tie]:
        return list(self._ties.values())

    @property
    def main(self) -> list[Tie]:
        """All pairings but the third place."""
        return [tie for tie in self.ties if not tie.pairing.losers]

    @property
    def third_place(self) -> Tie | None:
        return self._ties.get(THIRD_PLACE)

    @property
    def champion(self) -> str | None:
        """The winner of the final; of one entrant, that one."""
        if len(self.seeds) == 1:
            return self.seeds[0]
        return self.main[-1].winner if self._ties else None

    @property
    def over(self) -> bool:
        return all(tie.winner is not None for tie in self.ties)

    def tie(self, part: str) -> Tie:
        return self._ties[part]

    def plans(self) -> Iterator[Plan]:
        """Yield all that can be planned now: byes, walkovers, and encounters of pairings whose bots are known."""
        for tie in self.ties:
            if tie.decision.again:
                yield self._encounter(tie)
            elif tie.decision.how in ("bye", "walkover") and not any(map(_bye, tie.encounters)):
                yield self._plan(tie, (tie.decision.winner or "",), 0)

    def details(self) -> Bracket:
        rounds: dict[int, list[BracketMatch]] = {}
        titles: dict[int, str] = {}
        for tie in self.main:
            rounds.setdefault(tie.pairing.round, []).append(self._match(tie))
            titles[tie.pairing.round] = tie.pairing.title
        third = self.third_place
        shown = [BracketRound(titles[number], number, matches) for number, matches in rounds.items()]
        return Bracket(shown, None if third is None else self._match(third))

    def _left(self, entry: Entry) -> bool:
        """Return True if it plays no further match. Rounds of a bracket overlap, so a bot that has left before the next
        one is gone.
        """
        return entry.left is not None and entry.left <= self._last_round + 1

    def _tie(self, pairing: Pairing) -> Tie:
        bots = tuple(self._from(source, losers=pairing.losers) for source in pairing.sources)
        encounters = tuple(self._parts.get(pairing.id, ()))
        known = [bot for bot in bots if bot is not None]
        if len(known) < len(bots):
            return Tie(pairing, bots, encounters, Decision())
        known.sort(key=lambda bot: self.numbers[bot])
        return Tie(pairing, bots, encounters, decide(known, encounters, self.terms, self._gone))

    def _from(self, source: int | str, *, losers: bool) -> str | None:
        if isinstance(source, int):
            return self.seeds[source - 1]
        before = self._ties[source]
        return next(iter(before.losers), None) if losers else before.winner

    def _encounter(self, tie: Tie) -> Plan:
        """Return the next encounter; in each another bot has the first seat of the first game, the better seed to begin
        with.
        """
        bots, number = sorted(tie.known, key=lambda bot: self.numbers[bot]), len(tie.encounters)
        turn = number % len(bots)
        return self._plan(tie, (*bots[turn:], *bots[:turn]), self.games)

    def _plan(self, tie: Tie, bots: tuple[str, ...], games: int) -> Plan:
        """Return a plan. All pairings of a round have the same openings, and no other round has them."""
        pairing = tie.pairing
        if not games:
            return Plan(pairing.round, pairing.board, bots, 0, 0, "pairing-bye", pairing.id)
        opening = (pairing.round - 1) * (self.terms.best_of + self.terms.extra) + len(tie.encounters)
        return Plan(pairing.round, pairing.board, bots, games, opening, "played", pairing.id)

    def _match(self, tie: Tie) -> BracketMatch:
        scores = tie.decision.scores
        return BracketMatch(
            id=tie.pairing.id,
            bots=list(tie.bots),
            seeds=[None if bot is None else self.numbers[bot] for bot in tie.bots],
            scores=[0.0 if bot is None else scores.get(bot, 0.0) for bot in tie.bots],
            sources=[source if isinstance(source, str) else "" for source in tie.pairing.sources],
            losers=tie.pairing.losers,
            winner=tie.winner,
            decided=tie.decision.how,
            encounters=[encounter.number for encounter in tie.encounters],
        )


def seats_of(event: Event) -> int:
    """Return how many bots a pairing has: as many as the game has seats; in races heats of two."""
    return 2 if event.race else event.seats


def entrants(event: Event) -> Sequence[Entry]:
    """Return the bots in the bracket, the best seed first: once the first round is planned, all in it, even if they
    leave.
    """
    planned = {bot for encounter in event.round(1) for bot in encounter.bots}
    return [entry for entry in event.seeds() if entry.bot in planned or entry.plays_in(1)]


def _bye(encounter: Encounter) -> bool:
    return encounter.plan.kind != "played"


# A value computed from an event, kept until the event changes, for several calls in a row.

Made = TypeVar("Made")


class Newest(Generic[Made]):
    """The last value that `make` has made. It must be treated as frozen."""

    def __init__(self, make: Callable[[Event], Made]) -> None:
        self._make = make
        self._kept: tuple[Event, int, Made] | None = None

    def of(self, event: Event) -> Made:
        """Return the value for an event, made again only if it is another event, or has changed."""
        kept = self._kept  # read once: a thread may call at the same time
        if kept is not None and kept[0] is event and kept[1] == event.revision:
            return kept[2]
        revision = event.revision  # of before: a change meanwhile makes it old
        made = self._make(event)
        self._kept = event, revision, made
        return made
