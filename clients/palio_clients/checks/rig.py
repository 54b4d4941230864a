"""Holds a bot and its connection for one check after the other."""

import asyncio
from itertools import count

from palio_clients.checks.finding import CheckFailed, Patience
from palio_clients.checks.host import SERVER, Call, Host
from palio_clients.checks.subject import Subject
from palio_rules import messages


class Gone(Exception):
    """The bot is not there, and nobody here can bring it back."""


class Rig:
    """One bot under check. `call` gives a connection on which the bot has been welcomed."""

    def __init__(self, host: Host, subject: Subject, patience: Patience) -> None:
        self.host = host
        self.subject = subject
        self.patience = patience
        self.games: tuple[str, ...] = ()
        self.name = ""
        self.past: list[str] = []  # the matches so far
        self._call: Call | None = None
        self._matches = count(1)
        self._sessions = count(1)

    def new_match(self) -> str:
        self.past.append(f"check-{next(self._matches)}")
        return self.past[-1]

    async def connection(self) -> Call:
        """A connection, as yet without a word. Raises CheckFailed or, once it had been here, Gone."""
        await self.subject.start(self.host.url)
        calling = asyncio.ensure_future(self.host.call())
        dying = asyncio.ensure_future(self.subject.died())
        try:
            await asyncio.wait((calling, dying), timeout=self.patience.connect, return_when=asyncio.FIRST_COMPLETED)
            if calling.done():
                return calling.result()
            what = "ends by itself" if dying.done() else f"does not connect within {self.patience.connect:g} s"
        finally:
            for task in (calling, dying):
                task.cancel()
        if self.name and not self.subject.restartable:
            raise Gone(what)
        raise CheckFailed(what, "see what it prints; it must connect, and connect again after a cut")

    async def welcome(self, call: Call) -> messages.Hello:
        """Hear the bot's hello and welcome it; a session that it asks back is given back."""
        heard = await call.hear(self.patience.connect, "hello")
        if not isinstance(heard, messages.Hello):
            kind = type(heard).__name__.lower()
            raise CheckFailed(f"says {kind} before hello", "say hello first on every connection")
        resume = heard.resume
        call.hello = heard
        await call.say(
            messages.Welcome(resume if isinstance(resume, str) else f"session-{next(self._sessions)}", SERVER)
        )
        self._call = call
        return heard

    async def call(self) -> Call:
        """The connection that stands, or a new one."""
        if self._call is None or not self._call.alive:
            await self.welcome(await self.connection())
        assert self._call is not None
        return self._call

    async def start_afresh(self) -> None:
        """After a failure nothing is known of the bot's state: the next check gets a new process or connection."""
        if self._call is not None:
            await self._call.close()
            self._call = None
        if self.subject.restartable:
            await self.subject.stop()
