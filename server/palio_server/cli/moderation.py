"""`palio bot void`, `rename`, `forget` and `palio ban`: what an operator does to bots, people and their matches."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from palio_rules.completing import one_of
from palio_rules.errors import BadOption
from palio_server.cli import printing
from palio_server.cli.command import Group
from palio_server.cli.options import json_option, with_opened
from palio_server.cli.printing import say, show_json, show_table

if TYPE_CHECKING:
    from palio_db.bans import Ban
    from palio_db.store import Store
    from palio_server.cli.source import Remote
    from palio_server.moderation import BanRequest, ForgetRequest, Renamed, RenameRequest, VoidedMany, VoidMany

T = TypeVar("T")


class Moderator(Protocol):
    """A database or a running server, for an operator. Raises StoreError, CommandFailed, BadOption."""

    async def void(self, asked: "VoidMany") -> "VoidedMany": ...
    async def rename(self, asked: "RenameRequest") -> "Renamed": ...
    async def forget(self, asked: "ForgetRequest") -> "Renamed": ...
    async def ban(self, asked: "BanRequest") -> "Ban": ...
    async def bans(self) -> "list[Ban]": ...
    async def lift(self, number: int) -> "Ban": ...


class InStore:
    """A database; ratings follow at once, even without a running server."""

    def __init__(self, store: "Store") -> None:
        from palio_server.cli.source import command_line

        self._store, self._by = store, command_line()
        self.bans = store.bans

    async def void(self, asked: "VoidMany") -> "VoidedMany":
        from palio_server import moderation

        return await self._rated(moderation.void_many(self._store, asked, self._by))

    async def rename(self, asked: "RenameRequest") -> "Renamed":
        from palio_server import moderation

        return await self._rated(moderation.rename(self._store, asked, self._by, inf))

    async def forget(self, asked: "ForgetRequest") -> "Renamed":
        from palio_server import moderation

        return await self._rated(moderation.forget(self._store, asked, self._by, inf))

    async def ban(self, asked: "BanRequest") -> "Ban":
        from palio_server import moderation

        return await moderation.ban(self._store, asked, self._by)

    async def lift(self, number: int) -> "Ban":
        return await self._store.lift_ban(number, by=self._by)

    async def _rated(self, doing: Awaitable[T]) -> T:
        from palio_server.cli.source import rerated

        done: Any = await doing
        await rerated(self._store, done.games)
        return done  # type: ignore[no-any-return]


class OnServer:
    """A running server, with a token of scope admin."""

    def __init__(self, remote: "Remote") -> None:
        self._remote = remote

    async def void(self, asked: "VoidMany") -> "VoidedMany":
        from palio_server.moderation import VoidedMany

        return await self._ask("POST", "void", asked, VoidedMany)

    async def rename(self, asked: "RenameRequest") -> "Renamed":
        from palio_server.moderation import Renamed

        return await self._ask("POST", "rename", asked, Renamed)

    async def forget(self, asked: "ForgetRequest") -> "Renamed":
        from palio_server.moderation import Renamed

        return await self._ask("POST", "forget", asked, Renamed)

    async def ban(self, asked: "BanRequest") -> "Ban":
        from palio_db.bans import Ban

        return await self._ask("POST", "bans", asked, Ban)

    async def bans(self) -> "list[Ban]":
        from palio_db.bans import Ban

        return await self._ask("GET", "bans", None, list[Ban])

    async def lift(self, number: int) -> "Ban":
        from palio_db.bans import Ban

        return await self._ask("DELETE", f"bans/{number}", None, Ban)

    async def _ask(self, method: str, path: str, body: object, kind: type[T]) -> T:
        import msgspec

        return msgspec.json.decode(await self._remote.send(method, f"admin/{path}", body), type=kind)


@asynccontextmanager
async def _opened(db: str | None, url: str | None, token: str | None) -> AsyncIterator[Moderator]:
    from palio_server.cli.source import open_remote, open_store

    if url is None:
        async with open_store(db) as store:
            yield InStore(store)
        return
    with open_remote(url, token) as remote:
        yield OnServer(remote)


def _moderator(db: str | None, url: str | None, token: str | None) -> AbstractAsyncContextManager[Moderator]:
    return _opened(db, url, token)


with_moderator: Callable[..., Any] = with_opened(_moderator)
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


@click.command(
    epilog="\b\nExamples:\n  palio bot void mine --reason 'it had help'\n"
    "  palio bot void mine --since 7d --reason 'it had help' --yes\n"
    "  palio bot void --address 203.0.113.0/24 --reason 'one author, many bots'\n"
    "  palio bot void mine --undo --reason 'it had help'"
)
@click.argument("name", required=False)
@click.option("--address", metavar="ADDRESS", help="Only matches that a bot played from this address or network.")
@click.option("--since", metavar="WHEN", help="Only matches that ended since then: 24h, 7d, 2026-12-31 (UTC).")
@click.option("--reason", help="Why; the records show it publicly. With --undo: only those that are void for it.")
@click.option("--undo", is_flag=True, help="Let void matches count again.")
@yes_option
@with_moderator
async def void(
    moderator: Moderator,
    *,
    name: str | None,
    address: str | None,
    since: str | None,
    reason: str | None,
    undo: bool,
    yes: bool,
) -> None:
    """Let all finished matches of the bot NAME, or from an address, count for nothing; they stay, with their records.

    It says first how many they are, and asks. Ratings and events are as after palio match void.
    """
    import msgspec

    from palio_server.moderation import VoidMany

    if name is None and address is None:
        raise click.UsageError("name a bot, or give --address", click.get_current_context())
    if not undo and not reason:
        wrong = "--reason is missing: why do the matches not count? Their records show that publicly"
        raise click.UsageError(wrong, click.get_current_context())
    begin = None if since is None else printing.since(since, datetime.now(UTC))
    asked = VoidMany(name, address, begin, reason or "", undo=undo, count=True)
    count = (await moderator.void(asked)).left
    what = f"{count} void matches" if undo else f"{count} matches"
    if count and not yes:
        _confirm(f"let {what} {'count again' if undo else 'count for nothing'}?")
    done, left = 0, count
    while left:
        step = await moderator.void(msgspec.structs.replace(asked, count=False))
        done, left = done + step.changed, step.left if step.changed else 0
    say(f"{done} matches {'count again' if undo else 'no longer count'}")


@click.command(epilog="\b\nExamples:\n  palio bot rename mine minerva\n  palio bot rename mine minerva --url "
               "https://palio.example --token palio_...")  # fmt: skip
@click.argument("old")
@click.argument("new")
@with_moderator
async def rename(moderator: Moderator, *, old: str, new: str) -> None:
    """Give the bot OLD the name NEW in results, ratings, events and records; its tokens stay good.

    The name OLD is given to no other bot; pages and the API lead from it to NEW. A bot that plays now, or in an event
    that is not over, is not renamed.
    """
    from palio_server.moderation import RenameRequest

    _say_renamed(await moderator.rename(RenameRequest(old, new)), f"{old} is called {new} now")


@click.command(epilog="\b\nExamples:\n  palio bot forget mine\n  palio bot forget --owner ada@example.org --yes")
@click.argument("name", required=False)
@click.option("--owner", help="All bots of this owner.")
@yes_option
@with_moderator
async def forget(moderator: Moderator, *, name: str | None, owner: str | None, yes: bool) -> None:
    """Take all that is known of the bot NAME out of the database; results stay under a pseudonym. It cannot be undone.

    Its tokens, profile and addresses are deleted, its name and words leave records, events and the audit. Files that
    were exported or archived before are not reached.
    """
    from palio_server.moderation import ForgetRequest

    if (name is None) == (owner is None):
        raise click.UsageError("name a bot, or give --owner", click.get_current_context())
    who = name if owner is None else f"all bots of {owner}"
    if not yes:
        _confirm(f"forget {who}? This cannot be undone")
    gone = await moderator.forget(ForgetRequest(name, owner))
    _say_renamed(gone, f"{who}: forgotten; results stay under {', '.join(gone.names)}")
    say("running servers delete the old name within four minutes, or the next one that starts", err=True)


def _say_renamed(done: "Renamed", sentence: str) -> None:
    say(sentence)
    say(f"{done.changed} matches have the new name{', the others within a minute' if done.left else ''}", err=True)


def _confirm(question: str) -> None:
    if not click.confirm(question):
        raise BadOption("nothing was changed")


EXAMPLES = """
\b
Examples:
  palio ban add --address 203.0.113.7 --reason "floods the lobby" --until 7d
  palio ban add --owner ada@example.org --reason "had help, twice"
  palio ban list
  palio ban remove 3
