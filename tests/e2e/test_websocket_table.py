"""RFC 6455, frame by frame, on the sockets of bots and of viewers alike.

The sections have the numbers of the Autobahn test suite, whose cases they follow; where that has an echo server
answer, a ping shows here that the server still reads.
"""

import base64
import os
from collections.abc import Iterator
from itertools import chain

import pytest
from served_thread import Peer, served

from palio_rules.contract.codec import MAX_BYTES, frame_at, masked

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
OPEN = None  # the server reads on
ECHO = "echo"  # of an empty goodbye
PATHS = ["/ws/bot", "/ws/live"]
GREEK = "κόσμε".encode()
MASK = b"\x11\x22\x33\x44"


def f(opcode: int, data: bytes = b"", *, fin: bool = True, rsv: int = 0, mask: bool = True, width: int = 0) -> bytes:
    """A frame as a client sends it; `width`: bytes of its length, more than it needs, perhaps."""
    size = len(data)
    width = width or (1 if size < 126 else 2 if size < 65536 else 8)
    bit = 0x80 if mask else 0
    length = bytes([bit | size]) if width == 1 else bytes([bit | (126 if width == 2 else 127)])
    if width > 1:
        length += size.to_bytes(width, "big")
    return bytes([(0x80 if fin else 0) | rsv << 4 | opcode]) + length + (MASK + masked(data, MASK) if mask else data)


def parts(opcode: int, *data: bytes) -> bytes:
    """A message in as many frames as there are pieces of it."""
    last = len(data) - 1
    return b"".join(f(opcode if n == 0 else CONT, piece, fin=n == last) for n, piece in enumerate(data))


def bytewise(data: bytes) -> tuple[bytes, ...]:
    return tuple(data[at : at + 1] for at in range(len(data)))


def closing(code: int, reason: bytes = b"") -> bytes:
    return f(CLOSE, code.to_bytes(2, "big") + reason)


def framing() -> Iterator[tuple[str, object, bytes]]:
    for number, (kind, name) in enumerate(((TEXT, "text"), (BINARY, "binary")), 1):
        for size in (0, 125, 126, 127, 128, 65535, 65536):
            yield f"1.{number} {name} of {size} bytes", OPEN, f(kind, b"*" * size)
    yield "1.3 not masked", 1002, f(TEXT, b"hello", mask=False)
    yield "1.3 a ping that is not masked", 1002, f(PING, b"hello", mask=False)
    yield "1.4 125 bytes, their length in two more", 1002, f(TEXT, b"*" * 125, width=2)
    yield "1.4 126 bytes, their length in eight more", 1002, f(BINARY, b"*" * 126, width=8)
    yield "1.4 65535 bytes, their length in eight more", 1002, f(TEXT, b"*" * 65535, width=8)
    yield "1.4 an empty one, its length in two more", 1002, f(BINARY, b"", width=2)
    yield "1.4 a part, its length in two more", 1002, f(TEXT, b"a", fin=False) + f(CONT, b"b", width=2)
    yield "1.4 such a head alone", 1002, f(TEXT, b"*" * 125, width=2)[:4]
    yield "1.4 a length of 64 bits", 1002, b"\x82\xff" + (2**63).to_bytes(8, "big")


def pings() -> Iterator[tuple[str, object, bytes]]:
    yield "2.1 an empty ping", OPEN, f(PING)
    yield "2.3 a ping that is no UTF-8", OPEN, f(PING, b"\x00\xff\xfe\xfd\xfc\xfb\x00\xff")
    yield "2.4 a ping of 125 bytes", OPEN, f(PING, b"\xfe" * 125)
    yield "2.5 a ping of 126 bytes", 1002, f(PING, b"\xfe" * 126)
    yield "2.5 its head alone", 1002, f(PING, b"\xfe" * 126)[:2]
    yield "2.7 a pong that nobody asked for", OPEN, f(PONG)
    yield "2.8 one with a payload", OPEN, f(PONG, b"unsolicited")
    yield "2.8 a pong of 126 bytes", 1002, f(PONG, b"u" * 126)
    yield "2.9 a pong, and a ping", OPEN, f(PONG, b"unsolicited") + f(PING, b"hello")
    yield "2.10 ten pings", OPEN, b"".join(f(PING, bytes([n])) for n in range(10))


