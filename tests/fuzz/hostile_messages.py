"""Messages that no library would write, built byte by byte; and such as were damaged on their way."""

import random
import struct

from palio_rules.contract.codec import MAX_BYTES, Encoding
from palio_rules.contract.messages import Draw, Hello, Info, Move, Ready, Resign

JSON, MSGPACK = Encoding.JSON, Encoding.MSGPACK


def json_move(move: str, more: str = "") -> bytes:
    return f'{{"type":"move","match":"m1","id":1,"move":{move}{more}}}'.encode("utf-8", "surrogatepass")


def msgpack_move(move: bytes, more: bytes = b"", pairs: int = 4) -> bytes:
    return bytes([0x80 | pairs]) + b"\xa4type\xa4move\xa5match\xa2m1\xa2id\x01\xa4move" + move + more


def float64(number: float) -> bytes:
    return b"\xcb" + struct.pack(">d", number)


NAN, INFINITY = float("nan"), float("inf")
DEPTH = 60_000  # as deep as a message can be
HOSTILE = {
    # numbers that are none
    "NaN": (JSON, json_move("NaN")),
    "Infinity": (JSON, json_move("[-Infinity]")),
    "1e999": (JSON, json_move("1e999")),
    "NaN in msgpack": (MSGPACK, msgpack_move(float64(NAN))),
    "infinity in msgpack": (MSGPACK, msgpack_move(b"\x91" + float64(-INFINITY))),
    "infinity as float32": (MSGPACK, msgpack_move(b"\xca" + struct.pack(">f", INFINITY))),
    "NaN as a score": (JSON, json_move("1", ',"info":{"score":NaN}')),
    "NaN as a score in msgpack": (MSGPACK, msgpack_move(b"\x01", b"\xa4info\x81\xa5score" + float64(NAN), 5)),
    # integers that are too long
    "5,000 digits": (JSON, json_move("9" * 5_000)),
    "30 digits": (JSON, json_move("1" * 30)),
    "30 digits in an id": (JSON, b'{"type":"move","match":"m1","id":' + b"1" * 30 + b',"move":1}'),
    "uint64 in msgpack": (MSGPACK, msgpack_move(b"\xcf" + b"\xff" * 8)),
    "int64 in msgpack": (MSGPACK, msgpack_move(b"\xd3\x80" + b"\x00" * 7)),
    # something else where an integer belongs
    "true as an id": (JSON, b'{"type":"move","match":"m1","id":true,"move":1}'),
    "1.0 as an id": (JSON, b'{"type":"move","match":"m1","id":1.0,"move":1}'),
    "1e0 as an id": (JSON, b'{"type":"move","match":"m1","id":1e0,"move":1}'),
    "true as an id in msgpack": (MSGPACK, b"\x84\xa4type\xa4move\xa5match\xa2m1\xa2id\xc3\xa4move\x01"),
    "1.0 as an id in msgpack": (MSGPACK, b"\x84\xa4type\xa4move\xa5match\xa2m1\xa2id" + float64(1.0) + b"\xa4move\x01"),
    # nesting
    "deep lists": (JSON, json_move("[" * (DEPTH // 2) + "]" * (DEPTH // 2))),
    "deep objects": (JSON, b'{"a":' * (DEPTH // 6)),
    "deep lists in msgpack": (MSGPACK, msgpack_move(b"\x91" * DEPTH + b"\x01")),
    "deep maps in msgpack": (MSGPACK, b"\x81\xa1a" * (DEPTH // 3)),
    "nested array32": (MSGPACK, (b"\xdd\x00\x00\x00\x01" * (MAX_BYTES // 5))[:MAX_BYTES]),
    "nested array32 as a move": (MSGPACK, msgpack_move(b"\xdd\xff\xff\xff\xff" * 13_000)),
    "array32 of many in six levels": (MSGPACK, msgpack_move(b"\xdd\x00\xff\xff\xff" * 6 + b"\x01" * 60_000)),
    "map32 of many": (MSGPACK, b"\xdf\xff\xff\xff\xff" + b"\xa1a\x01" * 20_000),
    "str32 of many": (MSGPACK, msgpack_move(b"\xdb\xff\xff\xff\xff" + b"a" * 60_000)),
    # types, texts, ends
    "an extension": (MSGPACK, msgpack_move(b"\xd4\x05\x01")),
    "a timestamp": (MSGPACK, msgpack_move(b"\xd6\xff\x00\x00\x00\x00")),
    "binary": (MSGPACK, msgpack_move(b"\xc4\x01a")),
    "bad UTF-8": (MSGPACK, msgpack_move(b"\xa2\xff\xfe")),
    "bad UTF-8 in JSON": (JSON, b'{"type":"move","match":"m1","id":1,"move":"\xff\xfe"}'),
    "half a character": (JSON, json_move('"\\ud800"')),
    "half a character in bytes": (JSON, json_move('"\ud800"')),
    "half a character in msgpack": (MSGPACK, msgpack_move(b"\xa3\xed\xa0\x80")),
    "bytes behind": (JSON, json_move("1") + b"1"),
    "an object behind": (JSON, json_move("1") * 2),
    "bytes behind in msgpack": (MSGPACK, msgpack_move(b"\x01\x01")),
    "an object behind in msgpack": (MSGPACK, msgpack_move(b"\x01") * 2),
    "a mark of byte order": (JSON, b"\xef\xbb\xbf" + json_move("1")),
    "UTF-16": (JSON, json_move("1").decode().encode("utf-16")),
    # keys
    "an unknown key": (JSON, json_move("1", ',"time_ms":1')),
    "an unknown key in msgpack": (MSGPACK, msgpack_move(b"\x01", b"\xa4time\x01", 5)),
    "an unknown key within": (JSON, json_move("1", ',"info":{"elo":1}')),
    "nothing": (JSON, b""),
    "nothing in msgpack": (MSGPACK, b""),
}


SAID = [
    Hello("ann", ["breakthrough"], token="secret", slots=3),
    Ready("m1", again=True),
    Move("m1", 3, [[0, 1], "é", 1.5, None], Info(4, 99, -0.5, ["b5-b4"], "x")),
    Resign("m1"),
    Draw("m1"),
]


def damaged(data: bytes, choose: random.Random) -> bytes:
    """With some bytes changed, cut out, doubled or put in; or others altogether."""
    if choose.random() < 0.1:
        return choose.randbytes(choose.randrange(200))
    changed = bytearray(data)
    for _ in range(choose.randrange(1, 5)):
        at = choose.randrange(len(changed) + 1)
        piece = choose.choice([choose.randbytes(1), choose.randbytes(3), bytes(changed[:at][-4:]), b""])
        changed[at : at + choose.randrange(3)] = piece
    return bytes(changed)
