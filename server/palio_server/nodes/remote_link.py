"""The way to a bot that another process has: its match speaks through the broker."""

from collections.abc import Callable

from palio_rules.contract import topics
from palio_server.bus import Bus, Envelope
from palio_server.nodes import words
from palio_server.nodes.words import Close, Word


class RemoteLink:
    """A lobby's Link to a connection of `process`."""

    def __init__(self, bus: Bus, send: Callable[[str, Word], None], own: str, process: str, card: words.Card) -> None:
        """`own`: our identity."""
        self._bus, self._send, self._process, self._key = bus, send, process, card.key
        self._to_bot = words.to_bot(process, own, card.name, "")

    def post(self, topic: str, envelope: Envelope) -> None:
        match = topic.rpartition("/")[2]
        if match != topics.LOBBY:  # what concerns no match its own process says
            self._bus.publish(self._to_bot + match, envelope.data)

    def close(self, code: int, reason: str) -> None:
        self._send(self._process, Close(self._key, code, reason))
