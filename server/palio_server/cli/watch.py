"""`palio watch`: a match in progress, as a board in the terminal or as lines in a pipe."""

import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING

import click

from palio_rules.contract import endpoints
from palio_rules.contract.endpoints import LOCAL
from palio_server import live
from palio_server.cli.addresses import several
from palio_server.cli.command import CommandFailed, runs
from palio_server.cli.live_stream import WAIT_S, LiveStream
from palio_server.cli.printing import say, say_text, show_json_line
from palio_server.cli.spectator import Spectator

if TYPE_CHECKING:
    from rich.console import Group

EXAMPLES = """
\b
Examples:
  palio watch                                  the newest match on this machine's server
  palio watch 0m3k9x --url https://palio.example
  palio watch | tee match.txt                  one line a move
  palio watch --json | jq .                    what happens, for programs
  palio watch --url http://a:8000,http://b:8000 --wait 600      the one that answers
"""


@click.command(epilog=EXAMPLES)
@click.argument("match", required=False)
@click.option("--url", "urls", metavar="URL", multiple=True, envvar="PALIO_URL",
              help=f"Running servers, as A,B or repeated (default: PALIO_URL, or {LOCAL}).")  # fmt: skip
@click.option("--wait", metavar="SECONDS", type=click.FloatRange(0, 86_400), default=WAIT_S, show_default=True,
              help="Without an answer, after which it gives up.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True,
              help="Print each message of /ws/live as a line of JSON: first the snapshot, last the end.")  # fmt: skip
@runs
async def watch(*, match: str | None, urls: tuple[str, ...], wait: float, as_json: bool) -> int | None:
    """Follow MATCH live until it ends; without MATCH the newest one, or the next that begins.

    When its server is restarted or dies it continues with the next one that answers, with the whole position first.
    """
    from rich.console import Console

    stream = LiveStream(several(urls), wait, partial(say, err=True))
    if match is None:
        match = await _newest(stream)
    async with contextlib.aclosing(stream.follow(endpoints.live(match))) as messages:
        first = await anext(messages)
        if not isinstance(first, live.MatchSnapshot):
            begun = f"the server begins with {type(first).__name__} where a match's snapshot is due"
            raise CommandFailed(f"{begun}; is it a newer palio?")
        if as_json:
            show_json_line(first)
        await (_print_json if as_json else _draw if Console().is_terminal else _print)(Spectator(first), messages)
    return 0


async def _newest(stream: LiveStream) -> str:
    """Return the newest match in progress; if there is none, the next to begin. Identities grow with time."""
    told = False
    async with contextlib.aclosing(stream.follow(endpoints.LIVE)) as messages:
        async for message in messages:
            if isinstance(message, live.LobbySnapshot | live.LobbyUpdate):
                new = isinstance(message, live.LobbyUpdate)  # so short a match may be over when the message comes
                matches = [summary.match for summary in message.matches if new or summary.result is None]
                if matches:
                    return max(matches)
                if not new and not told:
                    told = True
                    say(f"no match is being played on {stream.url}; waiting for the next one", err=True)
    raise AssertionError("it goes on without end")


async def _print(spectator: Spectator, messages: AsyncIterator[live.LiveMessage]) -> None:
    for line in spectator.introduction():
        say_text(line)
    while spectator.result is None:
        for line in spectator.hear(await anext(messages)):
            say_text(line)


async def _print_json(spectator: Spectator, messages: AsyncIterator[live.LiveMessage]) -> None:
    """Print each message; after a lost connection the whole position comes again, as a snapshot."""
    while spectator.result is None:
        message = await anext(messages)
        spectator.hear(message)
        show_json_line(message)


async def _draw(spectator: Spectator, messages: AsyncIterator[live.LiveMessage]) -> None:
    """Draw a board again with every move; it stays on the screen at the end."""
    from rich.live import Live

    with Live(_screen(spectator), refresh_per_second=12) as display:
        while spectator.result is None:
            spectator.hear(await anext(messages))
            display.update(_screen(spectator))


def _screen(spectator: Spectator) -> "Group":
    from rich.console import Group
    from rich.text import Text

    head, board, news = spectator.screen()
    return Group(Text(head, style="bold"), Text(board), Text(), Text(news))
