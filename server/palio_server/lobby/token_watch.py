"""The watch over tokens in use: bots and readers are disconnected when any process has revoked their token."""

from collections.abc import Callable, Collection
from datetime import UTC, datetime

from palio_db.store import Store
from palio_db.values import Withdrawn
from palio_rules.contract.endpoints import POLICY
from palio_server.lobby.access import Readers, withdrawal
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.session import Expulsion


def _now() -> datetime:
    return datetime.now(UTC)


class TokenWatch:
    """The tokens of connected bots and readers, checked when there is a reason to."""

    def __init__(self, store: Store, lobby: Lobby, readers: Readers, now: Callable[[], datetime] = _now) -> None:
        self._store, self._lobby, self._readers, self._now = store, lobby, readers, now
        self._good: set[int] = set()  # those that were valid at the last look
        self._end: datetime | None = None  # when the next of them expires

    async def look(self, *, changed: bool) -> None:
        """Disconnect bots and readers whose token is no longer valid. `changed`: a token may have been revoked.

        A token that was not seen before is checked in any case: it may have been revoked while its bot connected.
        Raises StoreError; then the next look must be told of the same change.
        """
        held = self._held()
        due = changed or (self._end is not None and self._now() >= self._end)
        asked = held if due else held - self._good
        self._good &= held
        if due:
            self._end = None
        if asked:
            await self._ask(asked)

    async def _ask(self, tokens: Collection[int]) -> None:
        gone, end = await self._store.withdrawn(tokens)
        self._good = (self._good | set(tokens)) - gone.keys()
        self._end = min((one for one in (self._end, end) if one is not None), default=None)
        for token, why in gone.items():
            self._expel(token, why)

    def _expel(self, token: int, why: Withdrawn) -> None:
        code, sentence = withdrawal(why)
        for session in self._lobby.sessions():
            if session.token == token:
                self._lobby.expel(session, Expulsion("revoked", code, sentence))
        self._readers.close(token, POLICY, code)

    def _held(self) -> set[int]:
        bots = {session.token for session in self._lobby.sessions() if session.token is not None}
        return bots | self._readers.tokens()
