"""The contract of a server and the client of an engine, where the server's own process talks to the engine.

The server finds the client by entry point (`palio.engines`, by the first word of a spec) and gives it a `Host`. The
messages are the protocol's own, passed on as values: nothing is encoded, and no other process is between the two.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from palio_rules.contract.messages import BotMessage, ServerMessage

GROUP = "palio.engines"


class Program(Protocol):
    """An engine's process: an asyncio.SubprocessProtocol, of which a host needs this."""

    async def wait(self) -> int:
        """Return the exit status, once it has ended."""

    def terminate(self) -> None: ...
    def kill(self) -> None: ...
    def close(self) -> None:
        """Close its pipes."""


Made = TypeVar("Made", bound=Program)


class Line(Protocol):
    """The client's end of its connection to the server."""

    def post(self, message: ServerMessage) -> None:
        """Take in a message; never waits."""

    def close(self, reason: str) -> None:
        """Take note that the connection is closed."""


class Host(Protocol):
    """The server's side of one bot: its connection, and the programs that play for it."""

    async def start(self, make: Callable[[], Made], argv: Sequence[str]) -> Made:
        """Start a program with pipes as its standard streams, in the sandbox where it needs one.

        The host ends it when the bot is ended. Raises OSError, and ValueError with a sentence.
        """

    def connect(self, line: Line) -> Callable[[BotMessage], None]:
        """Open a connection; return what takes the client's messages, `hello` first. Closes the one before."""

    def print(self, line: str) -> None:
        """Take in a line for the bot's author: the engine's standard error, or what the client reports."""


Play = Callable[[str, str, int, str, Host], Awaitable[int]]
"""Play as the engine of a spec, of which the text after the colon is given, under a name, so many games at once.

Unless the next text is "", the engine is checked first: it can play this game, a name with settings.

Returns an exit code, as `palio join` has them, once the bot can play no longer.
"""
