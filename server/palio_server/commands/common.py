"""What the commands share: options, groups that refuse politely, and the way into asyncio."""

from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import click

from palio_rules.errors import BadOption, nearest
from palio_rules.registry import games
from palio_rules.spec import Spec
from palio_server.commands.listing import Listing

P = ParamSpec("P")

LOCAL = "http://127.0.0.1:8000"  # where `palio serve` and `palio demo` stand unless told otherwise

db_option = click.option(
    "--db", metavar="URL", help="sqlite:///FILE or postgresql://USER@HOST/NAME (default: PALIO_DB, or ./palio.db)."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON value and nothing else.")
url_option = click.option(
    "--url", metavar="URL", envvar="PALIO_URL", help=f"A running server (default: PALIO_URL, or {LOCAL})."
)
token_option = click.option(
    "--token", metavar="TOKEN", envvar="PALIO_TOKEN", help="A token, where the server wants one (default: PALIO_TOKEN)."
)
tc_option = click.option(
    "--tc", metavar="TIME", help="Time for the whole match: seconds+increment as in 10+0.1, 5:00+3, or inf."
)
st_option = click.option("--st", metavar="SECONDS", help="Time for each move, in seconds.")
option_option = click.option(
    "-o", "--option", "options", metavar="KEY=VALUE", multiple=True, help="A setting of the game; may be repeated."
)


class Group(Listing):
    """Refuses an unknown command with the nearest known one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            raise click.UsageError(f"there is no command {args[0]!r}; {nearest(args[0], self.list_commands(ctx))}", ctx)
        return super().resolve_command(ctx, args)


def known_game(ctx: click.Context, param: click.Parameter | None, value: str | None) -> str | None:
    """Refuses the name of a game that is not installed. For an option's `callback`, or to be called."""
    if value is not None and value not in games():
        raise click.BadParameter(f"unknown game {value!r}; {nearest(value, games())}", ctx, param)
    return value


game_option = click.option("--game", callback=known_game, metavar="GAME", help=f"One game only: {', '.join(games())}.")


def runs(function: Callable[P, Coroutine[Any, Any, int | None]]) -> Callable[P, int | None]:
    """Make a click callback of a coroutine function."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> int | None:
        from palio_server.console.event_loop import run  # noqa: PLC0415 - with what a command needs, not with --help

        return run(function(*args, **kwargs))

    return call


def game_or_instance(game: str, pairs: tuple[str, ...]) -> tuple[str, dict[str, Any], str]:
    """A game, its settings, and what its instance is called if it was given as a file: `./berlin52.tsp`.

    Raises BadOption; of a file with its name, the line and the reason.
    """
    from palio_rules.instances.files import READERS, read_file  # noqa: PLC0415 - with the games that have instances

    name, settings = game_settings(game, pairs)
    path = Path(name)
    if path.suffix.lower() not in READERS and (name in games() or not path.is_file()):
        return name, {**settings}, ""
    found = read_file(path)
    return found.game, found.with_settings(name, settings), path.stem


def game_settings(game: str, pairs: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """A game given as `breakthrough` or `breakthrough:rows=8`, and its `--option`s: name and settings, still text."""
    spec = Spec.parse(game)
    settings = dict(spec.settings)
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals or not value:
            raise BadOption(f"--option {pair!r} is no setting; write --option KEY=VALUE")
        if key in settings:
            raise BadOption(f"the option {key!r} is given twice; keep one of them")
        settings[key] = value
    return spec.name, settings
