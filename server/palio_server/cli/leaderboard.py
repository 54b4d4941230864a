"""`palio leaderboard`: who is best, and how sure are we."""

from typing import TYPE_CHECKING, Any

import click
import msgspec

from palio_rules.errors import BadOption
from palio_rules.registry import game as rules_of
from palio_rules.registry import games
from palio_server.cli.options import game_option, json_option, with_source
from palio_server.cli.tables import show_table

if TYPE_CHECKING:
    from palio_db.values import Leader, PairScore
    from palio_server.cli.source import Source

EXAMPLES = """
\b
Examples:
  palio leaderboard                            every game that has been played here
  palio leaderboard --game breakthrough --head-to-head
  palio leaderboard --game dominoes --json | jq '.leaders[0].bot'
  palio leaderboard --url http://127.0.0.1:8000
"""

HEAD = ["#", "bot", "rating", "+/-", "games", "W", "D", "L", "points", "illegal", "time", "ms", "form"]


@click.command(epilog=EXAMPLES)
@game_option
@click.option("--head-to-head", is_flag=True, help="Also show what every two bots have scored against each other.")
@json_option
@with_source
async def leaderboard(source: "Source", *, game: str | None, head_to_head: bool, as_json: bool) -> None:
    """Show ratings with error bars, results, faults and thinking times.

    Reads the database, or a running server if --url (or PALIO_URL) is given. With --json and --game it prints that
    game's leaderboard, with --json alone the list of all.
    """
    await show_leaderboards(source, game, head_to_head=head_to_head, as_json=as_json)


async def show_leaderboards(
    source: "Source", game: str | None = None, *, head_to_head: bool = False, as_json: bool = False
) -> None:
    """Print the leaderboard of `game`, or of every game that has been played."""
    found: list[dict[str, Any]] = []
    for name in [game] if game else games():
        leaders = (await source.leaderboard(name)).leaders
        pairs = await source.head_to_head(name) if head_to_head else []
        if leaders or game:
            found.append({"game": name, "leaders": leaders} | ({"head_to_head": pairs} if head_to_head else {}))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found[0] if game else found)))
        return
    if not any(board["leaders"] for board in found):
        what = f"no match of {game}" if game else "no match"
        raise BadOption(f"{what} is finished in {source.where}; play some with `palio run`")
    for number, board in enumerate(found):
        if number:
            click.echo()
        show_table([HEAD, *map(_line, board["leaders"])], left={1, 12}, title=rules_of(board["game"]).title)
        if head_to_head:
            click.echo()
            show_table(_pairs(board["head_to_head"]), left={0, 1}, title="Head to head")
    if any(leader.provisional for board in found for leader in board["leaders"]):
        click.echo("? provisional: too few games to rank with confidence")


def _line(leader: "Leader") -> list[str]:
    rating = (f"{leader.rating:.0f}", f"{leader.error:.0f}{'?' if leader.provisional else ''}")
    results = map(str, (leader.games, leader.wins, leader.draws, leader.losses))
    points = f"{round(leader.points, 2):g}"
    faults = map(str, (leader.illegal_moves, leader.time_losses))
    return [str(leader.rank), leader.bot, *rating, *results, points, *faults, f"{leader.mean_ms:.1f}", leader.form]


def _pairs(pairs: list["PairScore"]) -> list[list[str]]:
    lines = [["bot", "against", "won", "drawn", "lost", "score"]]
    for pair in pairs:
        if pair.games:
            results = map(str, (pair.wins, pair.draws, pair.losses))
            lines.append([pair.first, pair.second, *results, f"{pair.points / pair.games:.3f}"])
    return lines
