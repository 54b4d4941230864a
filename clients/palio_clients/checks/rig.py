"""Keeps a bot and its connection from one check to the next."""

import asyncio
from itertools import count

from palio_clients.checks.finding import CheckFailed, Patience
from palio_clients.checks.scripted_server import SERVER, Connection, ScriptedServer
from palio_clients.checks.subject import Subject
from palio_rules.contract import messages


class Gone(Exception):
    """The bot is not connected, and we cannot start it again."""


class Rig:
    """One bot under check. `connection` gives a connection on which the bot has been welcomed."""

    def __init__(self, server: ScriptedServer, subject: Subject, patience: Patience) -> None:
        self.server = server
        self.subject = subject
        self.patience = patience
        self.games: tuple[str, ...] = ()
        self.name = ""
        self.past: list[str] = []  # the matches so far
        self._open: Connection | None = None
        self._sessions = count(1)

    def new_match(self) -> str:
        self.past.append(f"check-{len(self.past) + 1}")
        return self.past[-1]

    async def new_connection(self, url: str = "") -> Connection:
        """A connection on which the bot has sent nothing yet, by the server's usual `url`, or another one of its.

        Raises CheckFailed or, if the bot was here before, Gone.
        """
        url = url or self.server.url
        await self.subject.start(url)
        connecting = asyncio.ensure_future(self.server.connection(url))
        dying = asyncio.ensure_future(self.subject.died())
        try:
            await asyncio.wait((connecting, dying), timeout=self.patience.connect, return_when=asyncio.FIRST_COMPLETED)
            if connecting.done():
                return connecting.result()
            what = "ends by itself" if dying.done() else f"does not connect within {self.patience.connect:g} s"
        finally:
            for task in (connecting, dying):
                task.cancel()
        if self.name and not self.subject.restartable:
            raise Gone(what)
        raise CheckFailed(what, "see what it prints; it must connect, and connect again after a cut")

    async def welcome(self, connection: Connection) -> messages.Hello:
        """Receive the bot's hello and welcome it, with the session that it wants to resume."""
        received = await connection.receive(self.patience.connect, "hello")
        if not isinstance(received, messages.Hello):
            kind = type(received).__name__.lower()
            raise CheckFailed(f"says {kind} before hello", "say hello first on every connection")
        resume = received.resume
        session = resume if isinstance(resume, str) else f"session-{next(self._sessions)}"
        await connection.send(messages.Welcome(session, SERVER))
        self._open = connection
        return received

    async def connection(self) -> Connection:
        """The open connection, or a new one, on which the bot has been welcomed."""
        if self._open is None or not self._open.alive:
            await self.welcome(await self.new_connection())
        assert self._open is not None
        return self._open

    async def start_afresh(self) -> None:
        """After a failure the bot's state is unknown: the next check gets a new process or connection."""
        if self._open is not None:
            await self._open.close()
            self._open = None
        if self.subject.restartable:
            await self.subject.stop()