"""


@click.group(cls=Group, epilog=EXAMPLES)
def ban() -> None:
    """Ban addresses, owners and bots from playing."""


@ban.command(epilog=EXAMPLES.replace("  palio ban list\n  palio ban remove 3\n", ""))
@click.option("--address", metavar="ADDRESS", help="An address or a network; of IPv6 the /64 network that it is in.")
@click.option("--owner", metavar="NAME", help="An owner, with all bots, also later ones.")
@click.option("--bot", metavar="NAME", help="A bot, registered or not.")
@click.option("--reason", required=True, help="Why; the banned are told.")
@click.option(
    "--until",
    metavar="WHEN",
    default=printing.NEVER,
    show_default=True,
    shell_complete=one_of(lambda: (printing.NEVER,)),
    help="30d, 24h, 2026-12-31, or never.",
)
@with_moderator
async def add(moderator: Moderator, *, reason: str, until: str, **who: str | None) -> None:
    """Ban an address, an owner or a bot, on all servers of the database, within a second.

    Connected bots are disconnected and forfeit their matches; hellos, and requests that change something, are refused
    with the reason. All viewers may go on watching.
    """
    from palio_server.moderation import BanRequest

    named = [(kind, value) for kind, value in who.items() if value is not None]
    if len(named) != 1:
        raise click.UsageError("give one of --address, --owner and --bot", click.get_current_context())
    [(kind, value)] = named
    end = printing.end(until, datetime.now(UTC))
    made = await moderator.ban(BanRequest(kind, value, reason, end))  # type: ignore[arg-type]
    say(f"ban {made.id}: {made.kind} {made.value}, {_until(made)}")


@ban.command("list", epilog="\b\nExamples:\n  palio ban list\n  palio ban list --json")
@json_option
@with_moderator
async def list_(moderator: Moderator, *, as_json: bool) -> None:
    """List the bans that are not over."""
    found = await moderator.bans()
    if as_json:
        show_json(found)
    elif not found:
        say("nothing is banned")
    else:
        lines = [
            [str(one.id), one.kind, one.value, _until(one), one.reason, f"{one.created_at:%Y-%m-%d}", one.who]
            for one in found
        ]
        show_table([["#", "kind", "banned", "", "reason", "since", "by"], *lines], left={1, 2, 3, 4, 5, 6})


@ban.command(epilog="\b\nExamples:\n  palio ban remove 3")
@click.argument("number", type=click.IntRange(1))
@with_moderator
async def remove(moderator: Moderator, *, number: int) -> None:
    """Lift the ban NUMBER, as palio ban list shows it."""
    lifted = await moderator.lift(number)
    say(f"{lifted.kind} {lifted.value} is no longer banned")


def _until(found: "Ban") -> str:
    return "for good" if found.until is None else f"until {found.until:%Y-%m-%d %H:%M} UTC"
