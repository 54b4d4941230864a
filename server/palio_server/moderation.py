"""Acts of an operator on bots, people and their matches: void, rename, forget, ban.

Requests and answers, and the functions that do it in a store: the HTTP API and the command line call the same ones. A
request to void matches voids one group of them, and says how many are left: it is repeated until none is.
"""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from palio_db.bans import Ban, BanKind
from palio_db.errors import StoreError
from palio_db.store import Store
from palio_db.values import Actor
from palio_db.voiding import Changed, Suspects

PATIENCE_S = 10.0  # seconds for which a request renames matches; servers rename the others within a minute

Text = Annotated[str, Meta(min_length=1, max_length=500)]
BotName = Annotated[str, Meta(min_length=1, max_length=100)]


class VoidMany(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Finished matches of a bot, from an address or network, or both, that ended since a moment; and why.

    With `undo` void ones count again, of which `reason` chooses some; with `count` nothing changes.
    """

    bot: BotName | None = None
    address: BotName | None = None
    since: datetime | None = None
    reason: Annotated[str, Meta(max_length=500)] = ""
    undo: bool = False
    count: bool = False


class VoidedMany(msgspec.Struct, frozen=True):
    """The numbers of matches that were changed, and that are `left` for the next request; which leaderboards follow."""

    changed: int
    left: int
    games: list[str]


class RenameRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot, and its new name."""

    bot: BotName
    to: BotName


class Renamed(msgspec.Struct, frozen=True):
    """The names that bots have now, and how many matches were `changed`; `left`: others follow within a minute."""

    names: list[str]
    changed: int
    left: bool
    games: list[str]


class ForgetRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot, or an owner with all bots."""

    bot: BotName | None = None
    owner: BotName | None = None


class BanRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An address or network, an owner or a bot; why, which they are told; and until when, null for good."""

    kind: BanKind
    value: BotName
    reason: Text
    until: datetime | None = None


async def void_many(store: Store, asked: VoidMany, by: Actor) -> VoidedMany:
    """Void the next group of matches, or let them count again. Raises StoreError."""
    suspects = Suspects(asked.bot, asked.address, _utc(asked.since))
    chosen = asked.reason or None if asked.undo else None
    changed = Changed()
    if not asked.count:
        changed = await (
            store.unvoid_some(suspects, chosen, by=by) if asked.undo else store.void_some(suspects, asked.reason, by=by)
        )
    left = await store.count_suspects(suspects, void=asked.undo, reason=chosen)
    return VoidedMany(changed.matches, left, sorted(changed.games))


async def rename(store: Store, asked: RenameRequest, by: Actor, patience_s: float = PATIENCE_S) -> Renamed:
    """Rename a bot, and its matches as far as that takes `patience_s`. Raises StoreError."""
    await store.rename_bot(asked.bot, asked.to, by=by)
    return await _moved(store, [asked.to], patience_s)


async def forget(store: Store, asked: ForgetRequest, by: Actor, patience_s: float = PATIENCE_S) -> Renamed:
    """Forget a bot, or all of an owner's, and rename their matches likewise. Raises StoreError."""
    if (asked.bot is None) == (asked.owner is None):
        raise StoreError("say whom to forget: a bot, or an owner with all bots")
    bots = await store.bots_of(asked.owner) if asked.owner is not None else [asked.bot or ""]
    return await _moved(store, [await store.forget_bot(bot, by=by) for bot in bots], patience_s)


async def _moved(store: Store, names: Sequence[str], patience_s: float) -> Renamed:
    end, changed, games = time.monotonic() + patience_s, 0, set[str]()
    while (step := await store.move_names()).matches:
        changed += step.matches
        games |= step.games
        if time.monotonic() > end:
            break
    return Renamed([*names], changed, step.matches > 0, sorted(games))


async def ban(store: Store, asked: BanRequest, by: Actor) -> Ban:
    """Ban an address, an owner or a bot. Raises StoreError."""
    return await store.ban(asked.kind, asked.value, asked.reason, until=_utc(asked.until), by=by)


def _utc(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
