"""`palio join`: enter a bot on a server."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

import click

from palio_clients.cli import Misuse
from palio_clients.cli.games import plain_names
from palio_clients.cli.interrupt import until_stopped
from palio_rules.completing.specs import bot_spec, game_spec

if TYPE_CHECKING:
    from palio_clients.sdk.entrant import Entrant

EXAMPLES = """
\b
Examples:
  palio join localhost:8000 ./mine.py
  palio join ws://127.0.0.1:8000 ./mine.py:Mine:depth=3 --name mine --slots 4
  palio join https://palio.example alpha_beta:depth=4 --token "$PALIO_TOKEN" --game breakthrough
  palio join ws://127.0.0.1:8000 'exec:./engine --level 3' --matches 10
  palio join ws://127.0.0.1:8000 ./mine.py --about 'Alpha-beta, written in one week.'
  palio join mqtt://mine:password@broker.example my_package.bots:Mine
"""


@click.command(epilog=EXAMPLES)
@click.argument("url")
@click.argument("spec", shell_complete=bot_spec)
@click.option("--name", help="The bot's name on the server; by default made from SPEC.")
@click.option("--token", envvar="PALIO_TOKEN", show_envvar=True, help="What `palio bot add` printed for this name.")
@click.option("--about", default="", help="A line for the bot's page: how it plays, who has written it.")
@click.option(
    "--game",
    "games",
    metavar="GAME",
    multiple=True,
    callback=plain_names,
    shell_complete=game_spec,
    help="Play only this game, also of a file (./mygame.py:Nim); may be given several times.",
)
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
    about: str,
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
    class (package.module:Mine), any program that speaks JSON lines (exec:./engine --flags), a student's file
    (handout:dominoes:./hw4.py), or a language model (llm:http://127.0.0.1:8080/v1,model=NAME); docs/bots.md has the
    rest. URL is the server's address (ws, wss, http, https; ws+unix:///path/to.sock on the same machine;
    localhost:8000 is ws://localhost:8000) or a broker's (mqtt, mqtts). A connection that breaks is made again.
    """
    from palio_clients.cli.event_printer import EventPrinter  # noqa: PLC0415
    from palio_clients.sdk.build import build_of_spec  # noqa: PLC0415
    from palio_clients.sdk.event_loop import run_in_loop  # noqa: PLC0415
    from palio_clients.sdk.failures import BadBot, ClientError  # noqa: PLC0415  # `palio --help` starts without sockets
    from palio_clients.sdk.join import join as play  # noqa: PLC0415
    from palio_rules.contract.codec import Encoding  # noqa: PLC0415

    try:
        entered = entrant(url, spec, name, games)
    except BadBot as error:
        raise Misuse(str(error)) from error
    printer = EventPrinter(entered.name, quiet=quiet, as_json=as_json)
    playing = play(
        url,
        entered,
        token=token,
        slots=slots,
        matches=matches,
        reconnect=not no_reconnect,
        encoding=Encoding(encoding),
        only_failures=quiet,
        notify=printer,
        about=about,
        build=build_of_spec(spec),
    )
    try:
        run_in_loop(until_stopped(playing))
    except ClientError as error:
        raise click.ClickException(str(error)) from error
    finally:
        printer.print_score()


def entrant(url: str, spec: str, name: str | None, games: Sequence[str]) -> "Entrant":
    """The bot SPEC for the server at `url`, under `name`, for `games` only. Raises BadBot with the remedy."""
    from palio_clients.sdk.loader import load  # noqa: PLC0415
    from palio_clients.sdk.transport import MQTT, address  # noqa: PLC0415

    parts = address(url)
    loaded = load(spec)
    user = unquote(parts.username) if parts.scheme in MQTT and parts.username else None
    return loaded.named(name or user or loaded.name).only(games)  # a broker knows its bots by their user names
