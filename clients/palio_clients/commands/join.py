"""`palio join`: enter a bot on a server."""

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import click

T = TypeVar("T")

EXAMPLES = """
\b
Examples:
  palio join ws://127.0.0.1:8000 ./mine.py
  palio join ws://127.0.0.1:8000 ./mine.py:Mine:depth=3 --name mine --slots 4
  palio join https://palio.example alpha_beta:depth=4 --token "$PALIO_TOKEN" --game breakthrough
  palio join ws://127.0.0.1:8000 'exec:./engine --level 3' --matches 10
  palio join mqtt://mine:password@broker.example my_package.bots:Mine
"""


class Misuse(click.ClickException):
    """The command line does not make sense, in one sentence."""

    exit_code = 2


@click.command(epilog=EXAMPLES)
@click.argument("url")
@click.argument("spec")
@click.option("--name", help="The bot's name on the server; by default made from SPEC.")
@click.option("--token", envvar="PALIO_TOKEN", show_envvar=True, help="What `palio bot add` printed for this name.")
@click.option("--game", "games", multiple=True, help="Play only this game; may be given several times.")
@click.option("--slots", type=click.IntRange(1, 256), default=1, show_default=True, help="Matches at once.")
@click.option("--matches", type=click.IntRange(min=1), help="Leave after so many matches.")
@click.option("--no-reconnect", is_flag=True, help="End when the connection is lost, with exit code 1.")
@click.option("--encoding", type=click.Choice(["msgpack", "json"]), default="msgpack", help="How messages travel.")
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON, one a line.")
@click.option("--quiet", "-q", is_flag=True, help="Print failures only.")
def join(
    *,
    url: str,
    spec: str,
    name: str | None,
    token: str | None,
    games: tuple[str, ...],
    slots: int,
    matches: int | None,
    no_reconnect: bool,
    encoding: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Play as the bot SPEC on the server at URL until Ctrl-C.

    SPEC is the name of an installed bot (random, alpha_beta:depth=4), a file (./mine.py, ./mine.py:Mine:depth=3), a
    class (package.module:Mine), or any program that speaks JSON lines (exec:./engine --flags). URL is the server's
    address (ws, wss, http, https) or a broker's (mqtt, mqtts). The connection is mended when it breaks.
    """
    from palio_clients.entry import entry  # noqa: PLC0415  # `palio --help` starts without sockets
    from palio_clients.failures import BadBot, ClientError  # noqa: PLC0415
    from palio_clients.join import join as play  # noqa: PLC0415
    from palio_clients.teller import Teller  # noqa: PLC0415
    from palio_rules.wire import Encoding  # noqa: PLC0415

    try:
        entered = entry(url, spec, name, games)
    except BadBot as error:
        raise Misuse(str(error)) from error
    teller = Teller(entered.name, quiet=quiet, as_json=as_json)
    playing = play(
        url,
        entered,
        token=token,
        slots=slots,
        matches=matches,
        reconnect=not no_reconnect,
        encoding=Encoding(encoding),
        notify=teller,
    )
    try:
        asyncio.run(until_stopped(playing))
    except ClientError as error:
        raise click.ClickException(str(error)) from error
    finally:
        teller.farewell()


async def until_stopped(work: Coroutine[Any, Any, T]) -> T | None:
    """Do `work` until it ends, or until Ctrl-C or SIGTERM cancels it (None); a second signal ends us at once."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        task.cancel()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(name)

    for name in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows: there Ctrl-C raises KeyboardInterrupt, which ends it, too
            loop.add_signal_handler(name, stop)
    with suppress(asyncio.CancelledError):
        return await task
    return None
