"""SPRT: two bots play pairs of games until a sequential test has decided which hypothesis holds.

The test is `ratings.sprt`. A pair is one opening, played once from each side; it is counted as a whole (pentanomially)
unless `pentanomial` is off. The decision follows from the counts alone, not from the order of the results.

- A pair that a forfeit has ended counts if both of its games have a result, played or lost by absence. A pair with a
  game missing does not count: a whole pair's score would have to be guessed, and the test's probabilities hold for
  pairs that were played. In the standings its points count.
- Standings, wins, draws and losses are those of all finished games, also of pairs in progress when the test stops, as
  in the cross-table. Where the test counts fewer, notes say so.
- A race is a heat of both, and its result a win, a draw or a loss: there are no pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from palio_db.event_values import Plan
from palio_rules.errors import BadOption
from palio_server.ratings.sample import PAIRS, Sample
from palio_server.ratings.sprt import SequentialTest, SprtModel
from palio_server.tournament.event import Encounter, Event, ahead
from palio_server.tournament.format import Format, FormatRules
from palio_server.tournament.pair_figures import result_of
from palio_server.tournament.standing import Details, LlrPoint, SprtState, Standing

POINTS = 300  # of a graph, at most
MAX_PAIRS = 100_000  # a test that is undecided until then would hardly ever end
SprtCounts = tuple[int, ...]


class SprtRules(FormatRules, frozen=True):
    """Bounds of the test; `rounds` limits the pairs like `max_pairs`, the smaller one counts."""

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05
    model: SprtModel = "normalized"
    pentanomial: bool = True  # False: each game counts by itself; this holds in a race, where there are no pairs
    max_pairs: int = MAX_PAIRS  # then the test ends undecided


@dataclass(slots=True)
class _Tally:
    """The counts of an event's settled encounters."""

    seen: int = 0  # how many of `Event.settled` are counted
    games: list[int] = field(default_factory=lambda: [0, 0, 0])  # that the first has lost, drawn and won
    absent: list[int] = field(default_factory=lambda: [0, 0])  # games that each side lost because it was not there
    wholes: list[int] = field(default_factory=lambda: [0, 0, 0])  # encounters, like `games`
    pairs: list[int] = field(default_factory=lambda: [0] * PAIRS)
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    history: list[SprtCounts] = field(default_factory=list)  # the counts after each step of the test
    weighed: tuple[SprtCounts, float] | None = None  # the last ratio


