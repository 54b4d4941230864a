"""Messages to bytes and back, in MessagePack or JSON, within hard limits.

Decoding never raises anything but WireError, whatever the bytes: too long, too deep, a duplicate or unknown key, an
integer beyond 2^53, a number that is not finite, a string too long, a type that the protocol does not have.
"""

import json
from enum import Enum
from math import isfinite
from struct import unpack
from typing import Any, NoReturn

import msgspec
from msgspec import UNSET

from palio_rules.errors import WireError
from palio_rules.messages import MAX_INT, BotMessage, Message, Move, ServerMessage

MAX_BYTES = 64 * 1024
MAX_DEPTH = 6  # of lists within a move; the deepest move of our games has two levels
MAX_STRING = 8192  # characters of a string within a move

SUBPROTOCOLS = {"palio.1.msgpack": "msgpack", "palio.1.json": "json"}  # WebSocket subprotocol -> Encoding value


class Encoding(Enum):
    MSGPACK = "msgpack"
    JSON = "json"

    @property
    def subprotocol(self) -> str:
        return f"palio.1.{self.value}"


_encode_msgpack = msgspec.msgpack.Encoder().encode
_encode_json = msgspec.json.Encoder().encode
_from_bot = msgspec.msgpack.Decoder(BotMessage)
_from_server = msgspec.msgpack.Decoder(ServerMessage)


def encode(message: Message, encoding: Encoding = Encoding.MSGPACK) -> bytes:
    """Write a message."""
    return _encode_msgpack(message) if encoding is Encoding.MSGPACK else _encode_json(message)


def decode_from_bot(data: bytes, encoding: Encoding = Encoding.MSGPACK) -> BotMessage:
    """Read what a bot sent. Raises WireError."""
    message: BotMessage = _decode(data, encoding, _from_bot, BotMessage)
    if isinstance(message, Move):
        _check_plain(message.move, MAX_DEPTH)
    return message


def decode_from_server(data: bytes, encoding: Encoding = Encoding.MSGPACK) -> ServerMessage:
    """Read what the server sent. Raises WireError."""
    message: ServerMessage = _decode(data, encoding, _from_server, ServerMessage)
    return message


