"""Messages to bytes and back, in MessagePack or JSON, within hard limits.

Decoding raises only WireError, for any bytes: too long, too deep, an unknown key, an integer beyond 2^53, a number that
is not finite, a string too long, a type that the protocol does not have. The types in `messages` state nearly all
limits; this module adds the length. If a key is given twice the last value counts, as in other readers.
"""

from contextlib import suppress
from enum import Enum
from typing import Any

import msgspec

from palio_rules.contract.messages import BotMessage, Message, ServerMessage
from palio_rules.contract.names import no_name
from palio_rules.errors import WireError, sentence

MAX_BYTES = 64 * 1024
MAX_REASON = 300  # characters; an error that quotes a message must not be longer than that message

SUBPROTOCOLS = {"palio.1.msgpack": "msgpack", "palio.1.json": "json"}  # WebSocket subprotocol -> Encoding value


class Encoding(Enum):
    MSGPACK = "msgpack"
    JSON = "json"

    @property
    def subprotocol(self) -> str:
        return f"palio.1.{self.value}"


def is_blank(line: bytes) -> bool:
    """Return whether a line of JSON lines is empty or has only blanks, tabs and a carriage return."""
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
    """Return what is wrong with a message that has the right encoding; for an unknown name, the names that exist."""
    if "at `$.name`" in str(error):
        read = msgspec.json.decode if encoding is Encoding.JSON else msgspec.msgpack.decode
        with suppress(msgspec.DecodeError, UnicodeError, RecursionError):  # the rest may be no valid message
            if isinstance(given := read(data).get("name"), str):
                return no_name(given)
    return sentence(error)


def _cut(reason: str) -> str:
    return reason if len(reason) <= MAX_REASON else f"{reason[: MAX_REASON - 3]}..."


# Frames of a WebSocket (RFC 6455, section 5.2), as far as both sides handle them without a library.
#
# Nearly all frames hold one whole message; the library `websockets` handles the others.

BINARY, TEXT = 0x82, 0x81  # first byte of a frame that is a whole message
SHORT = 126  # bytes; a payload of fewer has its length in the second byte
MASKED = 0x80  # in the second byte; required in every frame from a client
FINAL, RESERVED, OPCODE = 0x80, 0x70, 0x0F  # bits of the first byte
OPCODES = {0x0, 0x1, 0x2, 0x8, 0x9, 0xA}  # the opcodes that exist: continuation, text, binary; close, ping, pong
CONTROL = 0x8  # opcodes from here on are control frames, which may come between the parts of a message
HEADS = tuple(bytes([BINARY, size]) for size in range(SHORT))  # of short binary frames, as a server sends them


def frame_at(data: bytes, at: int) -> tuple[int, int] | None:
    """Return where the payload of the frame at `at` begins and ends, maybe beyond `data`; None: incomplete."""
    if len(data) < at + 2:
        return None
    size, start = data[at + 1] & 0x7F, at + 2
    if size >= SHORT:
        width = 2 if size == SHORT else 8
        if len(data) < start + width:
            return None
        size, start = int.from_bytes(data[start : start + width], "big"), start + width
    if data[at + 1] & MASKED:
        start += 4
    return start, start + size


def head_fault(data: bytes, at: int) -> str:
    """Return why a client may not send the frame at `at`, of which at least two bytes have come; "" if it may.

    The first bytes show that, before the payload has come (sections 5.1, 5.2 and 5.5).
    """
    first, size = data[at], data[at + 1] & 0x7F
    if first & OPCODE not in OPCODES:
        return "invalid opcode"
    if not data[at + 1] & MASKED:
        return "incorrect masking"
    if first & RESERVED:
        return "reserved bits must be 0"
    if first & OPCODE >= CONTROL:
        if size >= SHORT:
            return "control frame too long"
        if not first & FINAL:
            return "fragmented control frame"
    if size < SHORT:
        return ""
    width, least = (2, SHORT) if size == SHORT else (8, 2**16)
    if len(data) < at + 2 + width:
        return ""
    length = int.from_bytes(data[at + 2 : at + 2 + width], "big")
    if length < least:
        return "a length has to be written in as few bytes as it needs"
    return "a length has at most 63 bits" if length >= 2**63 else ""


def frame(data: bytes, *, text: bool = False) -> bytes:
    """Build a frame with a whole message, as a server sends it: unmasked, uncompressed."""
    head, size = b"\x81" if text else b"\x82", len(data)
    if size < SHORT:
        return head + size.to_bytes(1, "big") + data
    if size < 65536:
        return head + b"\x7e" + size.to_bytes(2, "big") + data
    return head + b"\x7f" + size.to_bytes(8, "big") + data


def masked_frame(data: bytes, mask: bytes, *, text: bool = False) -> bytes:
    """Build a frame with a whole message, as a client sends it, masked with four unpredictable bytes."""
    size = len(data)
    if size < SHORT:
        head = bytes((TEXT if text else BINARY, MASKED | size))
    elif size < 65536:
        head = bytes((TEXT if text else BINARY, MASKED | SHORT)) + size.to_bytes(2, "big")
    else:
        head = bytes((TEXT if text else BINARY, MASKED | SHORT + 1)) + size.to_bytes(8, "big")
    return head + mask + masked(data, mask)


def masked(payload: bytes, mask: bytes) -> bytes:
    """Return the payload XORed with `mask`; the same call masks and unmasks (section 5.3)."""
    size = len(payload)
    repeated = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "little") ^ int.from_bytes(repeated, "little")).to_bytes(size, "little")
