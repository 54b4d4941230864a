"""Options that several commands share, and their processing."""

from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palio_rules.completing import game_setting, game_spec, one_of
from palio_rules.contract.endpoints import LOCAL
from palio_rules.errors import BadOption, nearest
from palio_rules.registry import adopt, game, game_from_spec, games, installed, leaderboard_of
from palio_rules.spec import Spec
from palio_rules.time_control import MARGIN_MS, UNLIMITED, TimeControl
from palio_server.cli.command import runs
from palio_server.cli.completed_words import database

if TYPE_CHECKING:
    from palio_db.store import Store
    from palio_server.cli.source import Source


Decorator = Callable[[Callable[..., Coroutine[Any, Any, int | None]]], Callable[..., int | None]]

db_option = click.option(
    "--db",
    metavar="URL",
    shell_complete=database,
    help="sqlite:///FILE or postgresql://USER@HOST/NAME (default: PALIO_DB, or ./palio.db).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON value and nothing else.")
server_option = click.option(
    "--url", metavar="URL", envvar="PALIO_URL", help=f"A running server (default: PALIO_URL, or {LOCAL})."
)
token_option = click.option(
    "--token", metavar="TOKEN", envvar="PALIO_TOKEN", help="A token, if the server asks for one (default: PALIO_TOKEN)."
)
tc_option = click.option(
    "--tc",
    metavar="TIME",
    shell_complete=one_of(lambda: (UNLIMITED,)),
    help="Time for the whole game: seconds+increment as in 10+0.1, 5:00+3, moves in a time as in 40/60, byo-yomi as in "
    "600+5x30 or 600+25/300, or inf.",
)
odds_option = click.option(
    "--odds",
    metavar="NAME=TIME",
    multiple=True,
    help="Time odds: this bot has a time of its own, as in b=5+0.05 or b=0.5/move.",
)
rated_option = click.option(
    "--rated/--unrated",
    default=None,
    help="Count results for the leaderboard, or not (default: unless a handicap or time odds favour a seat).",
)
st_option = click.option("--st", metavar="SECONDS", help="Time for each move, in seconds.")
option_option = click.option(
    "-o",
    "--option",
    "options",
    metavar="KEY=VALUE",
    multiple=True,
    shell_complete=game_setting,
    help="A setting of the game; may be repeated.",
)


def odds_of(given: Sequence[str], bots: Sequence[str], margin_ms: int = MARGIN_MS) -> dict[str, TimeControl]:
    """Return the times of `--odds NAME=TIME`, by bot. Raises BadOption."""
    found: dict[str, TimeControl] = {}
    for text in given:
        name, equals, time = text.partition("=")
        if not equals or not time:
            raise BadOption(f"--odds {text!r} cannot be read; write NAME=TIME, as in b=5+0.05")
        if bots and name not in bots:
            raise BadOption(f"--odds names {name!r}, who does not play; {nearest(name, bots)}")
        if name in found:
            raise BadOption(f"--odds gives {name!r} two times; keep one of them")
        found[name] = TimeControl.from_text(time, margin_ms)
    return found


def known_game(ctx: click.Context, param: click.Parameter | None, value: str | None) -> str | None:
    """Return the name of the game that was typed, also for a file. For an option's `callback`, or to be called."""
    if value is None:
        return None
    if ctx.resilient_parsing:  # for a shell's completion no file is run
        return value
    try:
        spec = adopt(value)
        game(spec.name)
    except BadOption as error:
        raise click.BadParameter(str(error), ctx, param) from error
    if spec.settings:
        raise click.BadParameter(f"{value!r} has settings; the game's name alone is meant: {spec.name}", ctx, param)
    return spec.name


