"""`palio leaderboard`: the ratings of bots, and their errors."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import click

from palio_rules.errors import BadOption
from palio_rules.registry import games, title_of
from palio_server.cli.options import board_option, json_option, with_source
from palio_server.cli.printing import say, show_json, show_table
from palio_server.ratings.elo import MOST_DAYS

if TYPE_CHECKING:
    from palio_db.values import Leader, PairScore
    from palio_server.api.rating_reader import RankedGame
    from palio_server.cli.source import Source

EXAMPLES = """
\b
Examples:
  palio leaderboard                            every game that has been played here
  palio leaderboard --game breakthrough --head-to-head
  palio leaderboard --game go:size=19          the board of nineteen lines has its own ratings
  palio leaderboard --game dominoes --json | jq '.leaders[0].bot'
  palio leaderboard --game dominoes --history ann
  palio leaderboard --game dominoes --half-life 30
  palio leaderboard --url http://127.0.0.1:8000
"""

HEAD = ["#", "bot", "rating", "+/-", "games", "W", "D", "L", "points", "illegal", "time", "ms", "form"]
MODEL_HEAD = ["tokens in", "out", "$ a game", "answer ms"]  # where a bot asks a language model


@click.command(epilog=EXAMPLES)
@board_option
@click.option("--head-to-head", is_flag=True, help="Also show what every two bots have scored against each other.")
@click.option("--history", "bot", metavar="BOT", help="Show how BOT's rating went instead; needs --game.")
@click.option(
    "--half-life",
    metavar="DAYS",
    type=click.FloatRange(0, MOST_DAYS, min_open=True),
    help="Let results fade: one of that age counts half. Of the newest 20,000 of a game. Default: all count in full.",
)
@json_option
@with_source
async def leaderboard(
    source: "Source", *, game: str | None, head_to_head: bool, bot: str | None, half_life: float | None, as_json: bool
) -> None:
    """Show ratings with error bars, results, faults and thinking times.

    Reads the database, or a running server if --url (or PALIO_URL) is given. With --json and --game it prints that
    game's leaderboard, with --json alone the list of all.
    """
    if bot is not None:
        if half_life is not None:
            raise BadOption("--history shows ratings as they were shown, without a half-life; leave --half-life out")
        await _show_history(source, game, bot, as_json=as_json)
        return
    await show_leaderboards(source, game, head_to_head=head_to_head, half_life=half_life, as_json=as_json)


async def show_leaderboards(
    source: "Source",
    game: str | None = None,
    *,
    head_to_head: bool = False,
    half_life: float | None = None,
    as_json: bool = False,
) -> None:
    """Print the leaderboard of `game`, or of every game that has been played."""
    found: list[dict[str, Any]] = []
    async for ranked in _ranked(source, game, half_life):
        name, leaders = ranked.game, ranked.leaders
        pairs = await source.head_to_head(name) if head_to_head else []
        if leaders or game:
            first = {"first_move": ranked.first_move}
            found.append({"game": name, "leaders": leaders} | first | ({"head_to_head": pairs} if head_to_head else {}))
    if as_json:
        show_json(found[0] if game else found)
        return
    if not any(board["leaders"] for board in found):
        what = f"no match of {game}" if game else "no match"
        raise BadOption(f"{what} is finished in {source.where}; play some with `palio run`{await source.elsewhere()}")
    say(f"From {source.origin}{await source.elsewhere()}")
    for number, board in enumerate(found):
        if number:
            say()
        _show_ranked(board)
        if half_life is not None:
            say(f"ratings fade: a result of {half_life:g} days ago counts half; all other columns count in full")
        if head_to_head:
            say()
            show_table(_pairs(board["head_to_head"]), left={0, 1}, title="Head to head")
            say("stronger: how probable it is that the bot is stronger than its opponent, by all games here")
    if any(leader.provisional for board in found for leader in board["leaders"]):
        say("? provisional: too few games for a rank; listed after the others")


async def _ranked(source: "Source", game: str | None, half_life: float | None) -> "AsyncIterator[RankedGame]":
    """Yield one leaderboard; or those of all games, each followed by those of its settings."""
    for name in [game] if game else games():
        yield (first := await source.ranked(name, half_life))
        for other in () if game else first.boards:
            if other.game != name:
                yield await source.ranked(other.game, half_life)


def _show_ranked(board: dict[str, Any]) -> None:
    from palio_server.tournament.score_lines import EQUAL
    from palio_server.tournament.standing import shared_places

    places = shared_places(None if each.provisional else round(each.rating, EQUAL) for each in board["leaders"])
    lines = [HEAD, *map(_line, places, board["leaders"])]
    if any(leader.latency_ms is not None or leader.tokens_in is not None for leader in board["leaders"]):
        lines = [[*line, *more] for line, more in zip(lines, [MODEL_HEAD, *map(_costs, board["leaders"])], strict=True)]
    show_table(lines, left={1, 12}, title=title_of(board["game"]))
    from palio_server.ratings.bradley_terry import WIDEST_SHOWN

    if (first_move := board["first_move"]) is not None and first_move.error <= WIDEST_SHOWN:
        worth = f"{first_move.elo:+.0f} +/- {first_move.error:.0f} Elo"
        say(f"to move first is worth {worth}, by the last {first_move.games} games")


async def _show_history(source: "Source", game: str | None, bot: str, *, as_json: bool) -> None:
    if game is None:
        raise BadOption("--history shows a rating in one game; say which, as in --game breakthrough")
    found = await source.history(game, bot)
    if as_json:
        show_json(found)
        return
    if not found.points:
        where = f"{source.where}; `palio leaderboard` shows who has{await source.elsewhere()}"
        raise BadOption(f"{bot} has finished no match of {game} in {where}")
    say(f"From {source.origin}{await source.elsewhere()}")
    lines = [
        [f"{each.at:%Y-%m-%d %H:%M:%S}", f"{each.rating:.0f}", f"{each.error:.0f}{'?' if each.provisional else ''}"]
        for each in found.points
    ]
    show_table([["at (UTC)", "rating", "+/-"], *lines], left={0}, title=f"{bot} in {title_of(game)}")


def _line(place: str, leader: "Leader") -> list[str]:
    rating = (f"{leader.rating:.0f}", f"{leader.error:.0f}{'?' if leader.provisional else ''}")
    results = map(str, (leader.games, leader.wins, leader.draws, leader.losses))
    points = f"{round(leader.points, 2):g}"
    faults = map(str, (leader.illegal_moves, leader.time_losses))
    return [place, leader.bot, *rating, *results, points, *faults, f"{leader.mean_ms:.1f}", leader.form]


def _costs(leader: "Leader") -> list[str]:
    """Return the costs of a language model: tokens read and written a move, dollars a game, milliseconds an answer."""
    tokens = ("" if each is None else f"{each:.0f}" for each in (leader.tokens_in, leader.tokens_out))
    cost = "" if leader.cost is None else f"{leader.cost:.4g}"
    return [*tokens, cost, "" if leader.latency_ms is None else f"{leader.latency_ms:.0f}"]


def _pairs(pairs: list["PairScore"]) -> list[list[str]]:
    from palio_server.ratings.bradley_terry import superiorities

    lines, chances = [["bot", "against", "won", "drawn", "lost", "score", "stronger"]], superiorities(pairs)
    for pair in pairs:
        if pair.games:
            results = map(str, (pair.wins, pair.draws, pair.losses))
            chance = f"{100 * chances[pair.first, pair.second]:.1f} %"
            lines.append([pair.first, pair.second, *results, f"{pair.points / pair.games:.3f}", chance])
    return lines