class Sprt(Format):
    """Two bots and a test."""

    name, title, rules_type = "sprt", "SPRT", SprtRules

    def __init__(self, rules: SprtRules) -> None:
        """Raises BadOption for bounds that make no test, and for rules that have no meaning here."""
        super().__init__(rules)
        self.rules: SprtRules = rules
        self.test = SequentialTest(rules.elo0, rules.elo1, rules.alpha, rules.beta, rules.model)
        if rules.tie_breaks:
            raise BadOption("an SPRT has no tie-breaks: leave them out")
        if rules.max_pairs < 1 or (rules.rounds is not None and rules.rounds < 1):
            raise BadOption("an SPRT needs at least one pair of games: max_pairs and rounds are 1 or more")
        if rules.games_per_encounter not in (None, 1, 2):
            raise BadOption(f"an SPRT plays pairs of games, or single games; not {rules.games_per_encounter} at a time")
        self._tallies: WeakKeyDictionary[Event, _Tally] = WeakKeyDictionary()

    # --- the methods of Format ---------------------------------------------------------------------------------------

    def check(self, event: Event) -> None:
        if len(event.entries) != 2:
            raise BadOption(f"an SPRT tests one bot against one other, got {len(event.entries)}; name two")
        if not event.race and event.seats != 2:
            raise BadOption(
                f"an SPRT needs a game for two, and {event.game} has {event.seats} seats; a Swiss or a round robin "
                "ranks bots at its tables"
            )
        if self._paired(event) and self.rules.games_per_encounter == 1:
            raise BadOption("pairs have two games: with games_per_encounter=1 give pentanomial=false as well")
        if self.rules.model == "bayesian" and self._paired(event):
            raise BadOption("the model bayesian knows no pairs: give pentanomial=false, or another model")

    def next(self, event: Event, most: int) -> list[Plan]:
        """Return new pairs, as many as are missing to `most` in play; pair n has opening n - 1."""
        if self.over(event):
            return []
        planned = len(event.encounters)
        more = min(most - len(event.open), self._most(event) - planned)
        return [self._plan(event, number) for number in range(planned + 1, planned + more + 1)]

    def over(self, event: Event) -> bool:
        """Return True if the ratio is beyond a bound, one of the two has left, or there are no further
        pairs to play.
        """
        if self.test.verdict(self._llr(event)) != "continue" or any(entry.left is not None for entry in event.entries):
            return True
        return len(event.encounters) >= self._most(event) and event.all_over

    def standings(self, event: Event) -> list[Standing]:
        """Return both by the points of all finished games; equals in the order of entry.

        With `scoring` by encounters these are counted, of which only settled ones have a score.
        """
        tally = self._tally(event)
        points, results, absent = [*tally.points], tally.wholes, [0, 0]
        if self.rules.scoring != "encounters":
            results, absent = self._games(event), tally.absent
            bots = [entry.bot for entry in event.entries[:2]]
            for encounter in event.open:
                made = encounter.game_points(forfeits_count=False)
                points = [sofar + made.get(bot, 0.0) for sofar, bot in zip(points, bots, strict=True)]
        lost, drawn, won = results[0] + absent[0], results[1], results[2] + absent[1]
        rows = []
        for side, entry in enumerate(event.entries[:2]):
            wins, losses = (won, lost) if side == 0 else (lost, won)
            rank = 1 + (ahead(points[side], points[1 - side]) == 0)
            figures = (points[side], lost + drawn + won, wins, drawn, losses)
            left, note = entry.left is not None, self._note(event)
            rows.append(Standing(rank, entry.bot, *figures, left=left, note=note, forfeits=sum(absent)))
        return sorted(rows, key=lambda row: row.rank)

    def tie_breaks(self, event: Event) -> Sequence[str]:
        return ()

    def total(self, event: Event) -> int | None:
        """Return the total after the end; None before, because it is unknown."""
        return sum(len(each.finished) for each in event.encounters) if self.over(event) else None

    def rounds_in_all(self, event: Event) -> int | None:
        """Return None: it plays pairs until it is decided."""
        del event
        return None

    def details(self, event: Event) -> Details:
        return Details(sprt=self.state(event))

    def why(self, event: Event, encounter: Encounter) -> list[str]:
        first, second = encounter.bots
        opening = f"on opening {encounter.plan.opening + 1}"
        return [
            f"The test has these two alone: {first} meets {second} in pair {encounter.number}, {opening}.",
            f"They meet until it is decided, or {self._most(event)} times.",
        ]

    def extended(self, event: Event, rounds: int) -> "Sprt":
        """Return the format with so many pairs at most. Raises BadOption for fewer than there are."""
        if rounds < len(event.encounters):
            planned = len(event.encounters)
            raise BadOption(f"--rounds {rounds} cannot be: {planned} pairs are planned already; give {planned} or more")
        settings = {name: getattr(self.rules, name) for name in SprtRules.__struct_fields__}
        return Sprt(SprtRules(**(settings | {"rounds": rounds, "max_pairs": max(rounds, self.rules.max_pairs)})))

    # --- the test -----------------------------------------------------------------------------------------------------

    def state(self, event: Event, *, graph: bool = True) -> SprtState:
        """Return the present state of the test, with the history of the ratio if a `graph` is wanted."""
        tally, llr = self._tally(event), self._llr(event)
        lost, drawn, won = self._games(event)
        sample = Sample(self._counts(event))
        known = sample.size > 0
        first, second = (entry.bot for entry in event.entries[:2])
        return SprtState(
            first=first,
            second=second,
            model=self.test.model,
            elo0=self.test.elo0,
            elo1=self.test.elo1,
            alpha=self.test.alpha,
            beta=self.test.beta,
            llr=llr,
            lower=self.test.lower,
            upper=self.test.upper,
            state=self.test.verdict(llr),
            wins=won,
            draws=drawn,
            losses=lost,
            pairs=[*tally.pairs] if self._paired(event) else None,
            elo=sample.elo if known else None,
            elo_error=sample.elo_error if known else None,
            los=sample.los,
            points=self._graph(event) if graph else [],
        )

    def _graph(self, event: Event) -> list[LlrPoint]:
        history = self._tally(event).history
        step = max(1, -(-len(history) // (POINTS - 1)))
        kept = [*history[step - 1 :: step]]
        if len(history) % step:
            kept.append(history[-1])
        return [LlrPoint(round(Sample(counts).games), self.test.llr(Sample(counts))) for counts in kept]

    def _note(self, event: Event) -> str:
        """Return the decision, and which of the finished games it counts if these are not all."""
        verdict = self.test.verdict(self._llr(event))
        decided = "" if verdict == "continue" else f"{verdict} accepted"
        games, counted = sum(self._games(event)), 2 * sum(self._tally(event).pairs)
        if not self._paired(event) or counted == games:
            return decided
        return "; ".join(filter(None, (decided, f"the test counts whole pairs: {counted} of {games} games")))

    def _llr(self, event: Event) -> float:
        tally, counts = self._tally(event), self._counts(event)
        if tally.weighed is None or tally.weighed[0] != counts:
            tally.weighed = counts, self.test.llr(Sample(counts))
        return tally.weighed[1]

    def _counts(self, event: Event) -> SprtCounts:
        """Return the counts of the test: pairs, or games, including those of unfinished pairs."""
        return tuple(self._tally(event).pairs if self._paired(event) else self._games(event))

    def _games(self, event: Event) -> list[int]:
        """Return how many games the first has lost, drawn and won, including those of pairs that are not over."""
        games = [*self._tally(event).games]
        first = event.entries[0].bot if event.entries else ""
        for encounter in event.open:
            for match in encounter.finished:
                games[result_of(match, first)] += 1
        return games

    def _tally(self, event: Event) -> _Tally:
        """Return the counts, with the encounters settled since the last call."""
        tally = self._tallies.setdefault(event, _Tally())
        while tally.seen < len(event.settled):
            encounter = event.settled[tally.seen]
            tally.seen += 1
            if encounter.plan.kind == "played":
                self._add(tally, event, encounter)
        return tally

    def _add(self, tally: _Tally, event: Event, encounter: Encounter) -> None:
        first, second = (entry.bot for entry in event.entries[:2])
        made = encounter.shares() if self.rules.scoring == "encounters" else encounter.game_points()
        tally.points[0] += made.get(first, 0.0)
        tally.points[1] += made.get(second, 0.0)
        if not encounter.void:
            tally.wholes[round(2 * ahead(made.get(first, 0.0), made.get(second, 0.0)))] += 1
        if len(encounter.forfeits) == 1:
            tally.absent[first not in encounter.forfeits] += encounter.missing
        finished = encounter.finished
        for match in finished:
            tally.games[result_of(match, first)] += 1
        if not self._paired(event):
            tally.history += [tuple(tally.games)] if finished else []
        elif len(finished) == 2:
            tally.pairs[sum(result_of(match, first) for match in finished)] += 1
            tally.history.append(tuple(tally.pairs))

    def _paired(self, event: Event) -> bool:
        return self.rules.pentanomial and not event.race

    def _most(self, event: Event) -> int:
        return min(self.rules.max_pairs, self.rules.rounds or self.rules.max_pairs)

    def _plan(self, event: Event, number: int) -> Plan:
        bots = tuple(entry.bot for entry in event.entries)
        games = 1 if event.race else self.rules.games_per_encounter or 2
        alternates = games == 1 and not event.race  # with single games, too, an opening is played twice
        if alternates and number % 2 == 0:
            bots = bots[::-1]
        return Plan(number, 1, bots, games, (number - 1) // 2 if alternates else number - 1)
