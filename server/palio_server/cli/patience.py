"""A running server that is asked a great many questions: when it says that they are too many, they wait."""

import asyncio
from collections.abc import Awaitable, Callable

from palio_rules.backoff import Backoff
from palio_server.cli.errors import CommandFailed
from palio_server.cli.printing import say
from palio_server.cli.remote import Busy, Remote

LONGEST_S = 120.0  # that one wait may take
IN_ALL_S = 600.0  # and all those for one answer


class PatientRemote:
    """Asks as `Remote` does; a question that the server refuses for now is asked again when it may be."""

    def __init__(self, remote: Remote, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self.url = remote.url
        self._remote, self._sleep = remote, sleep
        self._told = False

    async def get(self, path: str, **query: object) -> bytes:
        """The answer to GET /api/`path`. Raises CommandFailed, also where the server wants too much patience."""
        backoff, waited = Backoff(first=1.0), 0.0
        while True:
            try:
                return await self._remote.get(path, **query)
            except Busy as busy:
                wait = backoff.next() + (busy.after or 0.0)  # no sooner than it says, and not in step with others
                if (busy.after or 0.0) > LONGEST_S or waited + wait > IN_ALL_S:
                    raise CommandFailed(_given_up(busy)) from None
                waited += wait
                self._tell(busy)
                await self._sleep(wait)

    def _tell(self, busy: Busy) -> None:
        """Once: why it takes longer."""
        if not self._told:
            self._told = True
            say(f"palio: {self.url} wants to be asked more slowly, and is: {busy}", err=True)


def _given_up(busy: Busy) -> str:
    if busy.after is not None and busy.after > LONGEST_S:
        return f"{busy}; the server wants to be asked again in {busy.after:.0f} s"
    return f"{busy}; it has not answered for {IN_ALL_S / 60:.0f} minutes"
