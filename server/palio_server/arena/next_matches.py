"""Which matches are claimed next: those of people whose bots are here, else the oldest that can be played."""

from collections.abc import Callable

from palio_db.store import Store
from palio_rules.contract.reserved import is_reserved
from palio_rules.records.record import Setup
from palio_rules.registry import game as rules_of
from palio_server.arena.leases import Leases
from palio_server.arena.orphans import Orphans
from palio_server.arena.waiting_list import WaitingList
from palio_server.lobby.lobby import Lobby


class NextMatches:
    """The list of scheduled matches, as far as this worker can begin them."""

    def __init__(
        self, store: Store, lobby: Lobby, leases: Leases, orphans: Orphans, *, look_s: Callable[[], float], shared: bool
    ) -> None:
        """`look_s`: how long the list is good for; `shared`: bots may be connected to other processes."""
        self._lobby, self._leases, self._orphans, self._shared = lobby, leases, orphans, shared
        self._waiting = WaitingList(store, look_s)
        self._appointed: dict[str, Setup] = {}  # matches that are begun beside all others, once their bots are free

    @property
    def appointed(self) -> bool:
        """Whether matches of people wait."""
        return bool(self._appointed)

    def appoint(self, match: str, setup: Setup) -> None:
        """Begin this one beside all others, once its bots are free."""
        self._appointed[match] = setup

    def dismiss(self, match: str) -> None:
        """Begin it no more in that way. Harmless if nobody has asked for it."""
        self._appointed.pop(match, None)

    def doubt(self) -> None:
        """The list in the database may be another one by now."""
        self._waiting.doubt()

    async def claim_appointed(self) -> None:
        """Claim the matches of people that can be played now."""
        found = [
            match
            for match, setup in self._appointed.items()
            if all(self._lobby.is_free(bot, setup.game) for bot in setup.bots)
        ]
        if found:
            await self._leases.claim_first(found)
            for match in found:
                del self._appointed[match]

    async def claim(self, most: int, tournament: int | None) -> None:
        """Claim the oldest matches that can be played now, at most so many; of one tournament only, if given."""
        while found := await self._waiting.playable(self._is_free, most, tournament):
            await self._leases.claim_these(found)
            self._waiting.strike(found)
            if self._leases.waiting:
                return  # or another worker was faster: what comes after these may be ours
        if not self._waiting.whole:  # so many wait for their bots that those in memory are not all
            held = self._orphans.held
            free = {game: [n for n in self._lobby.free(game) if n not in held] for game in self._lobby.games()}
            if any(len(names) >= _least(game) for game, names in free.items()):  # programs come one by one
                await self._leases.claim(free, most, tournament)

    def _is_free(self, bot: str, game: str) -> bool:
        """Whether the bot may begin something new: it is free, and no match that has begun waits for it.

        Of several servers, people and house bots play where they are.
        """
        ours = not self._shared or not is_reserved(bot) or self._lobby.is_ours(bot)
        return ours and bot not in self._orphans.held and self._lobby.is_free(bot, game)


def of_people(setup: Setup) -> bool:
    """Whether a guest, or a bot that was started for one, plays in it."""
    return any(is_reserved(bot) for bot in setup.bots)


def _least(game: str) -> int:
    """How many bots a match of the game has at least."""
    rules = rules_of(game)
    return 1 if rules.kind == "race" else len(rules.seats)