def reserved_bits() -> Iterator[tuple[str, object, bytes]]:
    for rsv in range(1, 8):
        for kind, name in ((TEXT, "a text"), (BINARY, "a binary"), (PING, "a ping"), (CLOSE, "a goodbye")):
            data = b"\x03\xe8" if kind == CLOSE else b"hello"
            yield f"3.{rsv} {name}", 1002, f(kind, data, rsv=rsv)
        yield f"3.{rsv} after a text", 1002, f(TEXT, b"hello") + f(TEXT, b"hello", rsv=rsv) + f(PING)
        yield f"3.{rsv} on a part", 1002, f(TEXT, b"a", fin=False) + f(CONT, b"b", rsv=rsv)


def opcodes() -> Iterator[tuple[str, object, bytes]]:
    for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
        section = 1 if opcode < 8 else 2
        yield f"4.{section} opcode {opcode}", 1002, f(opcode)
        yield f"4.{section} opcode {opcode} with a payload", 1002, f(opcode, b"reserved")
        yield f"4.{section} opcode {opcode} after a text", 1002, f(TEXT, b"hello") + f(opcode, b"x") + f(PING)
        yield f"4.{section} opcode {opcode} as a part", 1002, f(opcode, b"x", fin=False)


def fragments() -> Iterator[tuple[str, object, bytes]]:
    yield "5.1 a ping in parts", 1002, parts(PING, b"a", b"b")
    yield "5.2 a pong in parts", 1002, parts(PONG, b"a", b"b")
    yield "5.2 a goodbye in parts", 1002, parts(CLOSE, b"\x03", b"\xe8")
    yield "5.3 a text in two parts", OPEN, parts(TEXT, b"frag", b"ment")
    yield "5.6 a ping between", OPEN, f(TEXT, b"a", fin=False) + f(PING, b"x") + f(CONT, b"b")
    yield "5.6 a pong between", OPEN, f(BINARY, b"a", fin=False) + f(PONG, b"x") + f(CONT, b"b")
    yield "5.9 a part of nothing", 1002, f(CONT, b"x") + f(TEXT, b"hello")
    yield "5.12 a part of nothing that is not the last", 1002, f(CONT, b"x", fin=False) + f(TEXT, b"hello")
    yield "5.15 a part after the last one", 1002, parts(TEXT, b"a", b"b") + f(CONT, b"c", fin=False)
    yield "5.16 an empty part of nothing", 1002, f(CONT) * 2
    yield "5.18 a text within a text", 1002, f(TEXT, b"a", fin=False) + f(TEXT, b"b")
    yield "5.18 a binary within a text", 1002, f(TEXT, b"a", fin=False) + f(BINARY, b"b", fin=False)
    yield "5.18 a whole short binary within a text", 1002, f(TEXT, b"a", fin=False) + f(BINARY, b"b" * 20)
    yield (
        "5.19 five parts, pings between",
        OPEN,
        b"".join(f(TEXT if n == 0 else CONT, b"part", fin=n == 4) + f(PING, b"p") for n in range(5)),
    )
    yield "5.20 empty parts", OPEN, parts(TEXT, b"", b"", b"")
    yield "5.20 many parts", OPEN, parts(BINARY, *[b"x"] * 60)


GOOD = (
    b"\0", b"\x7f", b"\xc2\x80", b"\xdf\xbf", b"\xe0\xa0\x80", b"\xed\x9f\xbf", b"\xee\x80\x80", b"\xef\xbf\xbd",
    b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xf0\x90\x80\x80", b"\xf0\x9f\xbf\xbe", b"\xf4\x8f\xbf\xbf", b"\xef\xbb\xbf",
)  # fmt: skip
BAD = (
    b"\x80", b"\xbf", b"\x80\xbf\x80\xbf", bytes(range(0x80, 0xC0)), b"\xc0\x20\xc1\x20", b"\xe0\x20\xe1", b"\xf0\x20",
    b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80", b"\xfe", b"\xff", b"\xfe\xfe\xff\xff", b"\xc0\xaf",
    b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"\xc0\x80",
    b"\xed\xa0\x80", b"\xed\xad\xbf", b"\xed\xbf\xbf", b"\xed\xa0\x80\xed\xb0\x80", b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80", b"\xf7\xbf\xbf\xbf", b"\xe2\x28\xa1",
)  # fmt: skip
UNFINISHED = (b"\xc2", b"\xe1\xbd", b"\xf0\x9f\x90", b"\xe0\xa0", b"\xf4\x8f\xbf", b"\xed\x9f")


