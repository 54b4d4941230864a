"""The result of a tournament: cross-table, costs, scores of all pairs, ratings; for people and for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

import msgspec

from palio_db.event_values import TournamentRow
from palio_server.cli.printing import columns, say, say_heading, show_table
from palio_server.ratings.bradley_terry import rate
from palio_server.ratings.elo import Score
from palio_server.tournament.crosstable import Crosstable, CrosstableRow, Total, grid, pair_scores
from palio_server.tournament.event_faults import fault_data, lost_by_fault, reasons
from palio_server.tournament.event_report import EventReport
from palio_server.tournament.progress import llr_text
from palio_server.tournament.score_lines import elo_line, pair_lines, rating_rows, score_line
from palio_server.tournament.standing import PairFigures, SprtState

WIDE = 24  # bots; a cross-table of more does not fit on a terminal
VERDICTS = {"H1": "H1 is accepted", "H0": "H0 is accepted", "continue": "it is not decided"}


def show_report(report: EventReport, *, pairs: bool = True) -> None:
    """Print it for people; the scores of pairs only if wanted."""
    table, rows = report.table, report.table.rows()
    if table.pairs() or report.event.broken:
        say()
        _show_standings(report, rows)
    if table.paid:
        say()
        show_table(cost_lines(rows), left={0}, title="Costs")
    if (test := report.format.details(report.event).sprt) is not None:
        say()
        _show_test(test)
    if report.fault_lines:
        say()
        _show_faults(report)
    if table.pairs():
        say()
        if pairs:
            _show_pairs(report)
        _show_ratings(report)


def _show_standings(report: EventReport, rows: Sequence[CrosstableRow]) -> None:
    cells = grid(rows, report.standings, report.tie_breaks)
    if len(rows) > WIDE:
        cells = [line[: len(line) - len(rows)] for line in cells]
    left = {1}
    if any(line.note for line in report.standings):
        left.add(len(cells[0]))
        notes = ["", *(line.note for line in report.standings)]
        cells = [[*line, note] for line, note in zip(cells, notes, strict=True)]
    show_table(cells, left=left, title="Cross-table")
    if report.odds:
        say(f"Time odds: {', '.join(f'{bot} {time}' for bot, time in report.odds.items())}")


def _show_faults(report: EventReport) -> None:
    """Print a line for each bot and reason by which it lost games, with the last sentence and its match."""
    lines = [["bot", "reason", "games", "why"]]
    for line in report.fault_lines:
        shown = f"palio match show {line.match}" if line.match else ""
        why = f"{line.sentence}{f' ({shown})' if shown and line.sentence else shown}"
        lines.append([line.bot, line.reason, str(line.games), why])
    show_table(lines, left={0, 1, 3}, title="Games lost by faults")


def _show_test(test: SprtState) -> None:
    say_heading("SPRT", bold=True)
    say(f"{llr_text(test)}: {VERDICTS[test.state]}")
    if test.pairs is not None:
        say(f"Pairs with 0, 1/2, 1, 1 1/2, 2 points of {test.first}: {', '.join(map(str, test.pairs))}")


def scores_text(table: Crosstable, paired: Sequence[PairFigures] = ()) -> str:
    """Return the score and the difference in Elo of each two that have met, and the figures of their pairs."""
    figures = {(each.first, each.second): pair_lines(each) for each in paired}
    lines = [(score_line(*met), elo_line(met[2]), figures.get(met[:2], "")) for met in table.pairs()]
    return "\n".join(line for each in lines for line in each if line)


def _show_pairs(report: EventReport) -> None:
    say(scores_text(report.table, report.pair_figures), lines=True)
    say()


def _show_ratings(report: EventReport) -> None:
    show_table(rating_rows(report.ratings, totals(report.table)), left={1}, title="Ranking")
    if any(rating.provisional for rating in report.ratings.values()):
        say("? provisional: too few games for a rank")
    if report.first_move is not None and report.first_move.shown:
        say(f"First move: {report.first_move.elo:+.0f} +/- {report.first_move.error:.0f} Elo")


def ranking_text(table: Crosstable, paired: Sequence[PairFigures] = ()) -> str:
    """Return the present ratings, as lines, for a table every so many games; of two bots with their score."""
    scores = f"{scores_text(table, paired)}\n" if len(table.bots) == 2 and table.pairs() else ""
    return scores + columns(rating_rows(rate(pair_scores(table)), totals(table)), left={1})


def totals(table: Crosstable) -> Mapping[str, Total]:
    return {bot: table.total(bot) for bot in table.bots}


def cost_lines(rows: Sequence[CrosstableRow]) -> list[list[str]]:
    """Return the costs of each bot in its races; `over best`: how much more than the best of each, on average."""
    lines = [["bot", "races", "solved", "wins", "shared", "mean cost", "over best"]]
    for row in rows:
        if row.paid is not None:
            over = "-" if row.paid.over_best is None else f"{100 * row.paid.over_best:.1f}%"
            counts = (row.paid.races, row.paid.solved, row.total.wins, row.total.draws)
            lines.append([row.bot, *map(str, counts), "-" if row.paid.mean is None else f"{row.paid.mean:.1f}", over])
    return lines


def report_data(row: TournamentRow, report: EventReport, specs: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the same as one JSON object, with the `(name, spec)` of each bot. An infinite figure is null there."""
    table, details = report.table, report.format.details(report.event)
    lost, why = lost_by_fault(report.faults), reasons(report.faults)
    paired = {(each.first, each.second): each for each in report.pair_figures}
    return {
        "tournament": row.id,
        "name": row.name,
        "game": row.game,
        "format": row.format,
        "rules": report.format.settings,
        "stage": row.stage,
        "settings": {key: value for key, value in row.settings.items() if key not in ("bots", "worker")},
        "bots": [{"name": name, "spec": spec} for name, spec in specs],
        "games": {"scheduled": row.scheduled + row.running, "finished": row.finished, "aborted": row.aborted},
        "tie_breaks": report.tie_breaks,
        "standings": [
            {**asdict(line), "faults": lost[line.bot], "reason": why.get(line.bot, "")} for line in report.standings
        ],
        "faults": fault_data(report.faults),
        "crosstable": [
            {
                "rank": line.rank,
                "bot": line.bot,
                **_figures(line.total),
                "sonneborn_berger": line.sonneborn_berger,
                "against": {other: _figures(score) for other, score in line.against.items()},
                **_costs(line),
            }
            for line in table.rows()
        ],
        "scores": [
            {
                "first": first,
                "second": second,
                **_figures(score),
                "elo": _finite(score.elo),
                "error": _finite(score.error),
                "los": score.los,
                "pairs": _of_pairs(paired.get((first, second))),
            }
            for first, second, score in table.pairs()
        ],
        "ratings": [
            {"bot": bot, **asdict(rating)}
            for bot, rating in sorted(report.ratings.items(), key=lambda item: (item[1].provisional, -item[1].rating))
        ],
        "first_move": None if report.first_move is None else asdict(report.first_move),
        "sprt": msgspec.to_builtins(details.sprt),
        "bracket": msgspec.to_builtins(details.bracket),
    }


def _costs(row: CrosstableRow) -> dict[str, Any]:
    if row.paid is None:
        return {}
    return {"costs": {name: getattr(row.paid, name) for name in ("races", "solved", "mean", "over_best")}}


def _figures(score: Score | Total) -> dict[str, float]:
    return {name: getattr(score, name) for name in ("games", "wins", "draws", "losses", "points")}


def _of_pairs(figures: PairFigures | None) -> dict[str, Any] | None:
    """Return the figures by pairs; None for bots that have finished none."""
    if figures is None:
        return None
    names = ("elo", "elo_error", "nelo", "nelo_error", "los", "draw_ratio", "pairs_ratio")
    return {"counts": figures.pairs} | {name: getattr(figures, name) for name in names}


def _finite(figure: float) -> float | None:
    return figure if isfinite(figure) else None