def known_games(ctx: click.Context, param: click.Parameter | None, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the games for an option that may be given several times: each name, with the settings that were typed."""
    if ctx.resilient_parsing:
        return values
    try:
        return tuple(map(_checked, values))
    except BadOption as error:
        raise click.BadParameter(str(error), ctx, param) from error


def known_board(ctx: click.Context, param: click.Parameter | None, value: str | None) -> str | None:
    """Return the leaderboard that was typed: a game, perhaps with the settings that make another one of it."""
    if value is None or ctx.resilient_parsing:
        return value
    try:
        return leaderboard_of(value)
    except BadOption as error:
        raise click.BadParameter(str(error), ctx, param) from error


def _checked(text: str) -> str:
    """Return a game under its plain name, with the settings that were typed. Raises BadOption."""
    rules, _ = game_from_spec(text)
    return str(Spec(rules.name, adopt(text).settings))


_KNOWN = f"{', '.join(installed())}, or a file's: ./mygame.py:Nim"
game_option = click.option(
    "--game", callback=known_game, shell_complete=game_spec, metavar="GAME", help=f"One game only: {_KNOWN}."
)

board_option = click.option(
    "--game",
    callback=known_board,
    shell_complete=game_spec,
    metavar="GAME",
    help=f"One game only: {_KNOWN}; with settings, as go:size=19, its ratings there.",
)


def with_opened(opening: Callable[[str | None, str | None, str | None], AbstractAsyncContextManager[Any]]) -> Decorator:
    """Make click callbacks of coroutine functions, and pass them the result of `opening` for --db,
    --url and --token.
    """

    def decorate(function: Callable[..., Coroutine[Any, Any, int | None]]) -> Callable[..., int | None]:
        @db_option
        @click.option(
            "--url",
            metavar="URL",
            envvar="PALIO_URL",
            help="Ask a running server, not the database (default: PALIO_URL).",
        )
        @token_option
        @runs
        @wraps(function)
        async def call(*, db: str | None, url: str | None, token: str | None, **values: Any) -> int | None:
            async with opening(db, url, token) as opened:
                return await function(opened, **values)

        return call

    return decorate


def _source(db: str | None, url: str | None, token: str | None) -> AbstractAsyncContextManager["Source"]:
    from palio_server.cli.source import open_source

    return open_source(db, url, token)


with_source = with_opened(_source)  # the Source that --db, --url and --token name


def game_or_instance(game: str, pairs: tuple[str, ...]) -> tuple[str, dict[str, Any], str]:
    """Return a game, its settings, and the name of its instance if that was given as a file: `./berlin52.tsp`.

    Raises BadOption; for a file with its name, the line and the reason.
    """
    name, settings = game_settings(game, pairs)
    path = Path(name)
    if not path.suffix and name in games():
        return name, {**settings}, ""
    from palio_rules.instances.files import READERS, read_file

    if path.suffix.lower() not in READERS and (name in games() or not path.is_file()):
        return name, {**settings}, ""
    found = read_file(path)
    return found.game, found.with_settings(name, settings), path.stem


def game_settings(game: str, pairs: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """Return a game as in `breakthrough:rows=8` or `./mygame.py:Nim`, and its `--option`s: name and settings, still
    text.
    """
    spec = adopt(game)
    settings = dict(spec.settings)
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals or not value:
            raise BadOption(f"--option {pair!r} is no setting; write --option KEY=VALUE")
        if key in settings:
            raise BadOption(f"the option {key!r} is given twice; keep one of them")
        settings[key] = value
    return spec.name, settings


def sandbox_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the sandbox of bots' programs."""
    for option in (
        click.option(
            "--processes", type=click.IntRange(4, 10_000), help="Of one bot at once, with threads (default: 32)."
        ),
        click.option("--memory", metavar="SIZE", help="For all processes of a bot: 512M, 2G (default: 1G)."),
        click.option(
            "--sandbox",
            type=click.Choice(["auto", "require", "off"]),
            help="Run bots in a sandbox if one is available (auto, the default; with --course always), "
            "or else refuse (require), or without one (off).",
        ),
    ):
        command = option(command)
    return command


# The origin of games that are not installed: kept with each tournament, so that its records can be read later.

GAME_FROM = "game_from"  # key in a tournament's settings: the text to type for its game
NEWEST = 1000  # tournaments that are read


async def sources(store: "Store") -> dict[str, str]:
    """Return the text to type for each game that was played here and is not known here, as far as it was kept."""
    known = games()
    rows = reversed(await store.tournaments(NEWEST))
    return {row.game: row.settings[GAME_FROM] for row in rows if GAME_FROM in row.settings and row.game not in known}
