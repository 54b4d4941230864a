"""The cross-table of a tournament, and the order that it gives.

A match is a ranking of its seats: each two of its bots are compared by score, and have won, lost or drawn against each
other. In total a bot has won if it was alone in front, and drawn if it was level with others in front.

Order: points, then Sonneborn-Berger (the points of each opponent, weighted by the score against it; Gelbfuhs and
Neustadtl), then wins. Bots that are equal in all three share a place. For Sonneborn-Berger, a level result counts half
only if there were points to share: at a table where one takes all, the others count nothing. An event with other
tie-breaks brings its own standings: see `tie_breaks`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from palio_db.values import PairScore
from palio_server.ratings.elo import Score
from palio_server.tournament.event import Event
from palio_server.tournament.standing import Standing, shared_places
from palio_server.tournament.tie_breaks import tie_break

Costs = Sequence[float | None]  # by entrant of a race; None: no solution


@dataclass(frozen=True, slots=True)
class Total:
    """The results of a bot in all its matches."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: float = 0.0  # by the referee: in a duel 1, 1/2 or 0

    @property
    def ratio(self) -> float:
        """The points a game; 0 without games."""
        return self.points / self.games if self.games else 0.0

    @property
    def draw_ratio(self) -> float:
        return self.draws / self.games if self.games else 0.0

    def add(self, points: float, others: Sequence[float]) -> "Total":
        """Return the total with one more game, in which the `others` made these points; a bot that was alone has
        neither won nor lost.
        """
        best = max(others, default=None)
        won, drawn, lost = (False,) * 3 if best is None else (points > best, points == best, points < best)
        return Total(self.games + 1, self.wins + won, self.draws + drawn, self.losses + lost, self.points + points)


@dataclass(frozen=True, slots=True)
class Paid:
    """The costs of a bot in its races. `excess` adds up how much more each was than the lowest cost of all."""

    races: int = 0
    solved: int = 0
    cost: float = 0.0
    excess: float = 0.0

    @property
    def mean(self) -> float | None:
        """The mean of the races that it has solved; None without one."""
        return self.cost / self.solved if self.solved else None

    @property
    def over_best(self) -> float | None:
        """The average distance of its solutions from the best ones: 0.05 is 5 % more. None without one."""
        return self.excess / self.solved if self.solved else None

    def add(self, cost: float | None, least: float | None) -> "Paid":
        """Return the costs with one more race, in which `least` was the lowest cost of all."""
        if cost is None or least is None:
            return Paid(self.races + 1, self.solved, self.cost, self.excess)
        excess = cost / least - 1 if least > 0 else 0.0
        return Paid(self.races + 1, self.solved + 1, self.cost + cost, self.excess + excess)


@dataclass(frozen=True, slots=True)
class CrosstableRow:
    """One bot's line. `against` has a score for every opponent that it has met; `paid` is set in races."""

    rank: int
    bot: str
    total: Total
    sonneborn_berger: float
    against: dict[str, Score] = field(default_factory=dict)
    paid: Paid | None = None


