"""All players of this server that models move: who they are, and whether a client still looks after them.

A session of the protocol with a stream for notices is there for as long as the stream is open, or one of its requests.
A client without a session, as of the version that has none, is there until it has asked for nothing for some minutes:
a model thinks long. Who is not there is absent from its matches, with the grace that every bot has, and comes back by
its next call.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from msgspec import UNSET

from palio_rules.errors import BadOption
from palio_server.addons.mcp.handle import Handle
from palio_server.addons.mcp.player import Player
from palio_server.bus import Bus
from palio_server.edge.budgets import TooMuch
from palio_server.edge.places import ConnectionShares
from palio_server.lobby.access import Access, AccessDenied
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.session import Session

TRANSPORT = "mcp"  # what the lobby calls this way in
AWAY_S = 15.0  # from the end of a stream for notices to absence: clients open a new one within seconds
IDLE_S = 300.0  # without any call, where there never was such a stream
KEPT_S = 1800.0  # after which an absent player is forgotten; its handle still says who it was
ELSEWHERE = (
    "plays at another server of those that share the work here; call join with this `player` to go on at this one. If "
    "this goes on, the proxy has to send all requests of a client to the same server (docs/how-to/mcp.md)"
)
MOST, OF_ONE = 512, 32  # players in all, and of one address
FULL_S = 30.0  # after which a client may try again for which there was no room


@dataclass(eq=False, slots=True)
class Kept:
    """A player, and whose it is."""

    player: Player
    handle: Handle
    owner: str  # the session, or the token, by which it is found without its handle; "": by the handle alone
    address: str
    token: int | None = None  # the number of the token that it came in by
    session: Session | None = None  # the lobby's
    busy: int = 0  # calls about it that are being answered
    streamed: bool = False  # its session has had a stream for notices
    timer: asyncio.TimerHandle | None = None
    entering: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def here(self) -> bool:
        """Return whether the player is in the lobby."""
        return self.session is not None and self.session.connected


class Players:
    """The one owner of these players."""

    def __init__(self, lobby: Lobby, access: Access, bus: Bus) -> None:
        self._lobby, self._access, self._bus = lobby, access, bus
        self._by_handle: dict[str, Kept] = {}
        self._by_owner: dict[str, Kept] = {}
        self._streams: Counter[str] = Counter()  # open ones, by owner
        self._room = ConnectionShares(MOST, OF_ONE)

    def __len__(self) -> int:
        return len(self._by_handle)

    # --- who is meant -------------------------------------------------------------------------------------------------

    def of_owner(self, owner: str) -> Kept | None:
        return self._by_owner.get(owner) if owner else None

    def new(self, handle: Handle, owner: str, address: str) -> Kept:
        """A player that has still to enter."""
        return Kept(Player(handle.name, self._bus), handle, owner, address)

    async def find(
        self, owner: str, handle: str | None, token: str | None, address: str, *, coming: bool = False
    ) -> Kept:
        """The player that a call is about, let into the lobby again if it had left.

        One that another server has is taken over from it only if it is `coming`: two servers that took it from each
        other with every call would each know half of its matches.

        Raises BadOption where there is none, and what `enter` raises.
        """
        kept = self._by_handle.get(handle) if handle else self.of_owner(owner)
        if kept is None and not handle:
            remedy = "call `join` first" if owner else "give `player` as `join` returned it, or call `join` first"
            raise BadOption(f"you have not joined; {remedy}")
        if kept is None:
            kept = self.new(Handle.read(handle or ""), owner, address)
        async with kept.entering:  # of two calls after an absence one lets it in
            if not kept.here:
                if not coming and self._is_remote(kept):
                    raise BadOption(f"{kept.handle.name} {ELSEWHERE}")
                await self.enter(kept, token)
                return kept
        if kept.token is not None and handle:
            await self._check_owner(kept, token, address)
        return kept

    async def _check_owner(self, kept: Kept, token: str | None, address: str) -> None:
        """A handle alone does not open what a token was needed for. Raises AccessDenied."""
        async with self._access.attempts.of(address, token):
            grant = await self._access.bot(kept.handle.hello(token))
        if grant is None or grant.id != kept.token:
            raise AccessDenied("name-not-yours", f"{kept.handle.name} has joined with another token; give that one")

    # --- coming and going ---------------------------------------------------------------------------------------------

    async def enter(self, kept: Kept, token: str | None) -> str:
        """Let it into the lobby, perhaps again; what its author should know, or "".

        Raises AccessDenied, LobbyError or TooMuch.
        """
        new = str(kept.handle) not in self._by_handle
        if new and not self._room.enter(kept.address):
            raise TooMuch("too-many-players", f"{len(self)} models play here, or many from your address", FULL_S)
        try:
            hello = kept.handle.hello(token, self._former(kept))
            said = None if hello.token is UNSET else hello.token
            async with self._access.attempts.of(kept.address, said):
                grant = await self._access.bot(hello, kept.address)
            kept.player.came_back()
            session = kept.session = self._lobby.join(hello, kept.player, TRANSPORT, kept.handle.secret)
        except BaseException:
            if new:
                self._room.leave(kept.address)
            raise
        kept.token = session.token = None if grant is None else grant.id
        session.address = kept.address
        kept.player.on_end = lambda: self._lobby.leave(session)
        self._by_handle[str(kept.handle)] = kept
        if kept.owner:
            self._by_owner[kept.owner] = kept
            kept.streamed = kept.streamed or self._streams.get(kept.owner, 0) > 0
        self._watch(kept)
        return self._lobby.notice(session) or ""

    def _former(self, kept: Kept) -> str:
        """The identity of the session that it resumes; "" if it has none.

        Of servers that share the work one may die, or a client's requests take another way. The secret in its handle
        is the identity of its session at each of them: by it a player comes back at any server that it joins.
        """
        if kept.session is not None:
            return kept.session.id
        return kept.handle.secret if self._is_remote(kept) else ""

    def _is_remote(self, kept: Kept) -> bool:
        """Return whether another server has the player now."""
        known = self._lobby.connections(kept.handle.name)
        return any(each.id == kept.handle.secret for each in known if each.process)

    def own(self, kept: Kept, owner: str) -> None:
        """From now on it is found by `owner` without its handle."""
        if self._by_owner.get(kept.owner) is kept:
            del self._by_owner[kept.owner]
        kept.owner, kept.streamed = owner, self._streams.get(owner, 0) > 0
        if owner:
            self._by_owner[owner] = kept
        self._watch(kept)

    def leave(self, kept: Kept) -> None:
        """It is gone for good."""
        self._stop_timer(kept)
        if self._by_handle.pop(str(kept.handle), None) is None:
            return
        if self._by_owner.get(kept.owner) is kept:
            del self._by_owner[kept.owner]
        self._room.leave(kept.address)
        self._detach(kept, "you have left; call join to come again")
        self._stop_timer(kept)

    def owner_left(self, owner: str) -> None:
        """A session has been ended by its client: its player is absent at once, and comes back by its handle."""
        kept = self._by_owner.pop(owner, None)
        if kept is not None:
            kept.owner = ""
            self._detach(kept, "your session has ended")

    def close(self) -> None:
        """The server ends."""
        for kept in list(self._by_handle.values()):
            self.leave(kept)

    # --- whether a client looks after it ------------------------------------------------------------------------------

    @contextmanager
    def busy(self, kept: Kept) -> Iterator[None]:
        """While a call about the player is answered; to the ladder a call is a sign of life."""
        kept.busy += 1
        if kept.session is not None:
            kept.session.asides += 1
        self._stop_timer(kept)
        try:
            yield
        finally:
            kept.busy -= 1
            self._watch(kept)

    @contextmanager
    def stream(self, owner: str) -> Iterator[None]:
        """While a session has its stream for notices open."""
        self._streams[owner] += 1
        if (kept := self.of_owner(owner)) is not None:
            kept.streamed = True
            self._stop_timer(kept)
        try:
            yield
        finally:
            self._streams[owner] -= 1
            if not self._streams[owner]:
                del self._streams[owner]
            if (kept := self.of_owner(owner)) is not None:
                kept.streamed = True
                self._watch(kept)

    def _watch(self, kept: Kept) -> None:
        """Let a player be absent in a while, unless a client looks after it now."""
        self._stop_timer(kept)
        if kept.here and not kept.busy and not self._streams.get(kept.owner):
            seconds = AWAY_S if kept.streamed else IDLE_S
            loop = asyncio.get_running_loop()
            kept.timer = loop.call_later(seconds, self._detach, kept, "nobody has asked for its turn for too long")

    def _detach(self, kept: Kept, why: str) -> None:
        self._stop_timer(kept)
        if kept.session is not None and kept.here:
            self._lobby.leave(kept.session)
        kept.player.close(0, why)
        if str(kept.handle) in self._by_handle:
            kept.timer = asyncio.get_running_loop().call_later(KEPT_S, self.leave, kept)

    def _stop_timer(self, kept: Kept) -> None:
        if kept.timer is not None:
            kept.timer.cancel()
            kept.timer = None
