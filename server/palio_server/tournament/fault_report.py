"""The report of a bot's own fault that lost a match: its author needs the reason, not only the result."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import UNSET

from palio_rules.plain_text import plain
from palio_rules.records.record import Record

LONGEST = 200  # characters of a line that a bot has written
LINES = 6  # of its output on stderr


class FaultReport(NamedTuple):
    """One bot's fault in a match: the `line` that reports it, and the lines about it that the record has (`known`)."""

    bot: str
    line: str
    known: frozenset[str]


def fault_reports(record: Record) -> list[FaultReport]:
    """Return a report for each bot that has crashed, broken the rules or run out of time."""
    found = []
    for seat, termination, reason, detail in _forfeits(record):
        words = ""
        if termination in ("crashed", "illegal"):
            words = _last_reason(record, seat, detail)
            words = f"{words}; see palio match show {record.match}" if words else ""
        elif termination == "time":
            words = _out_of_time(record, seat, reason)
        elif termination == "stalled":
            words = _silent(record, reason)
        if words:
            bot, known = record.setup.bots[seat], frozenset(line.strip() for line in detail.splitlines())
            found.append(FaultReport(bot, f"  {bot}: {words}", known))
    return found


def on_stderr(fault: FaultReport, match: str, lines: Sequence[str]) -> list[str]:
    """Return the last of the `lines` that a bot wrote, as plain text, without those that the match's record has
    already.
    """
    new = [plain(line.rstrip())[:LONGEST] for line in lines if line.strip() not in fault.known and match not in line]
    shown = [line for line in new if line.strip()][-LINES:]
    return [f"  {fault.bot} on stderr:", *(f"    {line}" for line in shown)] if shown else []


def _forfeits(record: Record) -> Iterator[tuple[int, str, str, str]]:
    """Yield seat, termination, reason and detail of each that has forfeited, as far as the record says."""
    result = record.result
    if result.finishes is not UNSET:
        for seat, finish in enumerate(result.finishes):
            yield seat, finish.termination, finish.reason, finish.detail
        return
    out = [ply for ply in record.plies if ply.out is not None and ply.seat != result.seat]
    own, said = _by_seat(result.detail, record.setup.rules().seats) if out else (result.detail, {})
    yield from ((ply.seat, ply.out or "", "", said.get(ply.seat, "")) for ply in out)
    if result.seat is not None:
        yield result.seat, result.termination, result.reason, own


def _by_seat(detail: str, names: Sequence[str]) -> tuple[str, dict[int, str]]:
    """Return the text about the end itself, and about each seat that had left before it."""
    own, *others = re.split(rf"^({'|'.join(map(re.escape, names))}): ", detail, flags=re.MULTILINE)
    return own, {names.index(name): words for name, words in zip(others[::2], others[1::2], strict=True)}


def _last_reason(record: Record, seat: int, detail: str) -> str:
    said = [line for line in detail.splitlines() if line.strip()][-1:]
    said = said or [rejected.reason for rejected in record.refusals if rejected.seat == seat][-1:]
    return plain(said[0].strip())[:LONGEST] if said else ""


def _out_of_time(record: Record, seat: int, reason: str) -> str:
    """Return which clock ran out, over how much thinking, and how to give more; "" where running out of time is the
    rule.
    """
    time = record.setup.time
    if record.setup.rules().anytime:
        return ""
    taken = [ply.ms for ply in record.plies if ply.seat == seat and ply.out is None]
    which = f"its move {len(taken) + 1}"
    left = None if time.base_ms is None else max(0, time.base_ms + time.increment_ms * len(taken) - sum(taken))
    if time.move_ms is not None and reason != "flag-fell" and (left is None or time.move_ms < left):
        return f"{which} took longer than the {_seconds(time.move_ms)} s of a move; give more with --st"
    if left is None:
        return ""
    before = f", {len(taken)} before it {_seconds(sum(taken))} s" if taken else ""
    return f"{which} took longer than the {_seconds(left)} s left on its clock of {time}{before}; give more with --tc"


def _silent(record: Record, reason: str) -> str:
    time = record.setup.time
    # a clock runs after it is ready
    if reason == "never-ready" or time.base_ms is not None or time.move_ms is not None:
        return f"it was not ready within {_seconds(record.setup.ready_ms)} s"
    return f"no answer within {_seconds(record.setup.stall_ms)} s, with no clock to run out; set one with --tc"


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3g}" if ms < 1_000_000 else str(ms // 1000)
