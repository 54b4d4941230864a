"""Knockout: the loser of a pairing is out. Byes, best of N encounters, third place, and a decision in every case.

The bracket, and the decision of a pairing, are in `tournament/bracket.py`. Encounters are scored as a whole, with any
`scoring`. Rounds are those of the bracket; but no pairing waits for another one that it does not depend on, so several
rounds may be in play.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import factorial
from typing import Any, ClassVar

from palio_db.event_values import Plan
from palio_rules.errors import BadOption
from palio_server.tournament.bracket import PairingTerms, check_size
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.format import Format, FormatRules
from palio_server.tournament.played_bracket import Newest, PlayedBracket, Tie, entrants, seats_of
from palio_server.tournament.standing import Details, Standing


class KnockoutRules(FormatRules, frozen=True, forbid_unknown_fields=True, kw_only=True):
    best_of: int = 1  # encounters of a pairing; an even number may end level
    extra: int = 2  # encounters at most to decide a level pairing, before clocks and seeds do
    third_place: bool = True  # True: the losers of the semi-finals meet; duels and races only


LIMITS = {"best_of": (1, 99), "extra": (0, 99)}


class Knockout(Format):
    name: ClassVar[str] = "knockout"
    title: ClassVar[str] = "Knockout"
    rules_type: ClassVar[type[FormatRules]] = KnockoutRules
    rules: KnockoutRules

    def __init__(self, rules: KnockoutRules) -> None:
        super().__init__(rules)
        self._newest = Newest(self._played)

    def check(self, event: Event) -> None:
        check_rules(self.rules, event)
        if self.rules.rounds is not None:
            raise BadOption("a knockout has as many rounds as its bracket needs; leave --rounds out")
        if self.rules.tie_breaks:
            raise BadOption(
                "a knockout has no tie-breaks to choose: extra encounters, clocks and seeds decide; "
                "leave --tie-breaks out"
            )
        check_size(len(entrants(event)), seats_of(event))

    def next(self, event: Event, most: int) -> list[Plan]:
        """Return every encounter that is possible now, even beyond `most`: each pairing has one encounter at a time."""
        del most
        return list(self._bracket(event).plans())

    def over(self, event: Event) -> bool:
        return self._bracket(event).over

    def standings(self, event: Event) -> list[Standing]:
        """Return the standings; `points` are encounters won, level ones count half; byes and walkovers
        count nothing.
        """
        return standings_of(event, self._bracket(event))

    def tie_breaks(self, event: Event) -> Sequence[str]:
        del event
        return ()

    def total(self, event: Event) -> int:
        """Return the total as if every pairing that is not decided took `best_of` encounters of full length: it may
        take fewer, or, if it is level, more.
        """
        bracket = self._bracket(event)
        return sum(self._matches(tie, bracket) for tie in bracket.ties)

    def rounds_in_all(self, event: Event) -> int | None:
        """Return the rounds of the bracket."""
        return max((tie.pairing.round for tie in self._bracket(event).ties), default=None)

    def details(self, event: Event) -> Details:
        return Details(bracket=self._bracket(event).details())

    def why(self, event: Event, encounter: Encounter) -> list[str]:
        bracket = self._bracket(event)
        return list(_reasons(bracket, bracket.tie(encounter.plan.part), encounter))

    def admits_late(self, event: Event) -> str:
        return "the bracket is drawn; who comes late can play in the next knockout" if event.encounters else ""

    def _bracket(self, event: Event) -> PlayedBracket:
        return self._newest.of(event)

    def _played(self, event: Event) -> PlayedBracket:
        rules = self.rules
        games = rules.games_per_encounter or (1 if event.race else factorial(event.seats))
        return PlayedBracket(event, PairingTerms(rules.best_of, rules.extra), games, third_place=rules.third_place)

    def _matches(self, tie: Tie, bracket: PlayedBracket) -> int:
        if len(tie.bots) == 1:
            return 0
        played = [encounter for encounter in tie.encounters if encounter.plan.kind == "played"]
        made = sum(each.plan.games - (each.missing if each.over else 0) for each in played)
        if tie.winner is not None:
            return made
        return made + bracket.games * max(int(tie.decision.again), self.rules.best_of - len(played))


def check_rules(rules: Any, event: Event) -> None:
    """Raise BadOption if a number of a knockout's rules is out of range."""
    for name, (least, most) in LIMITS.items():
        if not least <= getattr(rules, name) <= most:
            raise BadOption(f"knockout: {name}={getattr(rules, name)} is out of range; give {least} to {most}")
    orders = 1 if event.race else factorial(event.seats)
    if rules.games_per_encounter is not None and not 1 <= rules.games_per_encounter <= orders:
        raise BadOption(
            f"--games-per-encounter {rules.games_per_encounter} is out of range: {event.game} has {orders} "
            f"{'order' if orders == 1 else 'orders'} of the seats; give {'1' if orders == 1 else f'1 to {orders}'}"
        )


