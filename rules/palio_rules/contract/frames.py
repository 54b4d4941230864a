"""Frames of a WebSocket (RFC 6455, section 5.2), as far as both sides touch them themselves.

Whole messages in one frame each, which is what nearly all frames are; what else there is belongs to the library
`websockets`.
"""

BINARY, TEXT = 0x82, 0x81  # first byte of a frame that is a whole message
SHORT = 126  # bytes; a payload of fewer has its length in the second byte
MASKED = 0x80  # in the second byte; whatever comes from a client has to be
FINAL, RESERVED, OPCODE = 0x80, 0x70, 0x0F  # bits of the first byte
OPCODES = {0x0, 0x1, 0x2, 0x8, 0x9, 0xA}  # those that there are: a part, text, binary; close, ping, pong
CONTROL = 0x8  # opcodes from here on are of control frames, which may come between the parts of a message
HEADS = tuple(bytes([BINARY, size]) for size in range(SHORT))  # of short binary frames, as a server sends them


def frame_at(data: bytes, at: int) -> tuple[int, int] | None:
    """Where the payload of the frame at `at` begins and ends, perhaps beyond `data`; None: too little has come."""
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
    """Why the frame at `at`, of which two bytes have come at least, is none that a client may send; "": it may.

    Its first bytes show that, before its payload has come (sections 5.1, 5.2 and 5.5).
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
    """A whole message in one frame, as a server sends it: unmasked, uncompressed."""
    head, size = b"\x81" if text else b"\x82", len(data)
    if size < SHORT:
        return head + size.to_bytes(1, "big") + data
    if size < 65536:
        return head + b"\x7e" + size.to_bytes(2, "big") + data
    return head + b"\x7f" + size.to_bytes(8, "big") + data


def masked_frame(data: bytes, mask: bytes, *, text: bool = False) -> bytes:
    """A whole message in one frame, as a client sends it, masked with four bytes that nobody could foresee."""
    size = len(data)
    if size < SHORT:
        head = bytes((TEXT if text else BINARY, MASKED | size))
    elif size < 65536:
        head = bytes((TEXT if text else BINARY, MASKED | SHORT)) + size.to_bytes(2, "big")
    else:
        head = bytes((TEXT if text else BINARY, MASKED | SHORT + 1)) + size.to_bytes(8, "big")
    return head + mask + masked(data, mask)


def masked(payload: bytes, mask: bytes) -> bytes:
    """The payload with `mask` over it, or without it if it was there (section 5.3)."""
    size = len(payload)
    repeated = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "little") ^ int.from_bytes(repeated, "little")).to_bytes(size, "little")
