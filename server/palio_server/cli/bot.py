"""`palio bot`: who may play and who may start matches."""

import sys
from collections.abc import Collection
from datetime import UTC, datetime
from typing import TYPE_CHECKING, BinaryIO

import click
from msgspec import UNSET, UnsetType

from palio_rules.completing import one_of
from palio_rules.contract.names import is_name, no_name
from palio_rules.errors import BadOption
from palio_rules.plain_text import one_line
from palio_server.cli import printing
from palio_server.cli.command import Group, runs
from palio_server.cli.moderation import forget, rename, void
from palio_server.cli.options import db_option, json_option
from palio_server.cli.printing import say, show_json, show_table

if TYPE_CHECKING:
    from palio_db.store import Store
    from palio_db.values import Actor, BotRow, TokenRow

EXAMPLES = """
\b
Examples:
  palio bot add mine                           register a bot; its token is shown once
  palio bot add arena-master --scope matches   a token that starts and stops matches
  palio bot add mine --token-stdin < secret    with a token of your own
  palio bot about mine "Alpha-beta, written in one week."
  palio bot list
  palio bot revoke mine                        its tokens no longer work
  palio bot revoke --token 3                   only this one
  palio bot rotate mine                        a new token; the old one works for a day yet
  palio bot add hall --scope watch --expires 7d     a token that reads a private server
  palio bot void mine --reason "it had help"        its matches no longer count
  palio bot rename mine minerva
  palio bot forget mine                        its results stay, under a pseudonym
"""

MOST_ABOUT = 200  # characters, as `Hello.about` has
STDIN_BYTES = 1000  # read of a token; far more than any has


@click.group(cls=Group, epilog=EXAMPLES)
def bot() -> None:
    """Register bots, issue their tokens, revoke them; void, rename, forget."""


for _command in (void, rename, forget):
    bot.add_command(_command)


@bot.command(
    epilog="\b\nExamples:\n  palio bot add mine\n  palio bot add mine --scope play --scope matches --note laptop\n"
    "  openssl rand -hex 24 | tee secret | palio bot add mine --token-stdin\n"
    "  palio bot add mine --token-stdin --if-absent < secret    in a script that runs at every start"
)
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(["play", "watch", "matches", "admin"]),
    multiple=True,
    default=("play",),
    show_default=True,
    help="play: as this bot; watch: read a private server; matches: start and stop them; admin: everything. "
    "May be repeated.",
)
@click.option(
    "--expires",
    metavar="WHEN",
    default=printing.NEVER,
    show_default=True,
    shell_complete=one_of(lambda: (printing.NEVER,)),
    help="30d, 24h, 2026-12-31, or never.",
)
@click.option("--owner", default="", help="Who owns the bot.")
@click.option("--about", default="", help="A line for the bot's page: how it plays, who has written it.")
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
    about: str,
    note: str,
    expires: str,
    token_stdin: bool,
    if_absent: bool,
    db: str | None,
) -> None:
    """Register NAME if it is new, and print a new token for it.

    The token is shown once: only its hash is kept. With --token-stdin you choose the token, and it is not printed.
    """
    from palio_db.tokens import check_chosen
    from palio_server.cli.source import command_line, open_store

    if if_absent and not token_stdin:
        wrong = "--if-absent asks for one certain token; give it with --token-stdin"
        raise click.UsageError(wrong, click.get_current_context())
    chosen = _read_token(sys.stdin.buffer) if token_stdin else None
    _check_name(name)
    line, expires_at, by = _about(about), printing.end(expires, datetime.now(UTC)), command_line()
    if chosen is not None:
        check_chosen(chosen)
    async with open_store(db, must_exist=False) as store:
        known = None if chosen is None else await store.token(chosen)
        if known is not None:
            _check_known(known, name, scopes, if_absent=if_absent)
            return
        await _register(store, name, owner, by)
        if line:
            await store.set_about(name, line)
        issued = await store.issue_token(scopes, bot=name, note=note, token=chosen, expires_at=expires_at, by=by)
        say(issued if chosen is None else f"{name} has the given token now")


@bot.command(
    "about",
    epilog="\b\nExamples:\n  palio bot about mine 'Alpha-beta, written in one week.'\n  palio bot about mine ''",
)
@click.argument("name")
@click.argument("text")
@db_option
@runs
async def about_(*, name: str, text: str, db: str | None) -> None:
    """Set the line on the page of the registered bot NAME; an empty TEXT takes it off.

    A program that comes with the bot's token may say another one (`palio join --about`): the newest stays.
    """
    from palio_server.cli.source import open_store

    line = _about(text)
    async with open_store(db) as store:
        await store.set_about(name, line)
    say(f"the page of {name} says: {line}" if line else f"the page of {name} says nothing of it now")


@bot.command("list", epilog="\b\nExamples:\n  palio bot list\n  palio bot list --json --db postgresql://palio@db/palio")
@json_option
@db_option
@runs
async def list_(*, as_json: bool, db: str | None) -> None:
    """Show the registered bots and their tokens (never the secrets)."""
    from palio_server.cli.source import open_store

    async with open_store(db) as store:
        bots, tokens = await store.bots(), await store.tokens()
    if as_json:
        show_json({"bots": bots, "tokens": tokens})
    elif not bots and not tokens:
        say("no bot is registered; `palio bot add NAME` registers one")
    else:
        show_table([["bot", "owner", "since", "tokens", ""], *map(_bot, bots)], left={0, 1, 2, 4}, title="Bots")
        say()
        head = ["#", "token", "bot", "scopes", "note", "since", "expires", ""]
        show_table([head, *map(_token, tokens)], left={1, 2, 3, 4, 5, 6, 7}, title="Tokens")


