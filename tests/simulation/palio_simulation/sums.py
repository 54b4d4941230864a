"""The leaderboard, added up again: by counting records, and by nothing of the product's that counts."""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from palio_rules.records.record import Record

if TYPE_CHECKING:
    from palio_simulation.ledger import Ledger

PAIRS = "SELECT game, first, second, wins, draws, losses FROM pair_scores"
COUNTERS = (
    "SELECT game, bot, games, wins, draws, losses, points, illegal_moves, time_losses, think_ms, plies FROM ratings"
)


def wrong_sums(ledger: "Ledger", records: Mapping[str, Record]) -> Iterator[str]:
    """Yield stored sums that contradict the records."""
    pairs: dict[tuple[str, ...], list[float]] = defaultdict(lambda: [0.0] * 3)
    counters: dict[tuple[str, ...], list[float]] = defaultdict(lambda: [0.0] * 9)
    for record in records.values():
        if record.absent:
            continue  # a match to which a bot did not come does not count
        _add_pairs(record, pairs)
        _add_counters(record, counters)
    yield from _differences("pair", pairs, {tuple(row[:3]): [*row[3:]] for row in ledger.query(PAIRS)})
    yield from _differences("leaderboard", counters, {tuple(row[:2]): [*row[2:]] for row in ledger.query(COUNTERS)})


def _add_pairs(record: Record, pairs: dict[tuple[str, ...], list[float]]) -> None:
    bots, scores = record.setup.bots, record.result.scores
    for one, other in itertools.combinations(sorted(range(len(bots)), key=bots.__getitem__), 2):
        found = pairs[record.setup.leaderboard, bots[one], bots[other]]
        _add(found, scores[one] > scores[other], scores[one] == scores[other], scores[one] < scores[other])


def _add_counters(record: Record, counters: dict[tuple[str, ...], list[float]]) -> None:
    result, scores = record.result, record.result.scores
    for seat, bot in enumerate(record.setup.bots):
        best = max(score for place, score in enumerate(scores) if place != seat)
        own = [ply.ms for ply in record.plies if ply.seat == seat]
        illegal = sum(each.seat == seat for each in record.refusals)
        late = result.termination == "time" and result.seat == seat
        outcome = (scores[seat] > best, scores[seat] == best, scores[seat] < best)
        _add(counters[record.setup.leaderboard, bot], 1, *outcome, scores[seat], illegal, late, sum(own), len(own))


def _add(sums: list[float], *values: float) -> None:
    for place, value in enumerate(values):
        sums[place] += value


def _differences(what: str, wanted: Mapping[Any, Any], kept: Mapping[Any, Any]) -> Iterator[str]:
    for key in sorted({*wanted, *kept}):
        if wanted.get(key) != kept.get(key):
            yield f"the {what} of {' '.join(key)} is {kept.get(key)}, the records say {wanted.get(key)}"
