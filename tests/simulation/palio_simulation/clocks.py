"""An independent model of a match's clocks: from the times of turns and moves, without the server's own figures.

What a move may have cost follows from two times that the simulated network knows. A message that came within two
milliseconds of another one may count as if it had come with it, which is never to a bot's disadvantage; and the time of
a message that came while the server stood still is not known exactly.
"""

from collections.abc import Iterator
from typing import Any

from palio_rules.errors import quoted
from palio_rules.records.record import Ply, Record
from palio_simulation.ledger import Arrival, Posted

TOGETHER_MS = 2  # so much earlier a message may seem to have come
QUOTED = 200  # characters of a rejected move in its record
NOTICED_S = 0.1  # after a pause, until the server's own ticks say that it looks at its sockets in time again
KERNEL_MS = 12  # the kernel's possible error about bytes that came while they were not read


class Clock:
    """The time of one seat: what it has left, and what is left of its margin for the network."""

    def __init__(self, time: Any) -> None:
        self.left, self.margin = time.base_ms, time.margin_ms
        self._increment, self._move = time.increment_ms, time.move_ms

    def limit(self) -> int | None:
        """Return the time for the next move, the margin included; None if no clock runs."""
        limits = [limit for limit in (self.left, self._move) if limit is not None]
        return min(limits) + self.margin if limits else None

    def spend(self, ms: int) -> None:
        if self.left is None:
            return
        over = max(0, ms - self.left)
        self.left = max(0, self.left - ms) + self._increment
        if not self._increment:
            self.margin = max(0, self.margin - over)


def wrong_times(record: Record, turns: list[Posted]) -> Iterator[str]:
    """Yield contradictions in the times of a record whose match has seen these turns."""
    clocks = [Clock(record.setup.time) for _ in record.setup.bots]
    for number, ply in enumerate(record.plies):
        if ply.move is None:
            continue
        clock = clocks[ply.seat]
        bot = record.setup.bots[ply.seat]
        asked = [posted for posted in turns if posted.turn.ply == number and posted.bot == bot]
        if not any(_explains(posted, ply) for posted in asked):
            found = "; ".join(map(_told, asked)) or "none was asked"
            what = f"{ply.move} by {bot} in {ply.ms} ms"
            yield f"ply {number + 1} of match {record.match}, {what}, is no answer to any turn: {found}"
        limit = clock.limit()
        if limit is not None and ply.ms > limit:
            yield f"ply {number + 1} of match {record.match} took {ply.ms} ms, and was accepted beyond {limit} ms"
        clock.spend(ply.ms)
        shown = [
            posted.turn.clocks_ms for posted in turns if posted.turn.ply == number + 1 and _follows(posted, record)
        ]
        wanted = [each.left for each in clocks]
        if shown and wanted not in shown:
            yield f"after ply {number + 1} of match {record.match} the clocks are {wanted}, the turn says {shown}"


def _follows(posted: Posted, record: Record) -> bool:
    """Return True if the turn was asked after exactly the plies of the record, as far as its position shows."""
    state = record.setup.start()
    rules = record.setup.rules()
    for ply in record.plies[: posted.turn.ply]:
        state = state.play(rules.read_move(state, ply.move))
    return bool(rules.format_state(state) == posted.turn.state)


def _explains(posted: Posted, ply: Ply) -> bool:
    return any(
        arrival.read_at is not None and arrival.move == ply.move and _may_cost(posted, arrival, ply.ms)
        for arrival in posted.arrivals
    )


def _may_cost(posted: Posted, arrival: Arrival, ms: int) -> bool:
    true = max(0, round((arrival.at - posted.at) * 1000))
    if ms == true:
        return True
    if not arrival.alone and true - TOGETHER_MS <= ms <= true:
        return True
    stood = [
        max(0.0, min(end, arrival.read_at or end) - max(start, posted.at))
        for start, end in posted.incarnation.paused
        if start <= (arrival.read_at or end) and end + NOTICED_S >= posted.at
    ]
    return bool(stood) and true - round((sum(stood) + NOTICED_S) * 1000) - KERNEL_MS <= ms <= true


def _told(posted: Posted) -> str:
    came = ", ".join(
        f"{arrival.move} after {round((arrival.at - posted.at) * 1000)} ms" + ("" if arrival.read_at else " (lost)")
        for arrival in posted.arrivals
    )
    return f"turn {posted.turn.id} of {posted.incarnation.label}: {came or 'no answer'}"


def wrong_forfeit(record: Record, turns: list[Posted], decided_at: float) -> Iterator[str]:
    """Yield contradictions about a seat that has lost by time: an answer had come, or the time was not over."""
    result, number = record.result, len(record.plies)
    if result.termination not in ("time", "stalled") or result.seat is None or result.reason == "never-ready":
        return
    clock = Clock(record.setup.time)
    for ply in record.plies:
        if ply.seat == result.seat:
            clock.spend(ply.ms)
    limit = clock.limit()
    bot = record.setup.bots[result.seat]
    open_ = [posted for posted in turns if posted.turn.ply == number and posted.bot == bot]
    if not open_:
        yield f"{bot} has lost match {record.match} by {result.reason}, and was asked nothing"
        return
    posted = max(open_, key=lambda each: each.turn.id)
    ms = record.setup.stall_ms if limit is None else limit
    lost = f"{bot} has lost match {record.match} by {result.reason}"
    if decided_at < posted.at + ms / 1000 - 0.0005:
        yield f"{lost} after {(decided_at - posted.at) * 1000:.0f} ms, before its {ms} ms"
    legal = [[*move] for move in posted.turn.moves or []]
    for arrival in posted.arrivals:
        late = round((arrival.at - posted.at) * 1000) - ms
        if arrival.heard and late < 0 and isinstance(arrival.move, list | tuple) and [*arrival.move] in legal:
            yield f"{lost}, and had moved {-late} ms before the end"


def wrong_refusals(record: Record, turns: list[Posted]) -> Iterator[str]:
    """Rejected moves that were no answers to the turns of their plies."""
    for refusal in record.refusals:
        bot = record.setup.bots[refusal.seat]
        asked = [posted for posted in turns if posted.turn.ply == refusal.ply and posted.bot == bot]
        arrivals = [arrival for posted in asked for arrival in posted.arrivals if arrival.read_at is not None]
        if not any(quoted(arrival.move, QUOTED) == refusal.move for arrival in arrivals):
            where = f"at ply {refusal.ply + 1} of match {record.match}"
            yield f"{refusal.move} of {bot} was rejected {where}, and was never its answer there"
