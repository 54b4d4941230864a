"""The result of a tournament: cross-table, costs, scores of all pairs, ratings; for people and for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

import click

from palio_db.values import PairScore, Rating, TournamentRow
from palio_server.cli.tables import show_table
from palio_server.ratings.bradley_terry import rate
from palio_server.ratings.elo import Score
from palio_server.tournament.crosstable import Crosstable, Row, Total, grid
from palio_server.tournament.score_lines import elo_line, score_line


def _ratings(table: Crosstable) -> dict[str, Rating]:
    return rate([PairScore(first, second, s.wins, s.draws, s.losses) for first, second, s in table.pairs()])


def show_report(table: Crosstable, *, pairs: bool = True) -> None:
    """Print it for people; the scores of pairs only if wanted."""
    rows = table.rows()
    if table.pairs():
        click.echo()
        show_table(grid(rows), left={1}, title="Cross-table")
    if table.paid:
        click.echo()
        show_table(_cost_lines(rows), left={0}, title="Costs")
    if not table.pairs():
        return
    click.echo()
    if pairs:
        for first, second, score in table.pairs():
            click.echo(score_line(first, second, score))
            click.echo(elo_line(score))
        click.echo()
    show_table(_ranking(table), left={1}, title="Ranking")
    if any(rating.provisional for rating in _ratings(table).values()):
        click.echo("? provisional: too few games to rank with confidence")


def _cost_lines(rows: Sequence[Row]) -> list[list[str]]:
    """What each bot has paid in its races; `over best`: how much more than the best of each, on average."""
    lines = [["bot", "races", "solved", "wins", "shared", "mean cost", "over best"]]
    for row in rows:
        if row.paid is not None:
            over = "-" if row.paid.over_best is None else f"{100 * row.paid.over_best:.1f}%"
            counts = (row.paid.races, row.paid.solved, row.total.wins, row.total.draws)
            lines.append([row.bot, *map(str, counts), "-" if row.paid.mean is None else f"{row.paid.mean:.1f}", over])
    return lines


def _ranking(table: Crosstable) -> list[list[str]]:
    """`Rank Name Elo +/- Games Score Draw`, the strongest first."""
    rated = _ratings(table)
    totals = {row.bot: row.total for row in table.rows()}
    lines = [["Rank", "Name", "Elo", "+/-", "Games", "Score", "Draw"]]
    for rank, bot in enumerate(sorted(rated, key=lambda bot: -rated[bot].rating), 1):
        total = totals[bot]
        error = f"{rated[bot].error:.0f}{'?' if rated[bot].provisional else ''}"
        shares = (f"{100 * share:.1f}%" for share in (total.ratio, total.draw_ratio))
        lines.append([str(rank), bot, f"{rated[bot].rating:.0f}", error, str(total.games), *shares])
    return lines


def report_data(row: TournamentRow, table: Crosstable, specs: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The same as one JSON object, with the `(name, spec)` of each bot. A figure that is infinite is null there."""
    rated = _ratings(table)
    return {
        "tournament": row.id,
        "name": row.name,
        "game": row.game,
        "settings": {key: value for key, value in row.settings.items() if key not in ("bots", "worker")},
        "bots": [{"name": name, "spec": spec} for name, spec in specs],
        "games": {"scheduled": row.scheduled + row.running, "finished": row.finished, "aborted": row.aborted},
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
            }
            for first, second, score in table.pairs()
        ],
        "ratings": [
            {"bot": bot, **asdict(rating)} for bot, rating in sorted(rated.items(), key=lambda item: -item[1].rating)
        ],
    }


def _costs(row: Row) -> dict[str, Any]:
    if row.paid is None:
        return {}
    return {"costs": {name: getattr(row.paid, name) for name in ("races", "solved", "mean", "over_best")}}


def _figures(score: Score | Total) -> dict[str, float]:
    return {name: getattr(score, name) for name in ("games", "wins", "draws", "losses", "points")}


def _finite(figure: float) -> float | None:
    return figure if isfinite(figure) else None
