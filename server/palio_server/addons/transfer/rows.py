"""The rows of a match in each table, in the order of the columns that `tables.py` names."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from palio_db.event_values import KeptMatch
from palio_rules.records.boards import PROVEN, seat_name
from palio_rules.records.record import JudgedPly, Ply
from palio_server.addons.transfer.pgn import Replayed

Row = tuple[Any, ...]

# What a bot may say, in the order of the columns; `cost` is called dollars there, for a race has costs of its own.
_SAID = ("depth", "nodes", "score", "pv", "text", "tokens_in", "tokens_out", "cost", "latency_ms")


class MatchRows:
    """The rows of one match. Raises ValueError where its record cannot be played by the rules."""

    def __init__(self, kept: KeptMatch, *, positions: bool = True, records: bool = True) -> None:
        """`positions`, `records`: whether they are among what is written; both make most of a file."""
        self._kept, self._positions, self._records = kept, positions, records
        self._replayed = Replayed(kept)

    def of(self, table: str) -> Iterator[Row]:
        """All rows of the match in `table`."""
        rows: Iterator[Row] = getattr(self, f"_{table}")()
        return rows

    def _matches(self) -> Iterator[Row]:
        kept, played = self._kept, self._replayed
        setup, result, time = kept.setup, kept.result, kept.setup.time
        place = None if kept.tournament is UNSET else kept.tournament
        row = (
            kept.match,
            setup.game,
            _json(setup.options),
            setup.seed,
            kept.event,
            *((None,) * 4 if place is None else (place.number, place.round, place.encounter, _from_1(place.game))),
            kept.started_at if kept.created_at is UNSET else kept.created_at,
            kept.started_at,
            kept.finished_at,
            str(time),
            *(time.base_ms, time.increment_ms, time.move_ms, time.margin_ms),
            kept.rated,
            setup.leaderboard,
            kept.void is not UNSET,
            None if kept.void is UNSET else kept.void.reason,
            self._text(played.first),
            [step.move for step in played.opening],
            list(setup.bots),
            list(result.scores),
            *(result.termination, result.reason, result.seat, result.detail),
            len(kept.plies),
            len(kept.refusals),
            [step.move for step in played.plies],
            [ply.ms for ply in kept.plies],
            played.lower_bound,
            kept.analysis is not UNSET,
            None if kept.time_factor is UNSET else kept.time_factor,
        )
        yield (*row, _json(kept)) if self._records else row

    def _seats(self) -> Iterator[Row]:
        kept, played = self._kept, self._replayed
        ms, plies = Counter[int](), Counter[int]()
        for ply in kept.plies:
            ms[ply.seat] += ply.ms
            plies[ply.seat] += 1
        rejected = Counter(each.seat for each in kept.refusals)
        finishes = () if kept.result.finishes is UNSET else kept.result.finishes
        for seat, (bot, score) in enumerate(zip(kept.setup.bots, kept.result.scores, strict=True)):
            finish = finishes[seat] if seat < len(finishes) else None
            yield (
                *(kept.match, kept.setup.game, seat, seat_name(played.rules, seat), bot, score),
                *(ms[seat], plies[seat], rejected[seat]),
                *((None,) * 4 if finish is None else
                  (finish.cost, finish.termination, finish.reason, finish.reason == PROVEN)),
                (kept.confined[seat] or None) if seat < len(kept.confined) else None,
                None if kept.setup.submissions is UNSET else kept.setup.submissions[seat] or None,
                self._text(played.last(seat)),
            )  # fmt: skip

    def _plies(self) -> Iterator[Row]:
        kept, played = self._kept, self._replayed
        judged = {} if kept.analysis is UNSET else {each.ply: each for each in kept.analysis.plies}
        rejected = Counter(each.ply for each in kept.refusals)
        opening = len(played.opening)
        for number, step in enumerate((*played.opening, *played.plies), 1):
            in_opening = number <= opening
            before = 0 if in_opening else rejected[number - opening - 1]
            yield (
                *(kept.match, kept.setup.game, number, in_opening, step.seat, kept.setup.bots[step.seat], step.move),
                None if step.ply.move is None else _json(step.ply.move),
                self._text(step.before),
                *((None, None, None) if in_opening else (step.ply.ms, step.clock_ms, step.ply.out)),
                *(step.cost, before, *_said(step.ply), *_judged(judged.get(number))),
            )

    def _rejections(self) -> Iterator[Row]:
        kept, opening = self._kept, len(self._replayed.opening)
        for each in kept.refusals:
            place = (kept.match, kept.setup.game, opening + each.ply + 1, each.seat, kept.setup.bots[each.seat])
            yield *place, each.move, each.code, each.reason

    def _text(self, state: Any) -> str | None:
        return self._replayed.rules.format_state(state) if self._positions else None


def _said(ply: Ply) -> Row:
    if ply.info is None:
        return (None,) * (len(_SAID) + 1)
    told = (getattr(ply.info, name) for name in _SAID)
    return (*(None if value is UNSET else value for value in told), _json(ply.info))


def _judged(judged: JudgedPly | None) -> Row:
    if judged is None:
        return (None,) * 5
    return (
        list(judged.values) or None, list(judged.verdicts) or None, judged.distance, judged.best or None, judged.mark,
    )  # fmt: skip


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _from_1(number: int | None) -> int | None:
    return None if number is None else number + 1