@bot.command(epilog="\b\nExamples:\n  palio bot rotate mine\n  palio bot rotate mine --overlap 1h --expires 90d")
@click.argument("name")
@click.option("--overlap", default="24h", show_default=True, metavar="TIME", help="How long the old token works yet.")
@click.option(
    "--expires",
    metavar="WHEN",
    shell_complete=one_of(lambda: (printing.NEVER,)),
    help="30d, 2026-12-31, never (default: it lasts as long as the old one).",
)
@db_option
@runs
async def rotate(*, name: str, overlap: str, expires: str | None, db: str | None) -> None:
    """Print a new token for the bot NAME, in place of the one that it has.

    The old one works for a while yet, so that programs can change over one by one. More than two never work at once.
    """
    from palio_server.cli.source import command_line, open_store

    lasts = printing.overlap(overlap)
    expires_at: datetime | UnsetType | None = UNSET
    if expires is not None:
        expires_at = printing.end(expires, datetime.now(UTC))
    async with open_store(db) as store:
        issued, old = await store.rotate_token(name, lasts, expires_at=expires_at, by=command_line())
    say(issued)
    ends = f"works until {old.expires_at:%Y-%m-%d %H:%M} UTC" if lasts else "no longer works"
    say(f"token {old.id} of {name} {ends}", err=True)


@bot.command(epilog="\b\nExamples:\n  palio bot revoke mine\n  palio bot revoke --token 3")
@click.argument("name", required=False)
@click.option("--token", "number", type=int, metavar="NUMBER", help="Revoke only the token of this number.")
@db_option
@runs
async def revoke(*, name: str | None, number: int | None, db: str | None) -> None:
    """Revoke all tokens of the bot NAME, or one token. Results stay.

    A bot that plays with one on a running server is disconnected within a second, and forfeits its matches.
    """
    from palio_server.cli.source import command_line, open_store

    if (name is None) == (number is None):
        raise click.UsageError("name a bot, or a token with --token NUMBER", click.get_current_context())
    by = command_line()
    async with open_store(db) as store:
        if name is not None:
            await store.revoke_bot(name, by=by)
            say(f"{name} is revoked: its tokens no longer work; its results stay")
        elif number is not None:
            await store.revoke_token(number, by=by)
            say(f"token {number} no longer works")


def _read_token(stdin: BinaryIO) -> str:
    """Return the token from stdin, without the newline that `echo` adds. Raises BadOption."""
    try:
        return stdin.read(STDIN_BYTES).decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise BadOption("what came on stdin is no text; pipe the token in: letters a to z, digits and signs") from None


def _about(text: str) -> str:
    """Return the line as the page shows it. Raises BadOption."""
    line = one_line(text)
    if len(line) > MOST_ABOUT:
        raise BadOption(f"the line has {len(line)} characters; at most {MOST_ABOUT} can be shown")
    return line


def _check_name(name: str) -> None:
    if not is_name(name):
        raise BadOption(no_name(name))


async def _register(store: "Store", name: str, owner: str, by: "Actor") -> None:
    """Register the bot unless it is registered. Raises StoreError."""
    from palio_db.errors import NameTaken

    if not any(bot.name == name and bot.revoked_at is None for bot in await store.bots()):
        await store.add_bot(name, owner, by=by)
    elif owner:
        raise NameTaken(f"{name!r} is registered already; leave --owner out to give it another token")


def _check_known(known: "TokenRow", bot: str, scopes: Collection[str], *, if_absent: bool) -> None:
    """Raise NameTaken unless, with `if_absent`, the token is the bot's and for these scopes.

    A token that was taken from the bot stays so: a script that runs at every start must not undo an operator's
    decision.
    """
    from palio_db.errors import NameTaken

    if not if_absent or known.bot != bot:
        raise NameTaken(f"this token has been issued already, as number {known.id}; choose another one")
    if known.revoked_at is not None:
        say(f"{bot}'s token {known.id} has been revoked, and stays so", err=True)
    elif not known.is_valid(datetime.now(UTC)):
        say(f"{bot}'s token {known.id} has expired, and stays so", err=True)
    elif known.scopes != set(scopes):
        its_own = " and ".join(sorted(known.scopes))
        raise NameTaken(f"token {known.id} is for {its_own}; revoke it and choose another one for other scopes")


def _bot(bot: "BotRow") -> list[str]:
    return [bot.name, bot.owner, str(bot.created_at.date()), str(bot.tokens), "revoked" if bot.revoked_at else ""]


def _token(token: "TokenRow") -> list[str]:
    scopes = " ".join(sorted(token.scopes))
    gone = "revoked" if token.revoked_at else "" if token.is_valid(datetime.now(UTC)) else "expired"
    since = str(token.created_at.date())
    until = "never" if token.expires_at is None else f"{token.expires_at:%Y-%m-%d %H:%M}"
    return [str(token.id), f"{token.prefix}...", token.bot or "", scopes, token.note, since, until, gone]