def texts() -> Iterator[tuple[str, object, bytes]]:
    yield "6.1 empty", OPEN, f(TEXT)
    yield "6.2 whole", OPEN, f(TEXT, GREEK + b"-" * 200 + GREEK)
    yield "6.2 in parts, between characters", OPEN, parts(TEXT, GREEK, GREEK)
    yield "6.2 in parts, within characters", OPEN, parts(TEXT, *bytewise(GREEK))
    yield "6.2 in parts, some empty", OPEN, parts(TEXT, GREEK[:1], b"", GREEK[1:], b"")
    yield (
        "6.2 in parts, a ping within a character",
        OPEN,
        (f(TEXT, GREEK[:1], fin=False) + f(PING, b"\xff") + f(CONT, GREEK[1:])),
    )
    for good in GOOD:
        yield f"6.7 {good.hex()}", OPEN, f(TEXT, b"a" + good + b"z")
        yield f"6.7 {good.hex()}, byte by byte", OPEN, parts(TEXT, *bytewise(b"a" + good + b"z"))
    for bad in BAD:
        for name, around in (("", b""), (" in a long one", b"-" * 300)):
            yield f"6.3 {bad.hex()}{name}", 1007, f(TEXT, around + b"a" + bad + b"z" + around)
        yield f"6.3 {bad.hex()}, byte by byte", 1007, parts(TEXT, *bytewise(b"a" + bad + b"z"))
        yield f"6.4 {bad.hex()}, and no more comes", 1007, f(TEXT, GREEK + bad + b"z", fin=False)
        cut = len(GREEK + bad + b"z") + 6
        yield f"6.4 {bad.hex()} in a frame that has not come whole", 1007, f(TEXT, GREEK + bad + b"z" * 90)[:cut]
        long = len(GREEK + bad + b"z") + 8
        yield f"6.4 {bad.hex()} in a long frame", 1007, f(TEXT, GREEK + bad + b"z" * 900)[:long]
        yield f"6.4 {bad.hex()} in a binary", OPEN, f(BINARY, bad)
    for end in UNFINISHED:
        yield f"6.6 {end.hex()} at the end", 1007, f(TEXT, GREEK + end)
        yield f"6.6 {end.hex()} at the end of the last part", 1007, parts(TEXT, GREEK, end)
        yield f"6.6 {end.hex()} before an empty last part", 1007, parts(TEXT, GREEK + end, b"")
        yield f"6.6 {end.hex()} so far", OPEN, f(TEXT, GREEK + end, fin=False)
    yield "6.4 the first half of a pair of surrogates, and no more comes", 1007, f(TEXT, b"\xed\xa0", fin=False)
    yield "6.4 beyond the last character, and no more comes", 1007, f(TEXT, b"\xf4\x90", fin=False)
    yield "6.6 a good one after one", OPEN, parts(TEXT, GREEK, GREEK) + f(TEXT, GREEK) + parts(TEXT, GREEK, b"")


def goodbyes() -> Iterator[tuple[str, object, bytes]]:
    yield "7.1 after a message", 1000, f(TEXT, b"hello") + closing(1000)
    yield "7.1 two", 1000, closing(1000) * 2
    yield "7.1 a ping after it", 1000, closing(1000) + f(PING)
    yield "7.1 a text after it", 1000, closing(1000) + f(TEXT, b"hello")
    yield "7.1 garbage after it", 1000, closing(1000) + b"\xff" * 200
    yield "7.1 between two parts", 1000, f(TEXT, b"a", fin=False) + closing(1000) + f(CONT, b"b")
    yield "7.1 between two parts of a binary", 1001, f(BINARY, b"a", fin=False) + closing(1001)
    yield "7.1 within a character", 1000, f(TEXT, GREEK[:1], fin=False) + closing(1000, b"enough")
    yield "7.1 amid a longest message", 1000, f(BINARY, b"*" * MAX_BYTES, fin=False) + closing(1000, b"*" * 123)
    yield "7.1 an empty one between two parts", ECHO, f(TEXT, b"a", fin=False) + f(CLOSE)
    yield "7.3 empty", ECHO, f(CLOSE)
    yield "7.3 of one byte", 1002, f(CLOSE, b"\x03")
    yield "7.3 with a reason", 1000, closing(1000, GREEK)
    yield "7.3 with the longest reason", 1000, closing(1000, b"*" * 123)
    yield "7.3 with a longer one", 1002, closing(1000, b"*" * 124)
    yield "7.5 with a reason that is no UTF-8", 1007, closing(1000, GREEK + b"\xed\xa0\x80edited")
    for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999):
        yield f"7.7 code {code}", code, closing(code)
    for code in (0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535):
        yield f"7.9 code {code}", 1002, closing(code)
        yield f"7.9 code {code} with a reason", 1002, closing(code, b"because")


