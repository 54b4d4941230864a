"""Messages to bytes and back, in MessagePack or JSON, within hard limits.

Decoding never raises anything but WireError, whatever the bytes: too long, too deep, a duplicate or unknown key, an
integer beyond 2^53, a number that is not finite, a string too long, a type that the protocol does not have. Most of
these limits are written in the types of `messages`; here stand those that a type cannot express.
"""

import json
from contextlib import suppress
from enum import Enum
from math import isfinite
from typing import Any, NoReturn

import msgspec
from msgspec import UNSET

from palio_rules.contract.messages import MAX_INT, BotMessage, Info, Message, Move, Played, ServerMessage, Turn
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


_USUAL: dict[type[Message], int] = {
    Move: 0x84,
    Turn: 0x88,
    Played: 0x86,
}  # nearly all messages hold no map, and begin so: with `type`, and
# a pair for each field that must be there

_encode_msgpack = msgspec.msgpack.Encoder().encode
_encode_json = msgspec.json.Encoder().encode
_from_bot = msgspec.msgpack.Decoder(BotMessage)
_from_server = msgspec.msgpack.Decoder(ServerMessage)
_from_bot_plain = msgspec.json.Decoder(BotMessage)
_from_server_plain = msgspec.json.Decoder(ServerMessage)


def encode(message: Message, encoding: Encoding = Encoding.MSGPACK) -> bytes:
    """Write a message."""
    return _encode_msgpack(message) if encoding is Encoding.MSGPACK else _encode_json(message)


def decode_from_bot(data: bytes, encoding: Encoding = Encoding.MSGPACK) -> BotMessage:
    """Read what a bot sent. Raises WireError."""
    message: BotMessage | None = None
    if encoding is Encoding.JSON:
        message = _decode_plain(data, _from_bot_plain)
    return message if message is not None else _decode(data, encoding, _from_bot, BotMessage)


def decode_from_server(data: bytes, encoding: Encoding = Encoding.MSGPACK) -> ServerMessage:
    """Read what the server sent. Raises WireError."""
    message: ServerMessage | None = None
    if encoding is Encoding.JSON:
        message = _decode_plain(data, _from_server_plain)
    return message if message is not None else _decode(data, encoding, _from_server, ServerMessage)


def _decode(data: bytes, encoding: Encoding, decoder: "msgspec.msgpack.Decoder[Any]", kind: Any) -> Any:
    if len(data) > MAX_BYTES:
        raise WireError("too-long", f"a message has at most {MAX_BYTES} bytes, this one has {len(data)}")
    try:
        if encoding is Encoding.JSON:
            return msgspec.convert(_parse_json(data), kind)
        message = decoder.decode(data)
    except msgspec.ValidationError as error:
        raise WireError("bad-message", _cut(_complaint(error, data, encoding))) from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise WireError("unreadable", _cut(f"not {encoding.name}: {error}")) from None
    except RecursionError:
        raise WireError("too-deep", "the message is nested too deeply") from None
    if data[0] == _USUAL.get(type(message)):
        return message  # each field has come, and there is no room for another pair
    values = [value for name in message.__struct_fields__ if (value := getattr(message, name)) is not UNSET]
    if _pairs(data) != 1 + len(values):  # msgspec keeps the last of two equal keys, but the header says how many came
        raise _twice("")
    if any(isinstance(value, _HAS_MAPS) for value in values):
        _skip(data, 0)
    return message


def _complaint(error: msgspec.ValidationError, data: bytes, encoding: Encoding) -> str:
    """What is wrong with a message that has the right encoding; of a name, which ones there are."""
    if "at `$.name`" in str(error):
        read = _parse_json if encoding is Encoding.JSON else msgspec.msgpack.decode
        with suppress(msgspec.DecodeError, UnicodeError, RecursionError):  # behind the name it may be no message at all
            if isinstance(given := read(data).get("name"), str):
                return no_name(given)
    return sentence(error)


def _cut(reason: str) -> str:
    return reason if len(reason) <= MAX_REASON else f"{reason[: MAX_REASON - 3]}..."


def _pairs(data: bytes) -> int:
    """The number of pairs that the outermost map announces."""
    if data[0] & 0xF0 == 0x80:
        return data[0] & 0x0F
    return int.from_bytes(data[1:3] if data[0] == 0xDE else data[1:5], "big")


