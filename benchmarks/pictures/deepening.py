"""One ply, then two, then three: the cost of each depth, and its score of the position."""

from typing import Any

from palio_clients.games.breakthrough.evaluation import evaluate
from palio_clients.search.game_tree import Best, History, Table, deepening
from palio_clients.search.minimax import alpha_beta
from palio_rules.registry import game_from_spec
from pictures.drawing.svg import Sheet

SPEC, DEPTH = "breakthrough:rows=6,cols=5", 6
WIDE = 900
TOP, ROW = 104, 34
BAR, LONG = 150, 300  # where bars begin, and the longest one


def picture() -> Sheet:
    rules, options = game_from_spec(SPEC)
    start = rules.start(options)
    order, table = History(), Table()
    found = list(
        deepening(
            lambda depth, stop: alpha_beta(start, depth, evaluate, order=order, table=table, stop=stop), max_depth=DEPTH
        )
    )
    sheet = Sheet(
        WIDE,
        TOP + ROW * len(found) + 24,
        f"{found[-1].nodes:,} positions for depths 1 to {found[-1].depth} together",
        "Breakthrough on 6x5 squares, with a table and an order that each depth leaves to the next. Gold: this depth; "
        "pale: all before it.",
    )
    for x, label, anchor in ((24, "depth", "start"), (BAR, "positions", "start"), (560, "score", "end")):
        sheet.text(x, TOP - 12, label, ink="soft", anchor=anchor)
    sheet.text(590, TOP - 12, "the line that both sides are expected to play", ink="soft", anchor="start")
    unit = LONG / found[-1].nodes
    before = 0
    for row, best in enumerate(found):
        show(sheet, TOP + ROW * row, best, before, unit)
        sheet.text(590, TOP + ROW * row + 15, " ".join(written(rules, start, best.pv)), anchor="start")
        before = best.nodes
    return sheet


def show(sheet: Sheet, top: float, best: Best, before: int, unit: float) -> None:
    fresh = best.nodes - before
    sheet.text(34, top + 15, str(best.depth), bold=True)
    sheet.text(130, top + 15, f"{fresh:,}", anchor="end")
    sheet.rect(BAR, top + 2, max(1.0, before * unit), 18, fill="line")
    sheet.rect(BAR + before * unit, top + 2, max(1.5, fresh * unit), 18, fill="gold")
    sheet.text(560, top + 15, f"{best.score:+.1f}".replace("-0.0", "+0.0").replace("-", "−"), anchor="end")


def written(rules: Any, state: Any, moves: tuple[Any, ...]) -> list[str]:
    notations = []
    for move in moves:
        notations.append(rules.notation(state, move))
        state = state.play(move)
    return notations
