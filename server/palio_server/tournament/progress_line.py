"""One line that says how an event is going: `17 of 40 games, 2.1 games/s, ETA 0:11, best so far: ada 9.5/12`."""

from collections.abc import Iterable, Sequence

from palio_server.tournament.details import SprtState
from palio_server.tournament.score_lines import of_total
from palio_server.tournament.standing import Standing

MOST_NAMED = 3  # of those that are level in front


def progress_line(
    over: int,
    total: int | None,
    per_s: float | None = None,
    seconds_left: float | None = None,
    more: Iterable[str] = (),
    *,
    about: bool = False,
) -> str:
    """How many games are over, how fast they end, when the last one will, and `more`; what is not known is left out."""
    parts = [f"{over}{of_total(total, about=about)} game{'' if (total or over) == 1 else 's'}"]
    if per_s is not None:
        parts.append(pace_text(per_s))
    if seconds_left is not None and over != total:
        parts.append(f"ETA {duration(seconds_left)}")
    return ", ".join([*parts, *filter(None, more)])


def pace_text(per_s: float) -> str:
    """`12 games/s`, `2.1 games/s`, `0.25 games/s`; where they are slow `1.8 games/min`."""
    if per_s >= 10:
        return f"{per_s:.0f} games/s"
    if per_s >= 1:
        return f"{per_s:.1f} games/s"
    return f"{per_s:.2f} games/s" if per_s >= 0.1 else f"{per_s * 60:.1f} games/min"


def duration(seconds: float) -> str:
    """`0:11`, `12:05`, `3:02:10`, `2 d 3 h`."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    if hours >= 48:
        return f"{hours // 24} d {hours % 24} h"
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def best_text(standings: Sequence[Standing]) -> str:
    """`best so far: ada 9.5/12`, all that share the first place; "" before anybody has played."""
    first = [each for each in standings if each.rank == 1 and each.played]
    if not first or len(first) == len(standings):
        return ""
    named = ", ".join(f"{each.bot} {_points(each.points)}/{each.played}" for each in first[:MOST_NAMED])
    return f"best so far: {named}{f' and {len(first) - MOST_NAMED} more' if len(first) > MOST_NAMED else ''}"


def _points(points: float) -> str:
    return f"{points:.2f}".rstrip("0").rstrip(".")


def llr_text(test: SprtState) -> str:
    """`LLR: 1.20 (-2.94, 2.94) [0, 5]`: of a sequential test, its bounds and its hypotheses, as fastchess has it."""
    decided = "" if test.state == "continue" else f" {test.state}"
    return f"LLR: {test.llr:.2f} ({test.lower:.2f}, {test.upper:.2f}) [{test.elo0:g}, {test.elo1:g}]{decided}"