def standings_of(event: Event, bracket: PlayedBracket) -> list[Standing]:
    """Return winner, runner-up, third and fourth if they have met, then by the round in which they lost: shared ranks.

    A bot that is still in ranks above one that is out. In the final of a table, points rank those who have lost.
    """
    merits = {entry.bot: _merit(bracket, entry.bot) for entry in event.entries}
    seeds = [entry.bot for entry in event.seeds()]
    order = sorted(seeds, key=lambda bot: merits[bot], reverse=True)
    shares, forfeits = _shares(event), _forfeits(event)
    lines: list[Standing] = []
    for _, equals in groupby(order, key=lambda bot: merits[bot]):
        rank = len(lines) + 1
        for bot in equals:
            line = _line(event, bracket, bot, rank, shares.get(bot, ()))
            lines.append(replace(line, forfeits=forfeits[bot]))
    return lines


def _merit(bracket: PlayedBracket, bot: str) -> tuple[bool, int, float]:
    """Return the sort key: still in; rounds passed; and the order of those who lost in the same round."""
    if bot not in bracket.numbers:
        return (False, -1, 0.0)
    passed, lost = bracket.passed[bot], bracket.lost.get(bot)
    if lost is None:
        return (True, passed, 0.0)
    third = bracket.third_place
    if lost.pairing.id == "final":
        return (False, passed, round(lost.decision.scores[bot], 9))
    return (False, passed, float(third is not None and third.winner == bot))


def _shares(event: Event) -> dict[str, list[float]]:
    """Return the scores of each in every encounter that counts: 1, 1/2 or 0 in a duel."""
    shares: dict[str, list[float]] = {}
    for encounter in event.encounters:
        if encounter.plan.kind == "played" and encounter.over and not encounter.void:
            for bot, share in encounter.shares().items():
                shares.setdefault(bot, []).append(share)
    return shares


def _forfeits(event: Event) -> Counter[str]:
    """Return for each bot the encounters that count and were not fought."""
    given = [each for each in event.encounters if each.plan.kind == "played" and each.over and not each.void]
    return Counter(bot for encounter in given if not encounter.fought for bot in encounter.bots)


def _line(event: Event, bracket: PlayedBracket, bot: str, rank: int, shares: Sequence[float]) -> Standing:
    wins, losses = sum(share > 1 - 1e-9 for share in shares), sum(share < 1e-9 for share in shares)
    draws = len(shares) - wins - losses
    left = event.entry(bot).left is not None
    note = _note(bracket, bot)
    return Standing(rank, bot, sum(shares), len(shares), wins, draws, losses, left=left, note=note)


def _note(bracket: PlayedBracket, bot: str) -> str:
    if bot not in bracket.numbers:
        return "withdrew before the first round"
    third, lost = bracket.third_place, bracket.lost.get(bot)
    if bot == bracket.champion:
        return f"won the final{_rule(bracket.tie('final'))}" if bracket.ties else "the only entrant"
    if lost is None:
        waits = next((tie for tie in reversed(bracket.main) if bot in tie.known), None)
        return f"in {_the(waits)}" if waits else ""
    if third is not None and bot in third.known and third.winner is not None:
        done = "won" if third.winner == bot else "lost"
        return f"lost {_the(lost)} to {lost.winner}{_rule(lost)}, {done} the match for third place{_rule(third)}"
    return f"lost {_the(lost)} to {lost.winner}{_rule(lost)}"


