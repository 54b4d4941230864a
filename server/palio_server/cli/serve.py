"""`palio serve`: a standing server."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palio_rules.completing import a_file, game_spec, named_bot_spec
from palio_rules.errors import BadOption
from palio_rules.extras import missing_part
from palio_rules.version import BUILD
from palio_server.cli.command import runs
from palio_server.cli.log_option import log_option, on_stderr, teller
from palio_server.cli.options import db_option, known_games, sandbox_options

if TYPE_CHECKING:
    from palio_db.values import Act
    from palio_server.app_state import ServerParts
    from palio_server.processes import Bots
    from palio_server.settings import Settings

EXAMPLES = """
\b
Examples:
  palio serve                                  for yourself, on http://127.0.0.1:8000, no tokens
  palio serve --ladder --tc 5+0.05             idle bots are paired again and again
  palio serve --ladder --bot random --bot greedy
  palio serve --ladder --game go:size=19 --game go      two boards by turns, each with its own ratings
  palio serve --auth --house-bots 8            tokens for bots; people play as guests, eight at once against ours
  palio serve --game ./mygame.py:Nim           a game of your own beside those that are installed
  palio serve --private                        viewers need a token, too
  palio serve --ladder --tv                    the same on a screen for all in the room
  palio serve --anchor random=1000             ratings stand where a known bot puts them
  palio serve --auth --public-url https://palio.example --forwarded-from 127.0.0.1      behind a proxy here
  palio serve --auth --course ai101            students hand in by personal links (`palio course links ai101`)
  palio serve --host 0.0.0.0 --db postgresql://palio@db/palio --mqtt mqtt://broker:1883
