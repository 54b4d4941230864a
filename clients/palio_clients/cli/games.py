"""The option `--game` of the clients' verbs, once or several times."""

import click

from palio_clients.cli import Misuse
from palio_rules.errors import BadOption
from palio_rules.registry import adopt


def plain_names(ctx: click.Context, _: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    if ctx.resilient_parsing:  # for shell completion no author's file is run
        return values
    """The names of the games that were typed; a file's is known here from now on. For an option's `callback`."""
    try:
        specs = [adopt(value) for value in values]
    except BadOption as error:
        raise Misuse(str(error)) from error
    for spec in specs:
        if spec.settings:
            raise Misuse(f"--game {spec} has settings, which the server chooses; name the game alone")
    return tuple(spec.name for spec in specs)