@dataclass(slots=True)
class Crosstable:
    """The table, to which games are added one at a time."""

    bots: Sequence[str]
    scores: dict[tuple[str, str], Score] = field(default_factory=dict)
    totals: dict[str, Total] = field(default_factory=dict)
    earned: dict[tuple[str, str], float] = field(default_factory=dict)  # of each opponent's points, by both names
    paid: dict[str, Paid] = field(default_factory=dict)

    def add(self, seats: Sequence[str], points: Sequence[float], costs: Costs | None = None) -> None:
        """Count a game: `seats` are bots of this table, `points` those of each, `costs` the cost of each."""
        results = list(zip(seats, points, strict=True))
        for seat, (bot, made) in enumerate(results):
            rest = results[:seat] + results[seat + 1 :]
            for other, theirs in rest:
                ahead = (1 + (made > theirs) - (made < theirs)) / 2
                self.scores[bot, other] = self.score(bot, other).add(ahead)
                self.earned[bot, other] = self.earned.get((bot, other), 0.0) + (ahead if made else 0.0)
            self.totals[bot] = self.total(bot).add(made, [theirs for _, theirs in rest])
        if costs is not None:
            least = min((cost for cost in costs if cost is not None), default=None)
            for bot, cost in zip(seats, costs, strict=True):
                self.paid[bot] = self.paid.get(bot, Paid()).add(cost, least)

    def score(self, bot: str, other: str) -> Score:
        return self.scores.get((bot, other), Score())

    def total(self, bot: str) -> Total:
        return self.totals.get(bot, Total())

    def pairs(self) -> list[tuple[str, str, Score]]:
        """Return every pair that has met, each once, in the order in which the bots were entered."""
        return [(*pair, self.scores[pair]) for pair in combinations(self.bots, 2) if pair in self.scores]

    def rows(self) -> list[CrosstableRow]:
        """Return the lines in order of rank."""
        weights = {bot: self._sonneborn_berger(bot) for bot in self.bots}

        def merit(bot: str) -> tuple[float, float, int]:
            total = self.total(bot)
            return (round(total.points, 9), round(weights[bot], 9), total.wins)  # thirds add up in any order

        order = sorted(self.bots, key=merit, reverse=True)  # stable: equals stay as they were entered
        places = {merit(bot): place for place, bot in reversed(list(enumerate(order, 1)))}
        rows = []
        for bot in order:
            against = {other: self.score(bot, other) for other in order if (bot, other) in self.scores}
            rows.append(
                CrosstableRow(places[merit(bot)], bot, self.total(bot), weights[bot], against, self.paid.get(bot))
            )
        return rows

    def _sonneborn_berger(self, bot: str) -> float:
        return sum(part * self.total(other).points for (first, other), part in self.earned.items() if first == bot)


def crosstable_of(event: Event) -> Crosstable:
    """Return the table of all finished games of an event."""
    table = Crosstable([entry.bot for entry in event.entries])
    for encounter in event.encounters:
        for match in encounter.finished:
            assert match.scores is not None
            table.add(match.bots, match.scores, match.costs)
    return table


def pair_scores(table: Crosstable) -> list[PairScore]:
    """Return every pair that has met, as the input of ratings."""
    return [PairScore(first, second, s.wins, s.draws, s.losses) for first, second, s in table.pairs()]


def grid(
    rows: Sequence[CrosstableRow], standings: Sequence[Standing] = (), tie_breaks: Sequence[str] = ()
) -> list[list[str]]:
    """Return the table as text cells, a head line first; opponents are named by their line's number.

    Lines are ordered as in `standings`, with a column for each of its `tie_breaks`; without any, as in `rows`. Byes and
    forfeits have a column each where there are some.
    """
    if not standings:
        tie_breaks, standings = ("sonneborn_berger",), [_standing(row) for row in rows]
    named = {row.bot: row for row in rows}
    heads = [tie_break(name).title for name in tie_breaks]
    more = {
        title: [figure(line) for line in standings]
        for title, figure in (("byes", _byes), ("forfeits", _forfeits))
        if any(figure(line) != NONE for line in standings)
    }
    heads = [*more, *heads]
    lines = [["#", "bot", "points", *heads, *(str(number) for number in range(1, len(standings) + 1))]]
    shared = shared_places(line.rank for line in standings)
    for place, line in enumerate(standings):
        points = f"{round(line.points, 2):g}/{line.counted}"
        against = (_cell(named[line.bot], other.bot) for other in standings)
        figures = (_figure(name, value) for name, value in zip(tie_breaks, line.tie_breaks, strict=True))
        unplayed = (column[place] for column in more.values())
        lines.append([shared[place], line.bot, points, *unplayed, *figures, *against])
    return lines


NONE = "."  # in a cell


def _byes(line: Standing) -> str:
    return f"{line.bye_points:g}/{line.byes}" if line.byes else NONE


def _forfeits(line: Standing) -> str:
    return str(line.forfeits) if line.forfeits else NONE


def _standing(row: CrosstableRow) -> Standing:
    return Standing(row.rank, row.bot, row.total.points, row.total.games, tie_breaks=(row.sonneborn_berger,))


def _figure(name: str, value: float) -> str:
    return f"{value:.2f}" if name == "sonneborn_berger" else f"{round(value, 2):g}"


def _cell(row: CrosstableRow, other: str) -> str:
    if other == row.bot:
        return "-"
    score = row.against.get(other)
    return f"{score.points:g}/{score.games}" if score else NONE
