"""Registering bots and revoking them, in the database."""

from collections.abc import Collection
from typing import Any

import click
import msgspec

from palio_db.errors import NameTaken
from palio_db.values import BotRow, TokenRow
from palio_rules.errors import BadOption
from palio_rules.messages import Name
from palio_server.console.stores import open_store
from palio_server.console.terminal import show_table


async def add_bot(db: str | None, name: str, scopes: Collection[str], owner: str, note: str) -> str:
    """Register `name` unless it is, and issue a token: the secret. Raises BadOption, StoreError."""
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError:
        raise BadOption(
            f"{name!r} is no name for a bot; use up to 40 letters, digits, dots, dashes and underscores"
        ) from None
    async with open_store(db, must_exist=False) as store:
        if not any(bot.name == name and bot.revoked_at is None for bot in await store.bots()):
            await store.add_bot(name, owner)
        elif owner:
            raise NameTaken(f"{name!r} is registered already; leave --owner out to give it another token")
        return await store.issue_token(scopes, bot=name, note=note)


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


def _bot(bot: BotRow) -> list[str]:
    return [bot.name, bot.owner, _day(bot.created_at), str(bot.tokens), "revoked" if bot.revoked_at else ""]


def _token(token: TokenRow) -> list[str]:
    scopes = " ".join(sorted(token.scopes))
    gone = "revoked" if token.revoked_at else ""
    return [str(token.id), f"{token.prefix}...", token.bot or "", scopes, token.note, _day(token.created_at), gone]


def _day(moment: Any) -> str:
    return f"{moment:%Y-%m-%d}"
