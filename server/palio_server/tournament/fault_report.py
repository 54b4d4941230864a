"""The report of a bot's own fault that lost a match: its author needs the reason, not only the result."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import UNSET

from palio_rules.plain_text import plain
from palio_rules.records.fault_kinds import LIMIT, details_by_seat
from palio_rules.records.record import Record

LONGEST = 200  # characters of a line that a bot has written
SHORT = 60  # characters of a file's name
LINES = 6  # of its output on stderr


class Fault(NamedTuple):
    """A bot's own fault by which it lost a match: a `reason` in a word, a `sentence` for its author, the `remedy` for
    the one who runs the match, and the lines about it that the record has (`known`).
    """

    bot: str
    reason: str  # "crashed", "illegal", "time", "flood", "memory", ...
    sentence: str  # "": none is known
    remedy: str = ""  # an option of `palio run`, which is not for authors who hand in
    known: frozenset[str] = frozenset()


class FaultReport(NamedTuple):
    """One bot's fault in a match: the `line` that reports it, and the lines about it that the record has (`known`)."""

    bot: str
    line: str
    known: frozenset[str]


def fault_reports(record: Record) -> list[FaultReport]:
    """Return a report for each bot that has crashed, broken the rules or run out of time."""
    found = []
    for seat, termination, reason, detail in _forfeits(record):
        if termination in REPORTED and (fault := _fault(record, seat, termination, reason, detail)).sentence:
            more = f"; {fault.remedy}" if fault.remedy else ""
            found.append(FaultReport(fault.bot, f"  {fault.bot}: {fault.sentence}{more}", fault.known))
    return found


def faults_in(record: Record) -> list[Fault]:
    """Return the fault of each bot that lost the match by one. To resign, or to run out of time where every match ends
    so, is none.
    """
    anytime = record.setup.rules().anytime
    return [
        _fault(record, seat, termination, reason, detail)
        for seat, termination, reason, detail in _forfeits(record)
        if termination in FAULTS and not (anytime and termination == "time")
    ]


REPORTED = ("crashed", "illegal", "time", "stalled")
UNANSWERED = ("time", "stalled", "disconnected")
FAULTS = (*REPORTED, "disconnected", "revoked")
WORDS = {  # more exact than the termination
    "flood": "flood",
    "too-many-bad-messages": "bad messages",
    "never-ready": "not ready",
    LIMIT: "limit",
}
_FRAME = re.compile(r'^ +File "([^"\n]+)", line ([0-9]{1,7})\b', re.MULTILINE)
_LIMIT = re.compile(r"(memory|processes|open files|scratch|processor)\b")


def _fault(record: Record, seat: int, termination: str, reason: str, detail: str) -> Fault:
    word = WORDS.get(reason, termination)
    if termination in UNANSWERED and detail:  # it did answer, with what could not be read
        word = WORDS["too-many-bad-messages"]
    if reason == LIMIT and (limit := _LIMIT.match(detail)):
        word = limit[1]
    known = frozenset(line.strip() for line in detail.splitlines())
    sentence, remedy = _sentence(record, seat, termination, reason, detail)
    return Fault(record.setup.bots[seat], word, sentence, remedy, known)


def _sentence(record: Record, seat: int, termination: str, reason: str, detail: str) -> tuple[str, str]:
    """Return the sentence and the remedy."""
    if termination in UNANSWERED and detail:
        return f"{_last_reason(record, seat, detail)}; no other answer came in time", ""
    match termination:
        case "crashed" | "illegal":
            return _last_reason(record, seat, detail), f"see palio match show {record.match}"
        case "time":
            return _out_of_time(record, seat, reason)
        case "stalled":
            return _silent(record, seat, reason)
        case "disconnected":
            lost = f"its connection was lost, and it did not come back within {_seconds(record.setup.grace_ms)} s"
            return lost, ""
    return _last_reason(record, seat, detail), ""


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
    own, said = details_by_seat(record)
    out = [ply for ply in record.plies if ply.out is not None and ply.seat != result.seat]
    yield from ((ply.seat, ply.out or "", "", said.get(ply.seat, "")) for ply in out)
    if result.seat is not None:
        yield result.seat, result.termination, result.reason, own


def last_words(detail: str) -> str:
    """Return the last line of what a program said, with the place that its traceback ends at; "" for nothing."""
    said = [line for line in detail.splitlines() if line.strip()][-1:]
    return plain(said[0].strip())[:LONGEST] + plain(_place_in(detail)) if said else ""


def _last_reason(record: Record, seat: int, detail: str) -> str:
    if said_last := last_words(detail):
        return said_last
    said = [rejected.reason for rejected in record.refusals if rejected.seat == seat][-1:]
    return plain(said[0].strip())[:LONGEST] if said else ""


def _place_in(detail: str) -> str:
    """Return the place that a traceback ends at, as ` (mine.py, line 9)`; "" if the text has none.

    It is the last line in the file of the first frame, which is the author's; later frames may be a library's.
    """
    frames = [(found[1], found[2]) for found in _FRAME.finditer(detail)]
    if not frames or "palio_clients" in frames[0][0]:  # a call that did not reach the author's code
        return ""
    file, line = next(frame for frame in reversed(frames) if frame[0] == frames[0][0])
    name = file.replace("\\", "/").rpartition("/")[2][:SHORT]
    return f" ({name}, line {line})"


def _out_of_time(record: Record, seat: int, reason: str) -> tuple[str, str]:
    """Return which clock ran out, over how much thinking, and how to give more; "" where running out of time is the
    rule.
    """
    time = record.setup.clocks()[seat]
    if record.setup.rules().anytime:
        return "", ""
    taken = [ply.ms for ply in record.plies if ply.seat == seat and ply.out is None]
    which = f"its move {len(taken) + 1}"
    gained = sum(time.gain_ms(move) for move in range(1, len(taken) + 1))
    left = None if time.base_ms is None else max(0, time.base_ms + gained - sum(taken))
    unit = "s" if record.setup.clock is UNSET else "s of processor time"
    if time.move_ms is not None and reason != "flag-fell" and (left is None or time.move_ms < left):
        return f"{which} took longer than the {_seconds(time.move_ms)} {unit} of a move", "give more with --st"
    if left is None:
        return "", ""
    before = f", {len(taken)} before it {_seconds(sum(taken))} s" if taken else ""
    said = f"{which} took longer than the {_seconds(left)} {unit} left on its clock of {time}{before}"
    return said, "give more with --tc"


def _silent(record: Record, seat: int, reason: str) -> tuple[str, str]:
    time = record.setup.clocks()[seat]
    # a clock runs after it is ready
    if reason == "never-ready" or time.base_ms is not None or time.move_ms is not None:
        return f"it was not ready within {_seconds(record.setup.ready_ms)} s", ""
    return f"no answer within {_seconds(record.setup.stall_ms)} s, with no clock to run out", "set one with --tc"


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3g}" if ms < 1_000_000 else str(ms // 1000)
