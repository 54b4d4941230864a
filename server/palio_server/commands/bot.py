"""`palio bot`: who may play and who may start matches."""

import sys

import click

from palio_server.commands.common import Group, db_option, json_option, runs

EXAMPLES = """
\b
Examples:
  palio bot add mine                           register a bot; its token is shown once
  palio bot add arena-master --scope matches   a token that starts and stops matches
  palio bot add mine --token-stdin < secret    with a token of your own
  palio bot list
  palio bot revoke mine                        none of its tokens works any more
  palio bot revoke --token 3                   only this one
"""


@click.group(cls=Group, epilog=EXAMPLES)
def bot() -> None:
    """Register bots, issue their tokens, revoke them."""


@bot.command(
    epilog="\b\nExamples:\n  palio bot add mine\n  palio bot add mine --scope play --scope matches --note laptop\n"
    "  openssl rand -hex 24 | tee secret | palio bot add mine --token-stdin\n"
    "  palio bot add mine --token-stdin --if-absent < secret    in a script that runs at every start"
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
@click.option("--token-stdin", is_flag=True, help="Read the token from stdin: 16 to 128 characters without spaces.")
@click.option("--if-absent", is_flag=True, help="Do nothing if the bot has this token (with --token-stdin).")
@db_option
@runs
async def add(
    *,
    name: str,
    scopes: tuple[str, ...],
    owner: str,
    note: str,
    token_stdin: bool,
    if_absent: bool,
    db: str | None,
) -> int | None:
    """Register NAME if it is new, and print a token for it: once, for only its hash is kept.

    With --token-stdin the token is one that you have chosen, and it is not printed.
    """
    from palio_server.console import registrations  # noqa: PLC0415 - the database is heavy to load

    if if_absent and not token_stdin:
        raise click.UsageError(
            "--if-absent asks for one certain token; give it with --token-stdin", click.get_current_context()
        )
    wanted = registrations.Wanted(name, scopes, owner, note)
    if token_stdin:
        token = registrations.read_token(sys.stdin.buffer)
        await registrations.give_token(db, wanted, token, if_absent=if_absent)
    else:
        click.echo(await registrations.add_bot(db, wanted))
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