def limits() -> Iterator[tuple[str, object, bytes]]:
    for kind, name in ((TEXT, "text"), (BINARY, "binary")):
        yield f"9.1 the longest {name}", OPEN, f(kind, b"*" * MAX_BYTES)
        yield f"9.1 a {name} that is a byte longer", 1009, f(kind, b"*" * (MAX_BYTES + 1))
        yield f"9.1 the head of a {name} that is", 1009, f(kind, b"*" * (MAX_BYTES + 1))[:10]
        yield f"9.1 a {name} of 16 MiB", 1009, f(kind, b"*" * 2**24)
        yield f"9.2 the longest {name} in parts", OPEN, parts(kind, *[b"*" * (MAX_BYTES // 16)] * 16)
        yield f"9.3 a {name} in parts that is longer", 1009, parts(kind, *[b"*" * (MAX_BYTES // 16)] * 16, b"*")
        yield f"9.3 a {name} of 4 MiB in parts", 1009, parts(kind, *[b"*" * 2**16] * 64)
        yield (
            f"9.4 the longest {name} and a ping between",
            OPEN,
            (f(kind, b"*" * (MAX_BYTES - 1), fin=False) + f(PING, b"p" * 125) + f(CONT, b"*")),
        )
    yield "9.5 the longest length that there is", 1009, b"\x82\xff" + (2**63 - 1).to_bytes(8, "big")


TABLE = [*chain(framing(), pings(), reserved_bits(), opcodes(), fragments(), texts(), goodbyes(), limits())]
CASES = [pytest.param(*case[1:], id=case[0]) for case in TABLE]
SHORT = [pytest.param(*case[1:], id=case[0]) for case in TABLE if len(case[2]) <= 60]  # worth sending byte by byte


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[tuple[str, int]]:
    with served(tmp_path_factory.mktemp("websockets")) as address:
        yield address


def opened(address: tuple[str, int], path: str) -> Peer:
    peer = Peer(address)
    key = base64.b64encode(os.urandom(16)).decode()
    peer.send(
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert peer.until(b"\r\n\r\n").startswith(b"HTTP/1.1 101 ")
    return peer


def answers(peer: Peer) -> Iterator[tuple[int, bytes]]:
    """The frames that the server sends, by opcode and payload, until the connection ends."""
    while True:
        while (bounds := frame_at(peer.got, 0)) is None or len(peer.got) < bounds[1]:
            if not peer.more():
                assert peer.got == b"", "the connection ends with a whole frame"
                return
        first, data = peer.got[0], peer.got[slice(*bounds)]
        assert first & 0xF0 == 0x80, "the server sends whole messages"
        peer.got = peer.got[bounds[1] :]
        yield first & 0x0F, data


def check(peer: Peer, pieces: tuple[bytes, ...], expected: object) -> None:
    try:
        for piece in pieces:
            peer.send(piece)
        if expected is OPEN:
            peer.send(f(PING, b"still there?"))
    except ConnectionError:
        assert expected is not OPEN
    heard = []
    for opcode, data in answers(peer):
        if opcode == PONG and data == b"still there?":
            assert expected is OPEN
            return
        if opcode in (CLOSE, PONG):
            heard.append((opcode, data))
    assert heard, "it ends without a goodbye"
    (opcode, data), before = heard[-1], heard[:-1]
    assert opcode == CLOSE
    assert CLOSE not in dict(before), "it says goodbye once"
    assert (ECHO if data == b"" else int.from_bytes(data[:2], "big")) == expected


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("expected", "data"), CASES)
def test_frames_are_read_as_the_standard_says(address, path, expected, data) -> None:
    peer = opened(address, path)
    with peer.socket:
        check(peer, (data,), expected)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("expected", "data"), SHORT)
def test_frames_are_read_the_same_byte_by_byte(address, path, expected, data) -> None:
    peer = opened(address, path)
    with peer.socket:
        check(peer, bytewise(data), expected)
