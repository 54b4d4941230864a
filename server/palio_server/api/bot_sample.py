"""What is read off a bot's newest records: how it opens, and how long it thinks. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from palio_rules.records.record import Record
from palio_server.api.bot_items import OpeningItem, TimeBin, TimesItem

OPENINGS = 8  # of each seat, the most frequent ones
STEPS = (1, 2, 5)  # widths of the bins, times a power of ten


def openings(bot: str, records: Iterable[Record]) -> list[OpeningItem]:
    """The first ply of each seat, at least two, by the bot's seat; none of a race. The most frequent ones first."""
    found: dict[tuple[int, tuple[str, ...]], list[float]] = defaultdict(list)
    names: Sequence[str] = ()
    for record in records:
        rules = record.setup.rules()
        if rules.kind == "race" or len(rules.seats) < 2:
            return []
        names = rules.seats
        seat = record.setup.bots.index(bot)
        try:
            moves = first_moves(record, len(names))
        except ValueError:  # its rules have changed since
            continue
        if len(moves) == len(names):
            found[seat, moves].append(share(record.result.scores, seat))
    items = [
        OpeningItem(seat, names[seat], list(moves), len(shares), sum(shares) / len(shares))
        for (seat, moves), shares in found.items()
    ]
    items.sort(key=lambda item: (item.seat, -item.games, item.moves))
    kept: list[OpeningItem] = []
    for item in items:
        if sum(other.seat == item.seat for other in kept) < OPENINGS:
            kept.append(item)
    return kept


def first_moves(record: Record, most: int) -> tuple[str, ...]:
    """The first moves of a match in its notation, the agreed opening included; fewer where it was shorter."""
    rules, state = record.setup.rules(), record.setup.first()
    values = [*record.setup.opening, *(ply.move for ply in record.plies[:most] if ply.move is not None)]
    moves = []
    for value in values[:most]:
        move = rules.read_move(state, value)
        moves.append(rules.notation(state, move))
        state = state.play(move)
    return tuple(moves)


def share(scores: Sequence[float], seat: int) -> float:
    """The share of the others that the seat has left behind; level ones count half."""
    others = [score for place, score in enumerate(scores) if place != seat]
    own = scores[seat]
    return sum((own > other) + (own == other) / 2 for other in others) / len(others)


def times(bot: str, records: Iterable[Record]) -> TimesItem | None:
    """How long its moves took; None if it has made none."""
    spent = sorted(
        ply.ms
        for record in records
        for ply in record.plies
        if ply.seat == record.setup.bots.index(bot) and ply.move is not None
    )
    if not spent:
        return None
    return TimesItem(len(spent), quantile(spent, 0.5), quantile(spent, 0.99), bins(spent))


def quantile(ordered: Sequence[int], part: float) -> float:
    """The least value that `part` of all are no greater than."""
    return float(ordered[max(0, -int(-len(ordered) * part // 1) - 1)])


def bins(ordered: Sequence[int]) -> list[TimeBin]:
    """Bins of growing width from the least value to the greatest one: 0 to 1 ms, 1 to 2, 2 to 5, 5 to 10, ..."""
    edges = [0, *(step * 10**power for power in range(8) for step in STEPS)]
    counted = [TimeBin(least, most, sum(least <= ms < most for ms in ordered)) for least, most in pairwise(edges)]
    taken = [place for place, each in enumerate(counted) if each.moves]
    return counted[taken[0] : taken[-1] + 1] if taken else []
