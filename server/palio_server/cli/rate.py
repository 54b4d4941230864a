"""`palio rate`: ratings from a file of results."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palio_rules.errors import BadOption, quoted
from palio_server.cli.options import json_option
from palio_server.cli.printing import say, show_json, show_table

if TYPE_CHECKING:
    from palio_server.ratings.likelihood import RatedPlayer

EXAMPLES = """
\b
Examples:
  palio rate games.csv
  palio rate games.pgn --anchor stockfish=3600
  palio match export --game breakthrough -o games.txt && palio rate games.txt --mean 1500 --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--mean", type=float, metavar="M", help="The mean of all ratings (default: 0).")
@click.option(
    "--anchor",
    "anchors",
    multiple=True,
    metavar="NAME=R",
    help="NAME has the rating R; may be repeated, to fix several.",
)
@json_option
def rate(*, file: Path, mean: float | None, anchors: tuple[str, ...], as_json: bool) -> None:
    """Rate the players in FILE by maximum likelihood (Bradley-Terry, a draw is half a win).

    FILE is CSV with the header first,second,score (points of the first), PGN (*.pgn), or records as `palio match
    export` writes them. The error is 1.96 standard errors.
    """
    from palio_server.ratings.likelihood import rate_likeliest, table_of
    from palio_server.ratings.result_files import read_results

    given = read_anchors(anchors)
    if given and mean is not None:
        raise BadOption("give either --mean or --anchor: both would move all ratings")
    results = read_results(str(file), file.read_bytes())
    if results.unfinished:
        say(f"palio: {results.unfinished} games without a result (*) are left out", err=True)
    if not results.games:
        raise BadOption(f"there is no result in {file}")
    rated = rate_likeliest(table_of(results.games), mean or 0.0, given)
    for reason in rated.reasons:
        say(f"palio: {reason}", err=True)
    if as_json:
        several = any(line.part > 1 for line in rated.lines)
        rows = [row_of(line, several=several) for line in rated.lines]
        show_json(rows)
    else:
        show(rated.lines, len(results.games))


def read_anchors(words: tuple[str, ...]) -> dict[str, float]:
    """Return `NAME=R` for each anchor. Raises BadOption."""
    given: dict[str, float] = {}
    for word in words:
        name, sign, text = word.rpartition("=")
        try:
            rating = float(text)
        except ValueError:
            rating = float("nan")
        if not sign or not name or not abs(rating) < 1e6:
            raise BadOption(f"--anchor takes NAME=RATING, such as greedy=1500; got {quoted(word)}")
        if name in given:
            raise BadOption(f"the anchor {quoted(name)} is given twice")
        given[name] = rating
    return given


def row_of(line: "RatedPlayer", *, several: bool) -> dict[str, Any]:
    """Return a row for `--json`; `part` only if ratings of different parts cannot be compared."""
    row = {"name": line.name, "rating": line.rating, "error": line.error, "games": line.games, "score": line.score}
    return row | ({"part": line.part} if several else {})


def show(lines: list["RatedPlayer"], games: int) -> None:
    """Print the ratings for people; parts that cannot be compared are separate."""
    for part in sorted({line.part for line in lines if line.rating is not None}):
        within = [line for line in lines if line.part == part and line.rating is not None]
        if part > 1:
            say()
        rows = [["#", "player", "rating", "+/-", "games", "points", "score"]]
        rows += [[str(rank), *_cells(line)] for rank, line in enumerate(within, 1)]
        show_table(rows, left={1})
    unknown = [line for line in lines if line.rating is None]
    if unknown:
        say()
        show_table([["player", "games", "points", "score"], *([line.name, *_cells(line)[3:]] for line in unknown)],
                   title="Not determined")  # fmt: skip
    say(f"{games} results")


def _cells(line: "RatedPlayer") -> list[str]:
    rating, error = ("-" if figure is None else f"{round(figure, 1) + 0.0:.1f}" for figure in (line.rating, line.error))
    return [line.name, rating, error, str(line.games), f"{line.score:g}", f"{100 * line.score / line.games:.1f}%"]
