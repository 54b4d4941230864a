"""An analysis in the terminal: a line a ply, and who gave what away."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from palio_rules.analysis import Analysis, JudgedPly
from palio_rules.boards import seat_name
from palio_rules.game import Game
from palio_rules.record import Record
from palio_server.console.terminal import columns


def judged_table(record: Record, analysis: Analysis) -> Iterator[str]:
    """The lines to print."""
    rules, bots = record.setup.rules(), record.setup.bots
    head = ["ply", "bot", "move", "", "then" if rules.kind != "race" else "to go", "better"]
    if rules.kind == "race":
        head.insert(5, "cost")
    cells = [head]
    for ply in analysis.plies:
        bot = bots[ply.seat] if ply.ply else ""
        line = [str(ply.ply), bot, ply.move or "(start)", ply.mark or ""]
        line += _of_race(ply) if rules.kind == "race" else [_against(rules, ply)]
        cells.append([*line, ply.best])
    yield from columns(cells, left={1, 2, 3, len(head) - 1, *([] if rules.kind == "race" else [4])}).splitlines()
    yield ""
    marks = Counter((ply.seat, ply.mark) for ply in analysis.plies if ply.mark)
    for seat, bot in enumerate(bots):
        yield f"{bot} ({seat_name(rules, seat)}): {marks[seat, '??']} ??, {marks[seat, '?']} ?"


def _against(rules: Game[Any, Any], ply: JudgedPly) -> str:
    """The position after a ply: who wins for certain, or what each seat has by evaluation."""
    winner = next((seat for seat, verdict in enumerate(ply.verdicts) if verdict == "win"), None)
    if winner is not None:
        if ply.distance == 0:
            return f"{rules.seats[winner]} has won"
        return f"{rules.seats[winner]} wins{'' if ply.distance is None else f' within {ply.distance}'}"
    if "draw" in ply.verdicts:
        return "draw"
    values = ply.values[:1] if rules.kind == "duel" else ply.values
    return " ".join("-" if value is None else f"{value + 0.0:+.2f}" for value in values)


def _of_race(ply: JudgedPly) -> list[str]:
    """What remains at least, and what the race will cost then."""
    verdict = ply.verdicts[0] if ply.verdicts else None
    value = ply.values[0] if ply.values else None
    left = "never" if verdict == "loss" else "-" if ply.distance is None else str(ply.distance)
    return [left, "-" if value is None else f"{value:g}"]