"""


@click.command(epilog=EXAMPLES)
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes any free one (default: 8000).")
@click.option(
    "--socket",
    metavar="PATH",
    shell_complete=a_file,
    help="Also a Unix socket, for bots of the same user on this machine.",
)
@db_option
@click.option(
    "--mqtt", metavar="URL", help="A broker that bots and viewers may use too: mqtt://USER:PASSWORD@HOST:PORT."
)
@click.option("--role", type=click.Choice(["all", "gateway", "referee"]),
              help="Of several servers: let bots and viewers in, or play their matches (default: all).")  # fmt: skip
@click.option("--public-url", metavar="URL",
              help="Where people reach it, if not at its own address: https://palio.example.")  # fmt: skip
@click.option("--origin", "origins", metavar="URL", multiple=True,
              help="Another site whose pages may act here: https://club.example; may be repeated.")  # fmt: skip
@click.option("--forwarded-from", "proxies", metavar="ADDRESS", multiple=True,
              help="A proxy whose X-Forwarded-For is believed: 127.0.0.1, 10.0.0.0/8; may be repeated.")  # fmt: skip
@click.option("--auth/--no-auth", default=None, help="Ask for tokens (default: yes, except on loopback).")
@click.option("--private/--public", default=None,
              help="Reading needs a token, too; people sign in on the page (default: all may read).")  # fmt: skip
@click.option("--ladder/--no-ladder", default=None, help="Pair idle bots of one game again and again.")
@click.option("--tc", "ladder_tc", metavar="TIME", help="Time control of ladder games (default: 10+0.1).")
@click.option("--house-bots", metavar="N", type=click.IntRange(0, 256),
              help="Tables with bots that the server starts for people (default: 4, with tokens 0).")  # fmt: skip
@click.option("--guests/--no-guests", default=None,
              help="People play without an account, unrated (default: where there are house bots).")  # fmt: skip
@click.option("--concurrency", type=click.IntRange(1, 10_000), help="Games at once (default: 8).")
@click.option("--open-matches", metavar="N", type=click.IntRange(1, 1_000_000),
              help="Matches of one token or address that wait or are played (default: 1000).")  # fmt: skip
@click.option("--worker", metavar="NAME", help="Name of this server, where several share a database (default: palio).")
@click.option("--anchor", "anchors", metavar="NAME=R", multiple=True,
              help="Bot whose rating is known, in every game, or in one: go:size=19/NAME=R.")  # fmt: skip
@click.option(
    "--bot",
    "bots",
    metavar="BOT",
    multiple=True,
    shell_complete=named_bot_spec,
    help="Start this bot here too; may be repeated.",
)
@click.option("--game", "games", metavar="GAME", multiple=True, callback=known_games, shell_complete=game_spec,
              help="Offer this game, too, of a file or a scheme: ./mygame.py:Nim; or with settings for the ladder: "
              "go:size=19; may be repeated.")  # fmt: skip
@sandbox_options
@click.option("--back-in", metavar="TIME",
              help="When the server is back after a stop, for bots and viewers: 30s, 2m (default: 5s).")  # fmt: skip
@click.option("--docs", metavar="FOLDER|URL", shell_complete=a_file,
              help="The documentation as a site, for the page to link to (default: site/ of a checkout).")  # fmt: skip
@log_option
@click.option("--telemetry/--no-telemetry", default=None,
              help="Send traces to where OTEL_EXPORTER_OTLP_ENDPOINT says (default: no).")  # fmt: skip
@click.option("--course", "courses", metavar="FOLDER", multiple=True, type=click.Path(), shell_complete=a_file,
              help="Serve this course: students hand in, submissions are checked; may be repeated.")  # fmt: skip
@click.option("--check-slots", metavar="N", type=click.IntRange(1, 64),
              help="Checks of submissions at once (default: one for two cores).")  # fmt: skip
@click.option("--tv", is_flag=True, help="Open the hall's screen in a browser, and say where it is.")
@runs
async def serve(
    *,
    auth: bool | None,
    anchors: tuple[str, ...],
    bots: tuple[str, ...],
    courses: tuple[str, ...],
    games: tuple[str, ...],
    origins: tuple[str, ...],
    proxies: tuple[str, ...],
    tv: bool,
    **flags: Any,
) -> None:
    """Serve bots, viewers and the page until Ctrl-C. Matches that were in progress go on."""
    from msgspec.structs import replace

    from palio_server.api import guide
    from palio_server.cli.command import loading
    from palio_server.cli.event_loop import ends_in_time, stop_signals
    from palio_server.cli.local_server import server_with_bots
    from palio_server.cli.source import command_line
    from palio_server.courses.bot_specs import check_named
    from palio_server.processes import bots_are_independent, entrants
    from palio_server.settings import load, strangers

    settings = load(
        auth=None if auth is None else "required" if auth else "open",
        anchor=",".join(anchors) or None,
        ladder_games=";".join(games) or None,
        origin=",".join(origins) or None,
        forwarded_from=",".join(proxies) or None,
        course=os.pathsep.join(courses) or None,
        **flags,
    )
    _check_ladder(settings, games)
    if settings.docs is None:
        settings = replace(settings, docs=guide.built())
    beside = entrants(bots)
    for entrant in beside:
        check_named(entrant.text, Path.cwd())
    if beside and settings.must_confine:
        settings = replace(settings, sandbox="require")

    def start(running: "Bots", url: str) -> None:
        for entrant in beside:
            running.add(url, entrant, slots=2)

    if beside and not settings.open:
        raise BadOption("--bot is for servers without tokens; give each bot one (`palio bot add`) and use `palio join`")
    with stop_signals() as stop:
        private = bool(beside or settings.course)
        async with server_with_bots(
            settings, on_stderr, start, private=private, goes_on=bots_are_independent, watched=True
        ) as (server, _):
            await server.store.log_act(_started(server), command_line())
            say = teller()
            for line in _introduction(server):
                say(line)
            for line in filter(None, [strangers(), *_hints(settings, len(beside))]):
                on_stderr(line, "warning")
            if tv:
                from palio_server.cli.hall import show_hall

                say(show_hall(server.url))
            await stop.wait()
            on_stderr("stopping; games in progress go on when the server is back")
            ends_in_time()
            with loading():
                from palio_server.server import drain

            await drain(server)


def _check_ladder(settings: "Settings", games: tuple[str, ...]) -> None:
    """Raise BadOption for games with settings if there is no ladder."""
    if not settings.ladder and (typed := next((game for game in games if ":" in game), None)):
        raise BadOption(f"--game {typed} has settings, which are for the ladder; add --ladder, or name the game alone")


def _started(server: "ServerParts") -> "Act":
    """Return the settings for access and the anchors of ratings, for the audit."""
    from palio_db.values import Act

    settings = server.settings
    said = ["open" if settings.open else "tokens required", *(["private"] if settings.private else [])]
    said += [f"anchors {settings.anchor}"] if settings.anchor else []
    return Act("server started", f"server {settings.worker}", ", ".join(said))


def _hints(settings: "Settings", bots: int) -> list[str]:
    """Return sentences about what was asked for and cannot happen yet."""
    hints = []
    if settings.ladder and bots == 1:
        hints.append("the ladder pairs two bots: name another --bot, or let one join; one alone waits")
    if settings.course and find_spec("pytest") is None:
        hints.append(f"submissions cannot be checked: {missing_part(ModuleNotFoundError(name='pytest'))}")
    return hints


def _introduction(server: "ServerParts") -> list[str]:
    """Return lines about the page's address, how bots join, and who may."""
    from palio_server.network.listeners import unix_url

    reached = server.settings.public_url or server.url
    socket = reached.rstrip("/").replace("http", "ws", 1)
    lines = [
        f"palio {BUILD} serves on {server.url}, database {server.store.url}",
        f"bots join with: palio join {socket} SPEC --name NAME{'' if server.settings.open else ' --token TOKEN'}",
    ]
    if server.settings.public_url is not None:
        lines.append(f"people open {server.settings.public_url}")
    courses = () if server.courses is None else server.courses.by_name
    lines += [f"students of {name} open {reached.rstrip('/')}/course/{name}#..." for name in courses]
    if server.settings.socket is not None:
        lines.append(f"bots of your own on this machine also with: palio join {unix_url(server.settings.socket)} SPEC")
    if not server.settings.open:
        what = "tokens are required, to look at it, too" if server.settings.private else "tokens are required"
        lines.append(f"{what}; `palio bot add NAME` makes one")
    elif not server.settings.on_loopback:
        lines.append("no tokens are required: all who reach this address may play and start matches")
    return lines