def _twice(key: str) -> WireError:
    return WireError("duplicate-key", _cut(f"the key {key!r} is given twice") if key else "a key is given twice")


# --- JSON: nearly every message is plain, and msgspec reads it; else the standard library's parser shows every pair ---

_SPACES = (b'" ', b'"\t', b'"\r', b'"\n')  # one may stand between a key and its colon


def _decode_plain(data: bytes, decoder: "msgspec.json.Decoder[Any]") -> Any:
    """The message, if it can be read at once and can have no key twice; None leaves it to the slow path.

    Without escapes, a quote and a colon stand together only behind a key. So they count the pairs.
    """
    if len(data) > MAX_BYTES or b"\\" in data or any(map(data.__contains__, _SPACES)):
        return None
    try:
        message = decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None  # the slow path says what is wrong
    pairs = 4 if type(message) is Move and message.info is UNSET else _plain_pairs(message)
    return message if data.count(b'":') == pairs else None


_INFO = Info.__struct_fields__


def _plain_pairs(message: Message) -> int:
    """How many pairs were read; -1 if that cannot be said."""
    pairs = 1
    for name in message.__struct_fields__:
        value = getattr(message, name)
        if value is UNSET:
            continue
        pairs += 1
        if type(value) is Info:
            if value.score is not UNSET and not -MAX_INT <= value.score <= MAX_INT:
                return -1  # it may have been written as an integer, for which that is too much
            pairs += sum(getattr(value, name) is not UNSET for name in _INFO)
        elif isinstance(value, _HAS_MAPS):
            return -1
    return pairs


# --- JSON: every pair is seen -----------------------------------------------------------------------------------------


def _parse_json(data: bytes) -> Any:
    try:
        value = _json.decode(data.decode())
    except json.JSONDecodeError as error:
        raise WireError("unreadable", f"not JSON: {error}") from None
    if b"\\u" in data:  # an escape may spell half a character, which no answer could quote
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _twice(key)
        found[key] = value
    return found


def _int(text: str) -> int:
    if len(text) > 17 or not -MAX_INT <= (number := int(text)) <= MAX_INT:
        raise WireError("number-range", f"the integer {text[:40]} lies beyond 2^53 - 1")
    return number


def _float(text: str) -> float:
    if not isfinite(number := float(text)):
        _constant(text)
    return number


def _constant(text: str) -> NoReturn:
    raise WireError("number-range", f"the number {text[:40]} is not finite")


_json = json.JSONDecoder(object_pairs_hook=_object, parse_int=_int, parse_float=_float, parse_constant=_constant)


# --- MessagePack: messages with maps inside are walked once more, for keys that come twice ---------------------------

_HAS_MAPS = (msgspec.Struct, dict)
_FIXED = dict.fromkeys([*range(0x80), *range(0xE0, 0x100), 0xC0, 0xC2, 0xC3], 0)  # small integers, nil, booleans
_FIXED |= {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}  # numbers
_SIZED = {0xD9: 1, 0xDA: 2, 0xDB: 4, 0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}  # bytes of length: strings, lists, maps


def _skip(data: bytes, at: int) -> int:
    """Where the value after the one at `at` begins. Raises WireError if a map in it has a key twice.

    The decoder has found `data` well-formed, and of the types of our messages: no binary, no extensions, not deep.
    """
    head = data[at]
    if head in _FIXED:
        return at + 1 + _FIXED[head]
    at, size = _size(data, at)
    if 0xA0 <= head <= 0xBF or 0xD9 <= head <= 0xDB:
        return at + size
    if 0x90 <= head <= 0x9F or head in (0xDC, 0xDD):
        for _ in range(size):
            at = _skip(data, at)
        return at
    keys = set()
    for _ in range(size):
        start, length = _size(data, at)  # one key may be spelled with several headers: its characters count
        keys.add(data[start : start + length])
        at = _skip(data, start + length)
    if len(keys) != size:
        raise _twice("")
    return at


def _size(data: bytes, at: int) -> tuple[int, int]:
    """Where the content of the string, list or map at `at` begins, and how many bytes, items or pairs it has."""
    head = data[at]
    if width := _SIZED.get(head, 0):
        return at + 1 + width, int.from_bytes(data[at + 1 : at + 1 + width], "big")
    return at + 1, head & (0x1F if head >= 0xA0 else 0x0F)
