"""`palio bot`: who may play and who may start matches."""

import click

from palio_server.commands.common import Group, db_option, json_option, runs

EXAMPLES = """
\b
Examples:
  palio bot add mine                           register a bot; its token is shown once
  palio bot add arena-master --scope matches   a token that starts and stops matches
  palio bot list
  palio bot revoke mine                        none of its tokens works any more
  palio bot revoke --token 3                   only this one
"""


@click.group(cls=Group, epilog=EXAMPLES)
def bot() -> None:
    """Register bots, issue their tokens, revoke them."""


@bot.command(
    epilog="\b\nExamples:\n  palio bot add mine\n  palio bot add mine --scope play --scope matches --note laptop"
)
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(["play", "matches", "admin"]),
    multiple=True,
    default=("play",),
    show_default=True,
    help="play: as this bot; matches: start and stop them; admin: everything. May be repeated.",
)
@click.option("--owner", default="", help="Whose bot it is.")
@click.option("--note", default="", help="What this token is for.")
@db_option
@runs
async def add(*, name: str, scopes: tuple[str, ...], owner: str, note: str, db: str | None) -> int | None:
    """Register NAME if it is new, and print a token for it: once, for only its hash is kept."""
    from palio_server.console.registrations import add_bot  # noqa: PLC0415 - the database is heavy to load

    click.echo(await add_bot(db, name, scopes, owner, note))
    return None


@bot.command("list", epilog="\b\nExamples:\n  palio bot list\n  palio bot list --json --db postgresql://palio@db/palio")
@json_option
@db_option
@runs
async def list_(*, as_json: bool, db: str | None) -> int | None:
    """Show the registered bots and their tokens (never the secrets)."""
    from palio_server.console.registrations import list_bots  # noqa: PLC0415 - the database is heavy to load

    await list_bots(db, as_json=as_json)
    return None


@bot.command(epilog="\b\nExamples:\n  palio bot revoke mine\n  palio bot revoke --token 3")
@click.argument("name", required=False)
@click.option("--token", "number", type=int, metavar="NUMBER", help="Revoke only the token of this number.")
@db_option
@runs
async def revoke(*, name: str | None, number: int | None, db: str | None) -> int | None:
    """Shut out the bot NAME, or make one token useless. Results stay."""
    from palio_server.console.registrations import revoke_bot, revoke_token  # noqa: PLC0415 - the database is heavy to load

    if (name is None) == (number is None):
        raise click.UsageError("name a bot, or a token with --token NUMBER", click.get_current_context())
    click.echo(await revoke_bot(db, name) if name is not None else await revoke_token(db, number or 0))
    return None
