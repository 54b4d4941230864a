"""A bot's message is read once, though two parts of the server want to know what it says.

The gateway reads each message to answer faults, then publishes its bytes; in the same call the match's table hears
these bytes and has to read them again. The bus carries bytes and nothing else, so the last message read is remembered
here: by identity, which the reference that we hold keeps from being used again.
"""

from palio_rules.messages import BotMessage
from palio_rules.wire import decode_from_bot


class _Last:
    data: bytes | None = None
    message: BotMessage


def note(data: bytes, message: BotMessage) -> None:
    """`data`, this very object, has been found to be `message`."""
    _Last.data, _Last.message = data, message


def read(data: bytes) -> BotMessage:
    """As `decode_from_bot`. Raises WireError."""
    return _Last.message if data is _Last.data else decode_from_bot(data)
