"""Registering bots and revoking them, in the database."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, BinaryIO

import click
import msgspec

from palio_db.errors import NameTaken
from palio_db.store import Store
from palio_db.tokens import check_chosen
from palio_db.values import BotRow, TokenRow
from palio_rules.errors import BadOption
from palio_rules.messages import Name
from palio_server.console.stores import open_store
from palio_server.console.terminal import show_table

STDIN_BYTES = 1000  # read of a token; far more than any has


@dataclass(frozen=True, slots=True)
class Wanted:
    """A token to be issued: for which bot, and what it is to allow."""

    bot: str
    scopes: Collection[str]
    owner: str = ""
    note: str = ""


async def add_bot(db: str | None, wanted: Wanted) -> str:
    """Register the bot unless it is, and issue a token: the secret. Raises BadOption, StoreError."""
    _check_name(wanted.bot)
    async with open_store(db, must_exist=False) as store:
        await _register(store, wanted)
        return await store.issue_token(wanted.scopes, bot=wanted.bot, note=wanted.note)


async def give_token(db: str | None, wanted: Wanted, token: str, *, if_absent: bool) -> None:
    """Register the bot unless it is, and let `token` be one of its tokens. Raises BadOption, StoreError.

    With `if_absent`, one that the bot has already is left alone, and so is one that was taken from it: a script that
    runs at every start must not undo what an operator has done since.
    """
    _check_name(wanted.bot)
    check_chosen(token)
    async with open_store(db, must_exist=False) as store:
        known = await store.token(token)
        if known is None:
            await _register(store, wanted)
            await store.issue_token(wanted.scopes, bot=wanted.bot, note=wanted.note, token=token)
            click.echo(f"{wanted.bot} has the given token now")
        elif not if_absent or known.bot != wanted.bot:
            raise NameTaken(f"this token has been issued already, as number {known.id}; choose another one")
        elif known.revoked_at is not None:
            click.echo(f"{wanted.bot}'s token {known.id} has been revoked, and stays so", err=True)
        elif known.scopes != set(wanted.scopes):
            scopes = " and ".join(sorted(known.scopes))
            raise NameTaken(f"token {known.id} is for {scopes}; revoke it and choose another one for other scopes")


def read_token(stdin: BinaryIO) -> str:
    """What was piped in, without the newline that `echo` adds. Raises BadOption."""
    try:
        return stdin.read(STDIN_BYTES).decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise BadOption("what came on stdin is no text; pipe the token in: letters, digits and signs") from None


async def list_bots(db: str | None, *, as_json: bool) -> None:
    """Print bots and tokens."""
    async with open_store(db) as store:
        bots, tokens = await store.bots(), await store.tokens()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode({"bots": bots, "tokens": tokens})))
        return
    if not bots and not tokens:
        click.echo("no bot is registered; `palio bot add NAME` registers one")
        return
    show_table([["bot", "owner", "since", "tokens", ""], *map(_bot, bots)], left={0, 1, 2, 4}, title="Bots")
    click.echo()
    head = ["#", "token", "bot", "scopes", "note", "since", ""]
    show_table([head, *map(_token, tokens)], left={1, 2, 3, 4, 5, 6}, title="Tokens")


async def revoke_bot(db: str | None, name: str) -> str:
    """Shut a bot out; the sentence that says so."""
    async with open_store(db) as store:
        await store.revoke_bot(name)
    return f"{name} is shut out; its results stay"


async def revoke_token(db: str | None, number: int) -> str:
    """Make one token useless; the sentence that says so."""
    async with open_store(db) as store:
        await store.revoke_token(number)
    return f"token {number} opens nothing any more"


def _check_name(name: str) -> None:
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError:
        raise BadOption(
            f"{name!r} is no name for a bot; use up to 40 letters, digits, dots, dashes and underscores"
        ) from None


async def _register(store: Store, wanted: Wanted) -> None:
    if not any(bot.name == wanted.bot and bot.revoked_at is None for bot in await store.bots()):
        await store.add_bot(wanted.bot, wanted.owner)
    elif wanted.owner:
        raise NameTaken(f"{wanted.bot!r} is registered already; leave --owner out to give it another token")


def _bot(bot: BotRow) -> list[str]:
    return [bot.name, bot.owner, _day(bot.created_at), str(bot.tokens), "revoked" if bot.revoked_at else ""]


def _token(token: TokenRow) -> list[str]:
    scopes = " ".join(sorted(token.scopes))
    gone = "revoked" if token.revoked_at else ""
    return [str(token.id), f"{token.prefix}...", token.bot or "", scopes, token.note, _day(token.created_at), gone]


def _day(moment: Any) -> str:
    return f"{moment:%Y-%m-%d}"
