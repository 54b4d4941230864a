"""Who beat whom: the cross-table of a tournament, and the order that it gives.

Order: points, then Sonneborn-Berger (the points of each opponent, weighted by what was scored against it; Gelbfuhs
and Neustadtl), then wins. Who is equal in all three shares a place.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from palio_server.tournament.elo import Score


@dataclass(frozen=True, slots=True)
class Row:
    """One bot's line. `against` has a score for every opponent that it has met."""

    rank: int
    bot: str
    total: Score
    sonneborn_berger: float
    against: dict[str, Score] = field(default_factory=dict)


@dataclass(slots=True)
class Crosstable:
    """Grows by one game at a time."""

    bots: Sequence[str]
    scores: dict[tuple[str, str], Score] = field(default_factory=dict)

    def add(self, seats: Sequence[str], points: Sequence[float]) -> None:
        """Count a game: `seats` are two bots of this table, `points` what each of them made of it."""
        for (bot, made), other in zip(zip(seats, points, strict=True), reversed(seats), strict=True):
            self.scores[bot, other] = self.score(bot, other).add(made)

    def score(self, bot: str, other: str) -> Score:
        return self.scores.get((bot, other), Score())

    def total(self, bot: str) -> Score:
        return _sum(score for (first, _), score in self.scores.items() if first == bot)

    def pairs(self) -> list[tuple[str, str, Score]]:
        """Every pair that has met, each once, in the order in which the bots were entered."""
        return [
            (first, second, self.score(first, second))
            for place, first in enumerate(self.bots)
            for second in self.bots[place + 1 :]
            if (first, second) in self.scores
        ]

    def rows(self) -> list[Row]:
        """The lines in order of rank."""
        totals = {bot: self.total(bot) for bot in self.bots}
        weights = {bot: self._sonneborn_berger(bot, totals) for bot in self.bots}

        def merit(bot: str) -> tuple[float, float, int]:
            return (totals[bot].points, weights[bot], totals[bot].wins)

        order = sorted(self.bots, key=merit, reverse=True)  # stable: equals stay as they were entered
        places = {merit(bot): place for place, bot in reversed(list(enumerate(order, 1)))}
        return [
            Row(
                places[merit(bot)],
                bot,
                totals[bot],
                weights[bot],
                {other: self.score(bot, other) for other in order if (bot, other) in self.scores},
            )
            for bot in order
        ]

    def _sonneborn_berger(self, bot: str, totals: dict[str, Score]) -> float:
        return sum(score.points * totals[other].points for (first, other), score in self.scores.items() if first == bot)


def grid(rows: Sequence[Row]) -> list[list[str]]:
    """The table as text cells, a head line first; opponents are named by their line's number."""
    head = ["#", "bot", "points", "SB", *(str(number) for number in range(1, len(rows) + 1))]
    lines = [
        [
            str(row.rank),
            row.bot,
            f"{row.total.points:g}/{row.total.games}",
            f"{row.sonneborn_berger:.2f}",
            *(_cell(row, other.bot) for other in rows),
        ]
        for row in rows
    ]
    return [head, *lines]


def _cell(row: Row, other: str) -> str:
    if other == row.bot:
        return "-"
    score = row.against.get(other)
    return f"{score.points:g}/{score.games}" if score else "."


def _sum(scores: Iterable[Score]) -> Score:
    total = Score()
    for score in scores:
        total = Score(total.wins + score.wins, total.losses + score.losses, total.draws + score.draws)
    return total
