"""`palio tournament start|pause|resume|cancel|extend|add|withdraw`: an organiser changes a tournament of a server."""

import click

from palio_server.cli.addresses import part
from palio_server.cli.command import runs
from palio_server.cli.event_answers import asked, number_argument, told
from palio_server.cli.options import server_option, token_option
from palio_server.cli.printing import say


@click.command(epilog="\b\nExample:\n  palio tournament start 3")
@number_argument
@server_option
@token_option
@runs
async def start(*, number: int, url: str | None, token: str | None) -> None:
    """Start tournament N now."""
    detail = await asked(url, token, "POST", f"tournaments/{number}/start")
    told(detail, f"tournament {number} is {detail.stage}, with {len(detail.bots)} bots", url)


@click.command(epilog="\b\nExample:\n  palio tournament pause 3")
@number_argument
@server_option
@token_option
@runs
async def pause(*, number: int, url: str | None, token: str | None) -> None:
    """Begin no more matches of tournament N; those in progress are played to their end."""
    detail = await asked(url, token, "POST", f"tournaments/{number}/pause")
    say(f"tournament {number} is {detail.stage}; {detail.running} matches are played to their end")


@click.command(epilog="\b\nExample:\n  palio tournament resume 3")
@number_argument
@server_option
@token_option
@runs
async def resume(*, number: int, url: str | None, token: str | None) -> None:
    """Go on with tournament N, which was paused."""
    detail = await asked(url, token, "POST", f"tournaments/{number}/resume")
    told(detail, f"tournament {number} is {detail.stage}", url)


@click.command(epilog="\b\nExample:\n  palio tournament cancel 3")
@number_argument
@server_option
@token_option
@runs
async def cancel(*, number: int, url: str | None, token: str | None) -> None:
    """End tournament N without a winner; matches in progress are played to their end."""
    detail = await asked(url, token, "POST", f"tournaments/{number}/cancel")
    say(f"tournament {number} is {detail.stage}; {detail.finished} of its matches count on the leaderboard")


@click.command(epilog="\b\nExample:\n  palio tournament extend 3 --rounds 9")
@number_argument
@click.option("--rounds", type=click.IntRange(1), required=True, help="How many rounds in all.")
@server_option
@token_option
@runs
async def extend(*, number: int, rounds: int, url: str | None, token: str | None) -> None:
    """Give tournament N more rounds; one that is finished goes on."""
    detail = await asked(url, token, "POST", f"tournaments/{number}/extend", {"rounds": rounds})
    told(detail, f"tournament {number} has {rounds} rounds now, and is {detail.stage}", url)


@click.command(epilog="\b\nExamples:\n  palio tournament add 3 eve\n  palio tournament add 3 eve --bye 2 --bye 3")
@number_argument
@click.argument("bot")
@click.option("--rating", type=float, help="What seeds it.")
@click.option("--bye", "byes", type=click.IntRange(1), multiple=True, metavar="ROUND",
              help="A round for which it has half a point; may be repeated.")  # fmt: skip
@server_option
@token_option
@runs
async def add(
    *, number: int, bot: str, rating: float | None, byes: tuple[int, ...], url: str | None, token: str | None
) -> None:
    """Enter BOT in tournament N, by its own token or an organiser's."""
    wanted = {"bot": bot} | ({"byes": byes} if byes else {}) | ({} if rating is None else {"rating": rating})
    detail = await asked(url, token, "POST", f"tournaments/{number}/entries", wanted)
    entry = next(entry for entry in detail.entries if entry.bot == bot)
    absent = "" if entry.connected else "; it is not connected yet"
    say(f"{bot} is number {entry.number} of tournament {number}, from round {entry.joined} on{absent}")


@click.command(epilog="\b\nExample:\n  palio tournament withdraw 3 eve")
@number_argument
@click.argument("bot")
@server_option
@token_option
@runs
async def withdraw(*, number: int, bot: str, url: str | None, token: str | None) -> None:
    """Let BOT play no more in tournament N; what it has not begun is forfeited."""
    await asked(url, token, "DELETE", f"tournaments/{number}/entries/{part(bot)}")
    say(f"{bot} has left tournament {number}")
