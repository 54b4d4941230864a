"""Results that a bot has missed, sent to it after it comes back.

A result is announced after its commit, and the announcement may be lost on the way: a connection breaks, a broker or
this server is killed. So a bot that resumes its session is sent again the results since it was last certainly
connected. It may get a result twice, but never misses one; a bot that knows the result ignores it.
"""

import asyncio
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

from palio_db.store import Store
from palio_db.values import MatchRow
from palio_rules.contract import topics
from palio_rules.contract.codec import encode
from palio_rules.contract.messages import Over, Result
from palio_server.arena.journal import until_database_answers
from palio_server.bus import Envelope
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.session import Session
from palio_server.match.race import overs

log = logging.getLogger(__name__)

MOST = 64  # results sent to one bot: more than it plays in that time


class MissedResults:
    """A sender of missed results, active while `run` runs; the lobby reports bots that have come back."""

    def __init__(self, store: Store, lobby: Lobby) -> None:
        self._store = store
        self._back: dict[str, tuple[Session, float]] = {}  # by session; the latest report counts
        self._news = asyncio.Event()
        lobby.on_return = self.came_back

    def came_back(self, session: Session, away_s: float) -> None:
        """Note that a bot has its session back, and may have missed messages for `away_s` seconds."""
        self._back[session.id] = session, away_s
        self._news.set()

    async def run(self) -> None:
        """Send results until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            while self._back:
                session, away_s = self._back.pop(next(iter(self._back)))
                tell = partial(self._tell, session, away_s)
                try:
                    await until_database_answers("missed results wait to be told", tell)
                except Exception:  # a record that cannot be read, a game that is no longer installed
                    log.exception("bot %s cannot be told what it has missed", session.name, extra={"bot": session.name})

    async def _tell(self, session: Session, away_s: float) -> None:
        since = datetime.now(UTC) - timedelta(seconds=away_s)
        for row in await self._store.ended_since(session.name, since, MOST):
            if (over := await self._over(row, session.name)) is not None and session.connected:
                session.link.post(topics.bot_in(session.name, row.id), Envelope(encode(over), over))

    async def _over(self, row: MatchRow, name: str) -> Over | None:
        seat = row.bots.index(name)
        if row.status == "aborted":
            result = Result("adjudicated", "aborted", [0.5] * len(row.bots), detail=row.reason or "")
        elif (record := await self._store.outline(row.id)) is not None:
            result = record.result
        else:
            return None
        return nth(overs(row.id, result, len(row.bots), race=row.setup.rules().kind == "race"), seat)


def nth(messages: Iterator[Over], number: int) -> Over:
    """Return the message for that seat."""
    return next(message for at, message in enumerate(messages) if at == number)
