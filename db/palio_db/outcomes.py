"""How a match ended for one of its bots, in a word. Pure: knows no database."""

from msgspec import UNSET

from palio_rules.records.record import Record

WON, DRAWN, LOST = "won", "drawn", "lost"  # by score
PLAYED = "played"  # alone: there was nobody to be compared with
ADJUDICATED = "adjudicated"  # somebody, or the limit of plies, has ended it
FAULTS = ("illegal", "time", "crashed", "stalled", "disconnected", "resigned", "revoked")  # its own, by which it lost
OUTCOMES = (WON, DRAWN, LOST, PLAYED, ADJUDICATED, *FAULTS)


def outcomes_of(record: Record) -> list[str | None]:
    """By seat; None for all of a match that is not rated. Another bot's fault is a match that was won by the score."""
    if not record.rated:
        return [None] * len(record.result.scores)
    return [_outcome(record, seat) for seat in range(len(record.result.scores))]


def _outcome(record: Record, seat: int) -> str:
    result = record.result
    if result.finishes is not UNSET:
        own = result.finishes[seat].termination
        if own in FAULTS:
            return own
    elif result.termination in FAULTS and result.seat == seat:
        return result.termination
    elif result.termination == ADJUDICATED:
        return ADJUDICATED
    scores = list(result.scores)
    score = scores.pop(seat)
    if not scores:
        return PLAYED
    best = max(scores)
    return WON if score > best else DRAWN if score == best else LOST