def _decode(data: bytes, encoding: Encoding, decoder: "msgspec.msgpack.Decoder[Any]", kind: Any) -> Any:
    if len(data) > MAX_BYTES:
        raise WireError("too-long", f"a message has at most {MAX_BYTES} bytes, this one has {len(data)}")
    try:
        if encoding is Encoding.JSON:
            return msgspec.convert(_parse_json(data), kind)
        message = decoder.decode(data)
    except msgspec.ValidationError as error:
        raise WireError("bad-message", str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise WireError("unreadable", f"not {encoding.name}: {error}") from None
    except RecursionError:
        raise WireError("too-deep", "the message is nested too deeply") from None
    if any(isinstance(getattr(message, name), _HAS_MAPS) for name in message.__struct_fields__):
        _Scan(data).value(0, 0)
    elif _pairs(data) != 1 + sum(getattr(message, name) is not UNSET for name in message.__struct_fields__):
        raise _twice("")  # msgspec keeps the last of two equal keys, but the header tells how many pairs there are
    return message


def _pairs(data: bytes) -> int:
    """The number of pairs that the outermost map announces."""
    if data[0] & 0xF0 == 0x80:
        return data[0] & 0x0F
    return int.from_bytes(data[1:3] if data[0] == 0xDE else data[1:5], "big")


def _twice(key: str) -> WireError:
    return WireError("duplicate-key", f"the key {key!r} is given twice" if key else "a key is given twice")


def _check_plain(value: object, depth: int) -> None:
    """Refuse what no move is made of: maps, binary, numbers that are not exact everywhere, deep lists."""
    match value:
        case list():
            if depth == 0:
                raise WireError("too-deep", f"a move nests at most {MAX_DEPTH} lists")
            for item in value:
                _check_plain(item, depth - 1)
        case int() if not -MAX_INT <= value <= MAX_INT:
            raise _not_exact(value)
        case float() if not isfinite(value):
            raise _not_finite(str(value))
        case str() if len(value) > MAX_STRING:
            raise WireError("too-long", f"a string in a move has at most {MAX_STRING} characters")
        case None | int() | float() | str():
            return
        case _:
            raise WireError("bad-message", f"a move is made of lists, integers and strings, not {type(value).__name__}")


def _not_exact(number: object) -> WireError:
    return WireError("number-range", f"the integer {str(number)[:40]} lies beyond 2^53 - 1")


def _not_finite(text: str) -> WireError:
    return WireError("number-range", f"the number {text[:40]} is not finite")


# --- JSON: the standard library's parser lets us see every pair ------------------------------------------------------


def _parse_json(data: bytes) -> Any:
    try:
        return _json.decode(data.decode())
    except json.JSONDecodeError as error:
        raise WireError("unreadable", f"not JSON: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _twice(next(key for key in keys if keys.count(key) > 1))
    return found


def _int(text: str) -> int:
    if len(text) > 17 or not -MAX_INT <= (number := int(text)) <= MAX_INT:
        raise _not_exact(text)
    return number


def _float(text: str) -> float:
    if not isfinite(number := float(text)):
        raise _not_finite(text)
    return number


def _constant(text: str) -> NoReturn:
    raise _not_finite(text)


_json = json.JSONDecoder(object_pairs_hook=_object, parse_int=_int, parse_float=_float, parse_constant=_constant)


# --- MessagePack: messages with maps inside are read once more, for their keys and numbers ----------------------------

_HAS_MAPS = (msgspec.Struct, dict)


class _Scan:
    """Walks bytes that msgspec has found well-formed, and refuses duplicate keys and numbers out of range."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def value(self, at: int, depth: int) -> int:
        """Check the value that begins at `at`; where the next one begins."""
        if depth > MAX_DEPTH + 4:  # a list within a move lies at most this deep within a message
            raise WireError("too-deep", "the message is nested too deeply")
        head = self.data[at]
        if head < 0x80 or head >= 0xE0 or 0xC0 <= head <= 0xC3:  # small integers, nil, booleans
            return at + 1
        if head < 0x90:
            return self.pairs(at + 1, head & 0x0F, depth)
        if head < 0xA0:
            return self.items(at + 1, head & 0x0F, depth)
        if head < 0xC0:
            return at + 1 + (head & 0x1F)
        return self.sized(head, at + 1, depth)

    def sized(self, head: int, at: int, depth: int) -> int:
        if head in (0xC4, 0xC5, 0xC6, 0xD9, 0xDA, 0xDB):  # binary and strings with 1, 2 or 4 bytes of length
            width = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}[head]
            return at + width + self.number(at, width)
        if head in (0xCA, 0xCB):
            width = 4 if head == 0xCA else 8
            if not isfinite(number := unpack(">f" if width == 4 else ">d", self.data[at : at + width])[0]):
                raise _not_finite(str(number))
            return at + width
        if 0xCC <= head <= 0xD3:
            width = 1 << (head - 0xCC) % 4
            if width == 8:
                number = int.from_bytes(self.data[at : at + 8], "big", signed=head == 0xD3)
                if not -MAX_INT <= number <= MAX_INT:
                    raise _not_exact(number)
            return at + width
        if head in (0xDC, 0xDD):
            width = 2 if head == 0xDC else 4
            return self.items(at + width, self.number(at, width), depth)
        if head in (0xDE, 0xDF):
            width = 2 if head == 0xDE else 4
            return self.pairs(at + width, self.number(at, width), depth)
        raise WireError("bad-message", "extension types are not part of the protocol")

    def number(self, at: int, width: int) -> int:
        return int.from_bytes(self.data[at : at + width], "big")

    def items(self, at: int, count: int, depth: int) -> int:
        for _ in range(count):
            at = self.value(at, depth + 1)
        return at

    def pairs(self, at: int, count: int, depth: int) -> int:
        keys = set()
        for _ in range(count):
            end = self.value(at, depth + 1)
            keys.add(self.data[at:end])
            at = self.value(end, depth + 1)
        if len(keys) != count:
            raise _twice("")
        return at
