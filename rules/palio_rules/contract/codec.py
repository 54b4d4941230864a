"""Messages to bytes and back, in MessagePack or JSON, within hard limits.

Decoding raises nothing but WireError, for any bytes: too long, too deep, an unknown key, an integer beyond 2^53, a
number that is not finite, a string too long, a type that the protocol does not have. The types in `messages` state
nearly all limits; this module adds the length. Of a key that is given twice the last value counts, as in other readers.
"""

from contextlib import suppress
from enum import Enum
from typing import Any

import msgspec

from palio_rules.contract.messages import BotMessage, Message, ServerMessage
from palio_rules.contract.names import no_name
from palio_rules.errors import WireError, sentence

MAX_BYTES = 64 * 1024
MAX_REASON = 300  # characters; an error that quotes must not be longer than the message that it answers

SUBPROTOCOLS = {"palio.1.msgpack": "msgpack", "palio.1.json": "json"}  # WebSocket subprotocol -> Encoding value


class Encoding(Enum):
    MSGPACK = "msgpack"
    JSON = "json"

    @property
    def subprotocol(self) -> str:
        return f"palio.1.{self.value}"


def is_blank(line: bytes) -> bool:
    """Tell whether a line of JSON lines says nothing: it is empty or has only blanks, tabs and a carriage return."""
    return not line.strip()


_encode_msgpack = msgspec.msgpack.Encoder().encode
_encode_json = msgspec.json.Encoder().encode
_from_bot = msgspec.msgpack.Decoder(BotMessage)
_from_bot_json = msgspec.json.Decoder(BotMessage)
_from_server = msgspec.msgpack.Decoder(ServerMessage)
_from_server_json = msgspec.json.Decoder(ServerMessage)


def encode(message: Message, encoding: Encoding = Encoding.MSGPACK) -> bytes:
    """Write a message."""
    return _encode_msgpack(message) if encoding is Encoding.MSGPACK else _encode_json(message)


def decode_from_bot(data: bytes, encoding: Encoding = Encoding.MSGPACK) -> BotMessage:
    """Read what a bot sent. Raises WireError."""
    message: BotMessage = _decode(data, encoding, _from_bot if encoding is Encoding.MSGPACK else _from_bot_json)
    return message


def decode_from_server(data: bytes, encoding: Encoding = Encoding.MSGPACK) -> ServerMessage:
    """Read what the server sent. Raises WireError."""
    message: ServerMessage = _decode(
        data, encoding, _from_server if encoding is Encoding.MSGPACK else _from_server_json
    )
    return message


def _decode(
    data: bytes, encoding: Encoding, decoder: "msgspec.msgpack.Decoder[Any] | msgspec.json.Decoder[Any]"
) -> Any:
    if len(data) > MAX_BYTES:
        raise WireError("too-long", f"a message has at most {MAX_BYTES} bytes, this one has {len(data)}")
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        raise WireError("bad-message", _cut(_complaint(error, data, encoding))) from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise WireError("unreadable", _cut(f"not {encoding.name}: {error}")) from None
    except RecursionError:
        raise WireError("too-deep", "the message is nested too deeply") from None


def _complaint(error: msgspec.ValidationError, data: bytes, encoding: Encoding) -> str:
    """What is wrong with a message that has the right encoding; of a name, which ones there are."""
    if "at `$.name`" in str(error):
        read = msgspec.json.decode if encoding is Encoding.JSON else msgspec.msgpack.decode
        with suppress(msgspec.DecodeError, UnicodeError, RecursionError):  # behind the name it may be no message at all
            if isinstance(given := read(data).get("name"), str):
                return no_name(given)
    return sentence(error)


def _cut(reason: str) -> str:
    return reason if len(reason) <= MAX_REASON else f"{reason[: MAX_REASON - 3]}..."
