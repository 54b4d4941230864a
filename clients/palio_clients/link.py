"""What a transport offers: links to the server that carry messages until they break."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from palio_rules.errors import WireError
from palio_rules.messages import BotMessage, ServerMessage


class Link(Protocol):
    """One connection. Both methods raise LinkLost when it is gone, and RefusedByServer where that is why."""

    async def send(self, message: BotMessage) -> None: ...

    async def receive(self) -> ServerMessage | WireError:
        """The next message, or what is wrong with the bytes that came instead."""


class Transport(Protocol):
    """Makes connections to one server."""

    url: str
    hello_again_s: float | None  # say hello again so often until it is answered; None: the link loses nothing

    def connect(self) -> AbstractAsyncContextManager[Link]:
        """Connect. Raises LinkLost or RefusedByServer."""
