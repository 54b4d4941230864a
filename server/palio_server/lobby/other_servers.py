"""The other servers that share the work of this one. The rest of the core asks and tells them through this one seam.

`OtherServers` is the interface, and `ALONE` its null object: nothing is shared. `palio_server.addons.shared` has the
real one. The module lies in the lobby because that is the lowest room that calls it.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from palio_db.event_values import TournamentDraft
from palio_db.values import Actor
from palio_server.lobby.session import Expulsion, Session


class NoAnswer(Exception):
    """Another server is gone or does not answer in time, so it is unknown whether it did what it was asked for."""


class OtherServers(Protocol):
    """The servers that share a database and a broker with this one."""

    @property
    def sharing(self) -> bool:
        """Return whether the work may be shared, with any number of servers."""

    @property
    def on_missed(self) -> list[Callable[[], None]]:
        """Callbacks for when others' messages may be lost: a server is gone, or the way to it was interrupted."""

    def connect(self, parts: Any) -> None:
        """Start to hear what others tell and ask; `parts` is this server's `ServerParts`."""

    async def run(self) -> None:
        """Take part until cancelled."""

    def stop(self) -> None:
        """Tell the others that this server ends soon."""

    async def settled(self) -> None:
        """Return when every server that runs has been heard of."""

    def leads(self) -> bool:
        """Return whether this server does what only one of all servers may do."""

    def can_take_over(self) -> bool:
        """Return whether another server can go on with the matches of this one."""

    # --- the lobby: connections of bots -------------------------------------------------------------------------------

    def tell_connections(self, name: str) -> None:
        """Tell that the connections of a bot, or their matches, have changed here."""

    def tell_expelled(self, session: Session, match: str, why: Expulsion) -> None:
        """Tell that a bot was expelled that another server's match has borrowed."""

    def ask_for_slot(self, session: Session, match: str, epoch: int) -> None:
        """Ask the server that has `session` for a slot, because `match` waits here for its bot."""

    # --- the arena: matches -------------------------------------------------------------------------------------------

    async def borrow_slots(self, match: str, epoch: int, game: str, names: Sequence[str], *, absent_ok: bool) -> None:
        """Borrow the slots that `match` needs from the servers that have its bots.

        Raises NotAvailable, and borrows none, if a slot is refused; with `absent_ok` the match waits for that bot.
        """

    def return_slots(self, match: str) -> None:
        """Return what was borrowed for `match`. Calling it twice is harmless."""

    def tell_scheduled(self) -> None:
        """Tell that there is a new match to play."""

    async def call_off(self, match: str, reason: str) -> bool:
        """End a match without a result on the server that plays it; return whether one did."""

    async def stop_match(self, worker: str | None, match: str, reason: str) -> bool:
        """End a match as a draw on the server called `worker`; return whether it did. Raises NoAnswer."""

    # --- operators ----------------------------------------------------------------------------------------------------

    def serve_operator(self, operating: Any) -> None:
        """Let operators of other servers read and drain this one; `operating` is its `Operating`."""

    def tell_draining(self, *, draining: bool) -> None:
        """Tell whether this server begins no further match."""

    async def figures(self) -> list[Any]:
        """Return the `ServerFigures` of all other servers; of one that does not answer, what is known of it."""

    async def drain(self, worker: str, how: Any) -> bool:
        """Drain the other server called `worker` (a `Draining`; None: let it go on); return False if it is unknown.

        Raises NoAnswer, or BadOption with that server's refusal.
        """

    # --- leaderboards -------------------------------------------------------------------------------------------------

    def tell_stale(self, game: str) -> None:
        """Tell that results of `game` are to be counted, by the server that leads."""

    def tell_rated(self, game: str) -> None:
        """Tell that the leaderboard of `game` is a new one."""

    # --- viewers ------------------------------------------------------------------------------------------------------

    def tell_watched(self, watched: bool) -> None:  # noqa: FBT001  # the hub's callback
        """Tell whether a viewer here watches the lobby, who is to see the matches of all servers."""

    async def snapshot(self, worker: str | None, match: str) -> object:
        """Return a match's snapshot, as JSON's values, from the server called `worker`; None if it has none to give."""

    # --- tournaments --------------------------------------------------------------------------------------------------

    async def create_tournament(self, draft: TournamentDraft, by: Actor) -> int | None:
        """Have a tournament made by a server that can run it, and return its number; None: this server can."""

    async def change_tournament(self, number: int, act: str, arguments: Sequence[Any]) -> list[Any]:
        """Have the server that runs a tournament do `act`, a method of `Tournaments`.

        Return a list with its answer, or an empty one if this server is to do it. Raises what the act raises there.
        """


class NoOtherServers:
    """The null object: this server is alone."""

    sharing = False

    @property
    def on_missed(self) -> list[Callable[[], None]]:
        return []  # never called

    def connect(self, parts: Any) -> None: ...
    async def run(self) -> None: ...
    def stop(self) -> None: ...
    async def settled(self) -> None: ...

    def leads(self) -> bool:
        return True

    def can_take_over(self) -> bool:
        return False

    def tell_connections(self, name: str) -> None: ...
    def tell_expelled(self, session: Session, match: str, why: Expulsion) -> None: ...
    def ask_for_slot(self, session: Session, match: str, epoch: int) -> None: ...

    async def borrow_slots(
        self, match: str, epoch: int, game: str, names: Sequence[str], *, absent_ok: bool
    ) -> None: ...
    def return_slots(self, match: str) -> None: ...
    def tell_scheduled(self) -> None: ...

    async def call_off(self, match: str, reason: str) -> bool:
        return False

    async def stop_match(self, worker: str | None, match: str, reason: str) -> bool:
        return False

    def serve_operator(self, operating: Any) -> None: ...
    def tell_draining(self, *, draining: bool) -> None: ...

    async def figures(self) -> list[Any]:
        return []

    async def drain(self, worker: str, how: Any) -> bool:
        return False

    def tell_stale(self, game: str) -> None: ...
    def tell_rated(self, game: str) -> None: ...
    def tell_watched(self, watched: bool) -> None: ...  # noqa: FBT001

    async def snapshot(self, worker: str | None, match: str) -> object:
        return None

    async def create_tournament(self, draft: TournamentDraft, by: Actor) -> int | None:
        return None

    async def change_tournament(self, number: int, act: str, arguments: Sequence[Any]) -> list[Any]:
        return []


ALONE = NoOtherServers()