def _rule(tie: Tie) -> str:
    """Return ` (faster clocks)`, the rule that decided a pairing; "" if the encounters did."""
    return f" ({tie.decision.how})" if tie.decision.how not in ("", "bye") else ""


def _the(tie: Tie) -> str:
    return "the final" if tie.pairing.id == "final" else tie.pairing.id


def _reasons(bracket: PlayedBracket, tie: Tie, encounter: Encounter) -> Iterator[str]:
    """Yield sentences that say why these meet, or why one of them goes on alone."""
    bots = sorted(tie.known, key=lambda bot: bracket.numbers[bot])
    if len(tie.bots) == 1:
        yield f"{bots[0]} is seed {bracket.numbers[bots[0]]} of {len(bracket.seeds)} and has a bye: {_byes(bracket)}"
        return
    if all(isinstance(source, int) for source in tie.pairing.sources):
        seeded = " and ".join(f"{bot} (seed {bracket.numbers[bot]})" for bot in bots)
        yield f"{seeded} meet in {_the(tie)}: the best meet the last, and seeds 1 and 2 can meet in the final only."
    else:
        for bot, source in zip(tie.bots, tie.pairing.sources, strict=True):
            yield _way(bracket, bracket.tie(str(source)), bot or "", losers=tie.pairing.losers)
    yield from _number(bracket, tie, encounter)
    if tie.winner is not None:
        yield _outcome(tie, encounter)


def _byes(bracket: PlayedBracket) -> str:
    byes = sum(len(tie.bots) == 1 for tie in bracket.main)
    holders = "the best seed has the bye" if byes == 1 else f"the {byes} best seeds have byes"
    return f"the first round is not full, and {holders}."


def _way(bracket: PlayedBracket, before: Tie, bot: str, *, losers: bool) -> str:
    seeded = f"{bot} (seed {bracket.numbers[bot]})"
    if len(before.bots) == 1:
        return f"{seeded} had a bye in {before.pairing.id}."
    if losers:
        return f"{seeded} lost {_the(before)} to {before.winner}{_by(before)}."
    return f"{seeded} won {_the(before)} against {' and '.join(before.losers)}{_by(before)}."


def _by(tie: Tie) -> str:
    """Return how a pairing was decided, as the end of a sentence."""
    decision = tie.decision
    ordered = [tie.winner or "", *tie.losers]
    score = ", " + " to ".join(f"{decision.scores[bot]:g}" for bot in ordered)
    clocks = " to ".join(f"{decision.clocks[bot] / 1000:g} s" for bot in ordered)
    return {
        "": score,
        "faster clocks": f"{score}, by faster clocks: {clocks} of thinking in all games of the pairing",
        "better seed": f"{score} and nothing between their clocks, as the better seed",
        "walkover": " by a walkover: the other side had left the event",
        "forfeit": f"{score}, by forfeit",
    }.get(decision.how, f"{score}, in {decision.how}")


def _number(bracket: PlayedBracket, tie: Tie, encounter: Encounter) -> Iterator[str]:
    """Yield the number of the encounter in the pairing, if there may be several."""
    played = [each.number for each in tie.encounters if each.plan.kind == "played"]
    if encounter.number not in played:
        return
    number, terms = played.index(encounter.number) + 1, bracket.terms
    if number > terms.best_of:
        yield f"It is extra encounter {number - terms.best_of} of at most {terms.extra}, for they were level."
    elif terms.best_of > 1:
        yield f"It is encounter {number} of at most {terms.best_of}."


def _outcome(tie: Tie, encounter: Encounter) -> str:
    last = tie.encounters[-1].number if tie.encounters else encounter.number
    return f"{tie.winner} won {_the(tie)}{_by(tie)}." if encounter.number == last else f"{tie.winner} won the pairing."
