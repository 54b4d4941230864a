"""The wire: every message both ways in both encodings, for our codecs and for others'; and every limit.

The other codecs are the `msgpack` package and the standard library's `json`: what they write we read, and the other way
round. Whatever else arrives ends in WireError.
"""

import json
import random
import struct

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from palio_rules.errors import WireError
from palio_rules.messages import (
    MAX_DEPTH,
    MAX_INT,
    Absent,
    Back,
    Error,
    GameMessage,
    Hello,
    Info,
    Move,
    Over,
    Played,
    Ready,
    Refused,
    Rejected,
    Resign,
    Result,
    SeatOf,
    Turn,
    Welcome,
)
from palio_rules.time_control import TimeControl
from palio_rules.wire import MAX_BYTES, MAX_REASON, Encoding, decode_from_bot, decode_from_server, encode

FROM_BOT = [
    Hello("ann", ["breakthrough"]),
    Hello("ann", ["breakthrough", "dominoes"], "secret", "s-1", 8),
    Ready("m1"),
    Move("m1", 0, [[0, 1], [1, 1]]),
    Move("m1", MAX_INT, [3, -4], Info(depth=4, nodes=MAX_INT, score=-0.5, pv=["b5-b4"], text="höher")),
    Move("m1", 7, None, Info()),
    Move("m1", 7, [1.5, True, "EXIT", None, []]),
    Resign("m1"),
    Error("crashed", "Traceback\n  …", 7, "m1"),
    Error("bad-message", ""),
]
FROM_SERVER = [
    Welcome("s-1", "palio 0.1.0"),
    Refused("bad-token", "this token is unknown"),
    GameMessage(
        "m1",
        "breakthrough",
        {"rows": 8, "first": "white", "cities": [[0, 1, 2.5]]},
        "BBB/.../.../WWW black",
        0,
        [SeatOf("black", "ann"), SeatOf("white", "bob")],
        TimeControl(10_000, 100, None, 200),
        3,
    ),
    Turn("m1", 1, 0, "BBB/.../.../WWW black", [[[0, 0], [1, 0]]], [10_000, None], 10_000),
    Turn("m1", 1, 0, "", None, [], None),
    Rejected("m1", 1, "off-board", "row 7 is off the 6x6 board", 2, [1, 2]),
    Played("m1", 1, 0, [[0, 0], [1, 0]], [1, None]),
    Absent("m1", 1, 30_000),
    Back("m1", 1, 29_000),
    Over("m1", Result("rule", "reached-far-row", [1.0, 0.0])),
    Over("m1", Result("crashed", "traceback", [0.0, 1.0], 0, "KeyError: 7")),
    Error("stale-id", "turn 3 was answered already", 3, "m1"),
]
CASES = [(message, decode_from_bot) for message in FROM_BOT] + [
    (message, decode_from_server) for message in FROM_SERVER
]

PEERS = {  # how somebody else's library writes and reads
    Encoding.MSGPACK: (msgpack.packb, msgpack.unpackb),
    Encoding.JSON: (lambda value: json.dumps(value).encode(), json.loads),
}
both_encodings = pytest.mark.parametrize("encoding", list(Encoding), ids=lambda encoding: encoding.value)
MOVE = {"type": "move", "match": "m1", "id": 1, "move": [1, 2]}


def refusal(data, encoding, decode=decode_from_bot):
    """The error with which `data` is refused; any other exception goes through."""
    with pytest.raises(WireError) as caught:
        decode(data, encoding)
    assert 0 < len(str(caught.value)) <= MAX_REASON
    return caught.value


def test_every_message_of_the_protocol_is_among_the_cases():
    from palio_rules.messages import BotMessage, ServerMessage

    assert {type(message) for message in FROM_BOT} == set(BotMessage.__args__)
    assert {type(message) for message in FROM_SERVER} == set(ServerMessage.__args__)


@both_encodings
@pytest.mark.parametrize(("message", "decode"), CASES)
def test_every_message_comes_back_as_it_was_sent(message, decode, encoding):
    assert decode(encode(message, encoding), encoding) == message


@both_encodings
@pytest.mark.parametrize(("message", "decode"), CASES)
def test_other_libraries_read_and_write_every_message(message, decode, encoding):
    write, read = PEERS[encoding]
    plain = read(encode(message, encoding))
    assert plain == msgspec.to_builtins(message)
    assert decode(write(plain), encoding) == message


@both_encodings
@pytest.mark.parametrize(("message", "decode"), CASES)
def test_a_message_cut_short_anywhere_is_refused(message, decode, encoding):
    data = encode(message, encoding)
    for length in range(len(data)):
        refusal(data[:length], encoding, decode)


@both_encodings
@pytest.mark.parametrize(("message", "decode"), CASES)
def test_bytes_after_a_message_are_refused(message, decode, encoding):
    refusal(encode(message, encoding) + b"1", encoding, decode)


@both_encodings
@pytest.mark.parametrize(("message", "decode"), CASES)
def test_an_unknown_key_is_refused(message, decode, encoding):
    write, _ = PEERS[encoding]
    told = refusal(write({**msgspec.to_builtins(message), "colour": "red"}), encoding, decode)
    assert (told.code, "colour" in str(told)) == ("bad-message", True)


@both_encodings
def test_each_side_reads_only_what_is_meant_for_it(encoding):
    assert refusal(encode(FROM_SERVER[0], encoding), encoding, decode_from_bot).code == "bad-message"
    assert refusal(encode(FROM_BOT[0], encoding), encoding, decode_from_server).code == "bad-message"


@both_encodings
@settings(max_examples=300)
@given(data=st.data())
def test_bytes_that_are_changed_raise_a_wire_error_and_nothing_else(encoding, data):
    message, decode = data.draw(st.sampled_from(CASES))
    changed = bytearray(encode(message, encoding))
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    readable(bytes(changed), encoding, decode)


@both_encodings
@settings(max_examples=300)
@given(data=st.binary(max_size=200))
def test_random_bytes_raise_a_wire_error_and_nothing_else(encoding, data):
    readable(data, encoding, decode_from_bot)
    readable(data, encoding, decode_from_server)


def readable(data, encoding, decode):
    """Whether `data` can be read; what can be read can be written again."""
    try:
        message = decode(data, encoding)
    except WireError as error:
        return len(str(error)) > MAX_REASON
    return decode(encode(message, encoding), encoding) == message


# --- limits ----------------------------------------------------------------------------------------------------------


@both_encodings
def test_64_kib_is_the_most_that_is_read(encoding):
    write, _ = PEERS[encoding]
    longest = {**MOVE, "move": [0] * (20_000 if encoding is Encoding.JSON else 65_000)}
    decode_from_bot(write(longest), encoding)
    told = refusal(b" " * (MAX_BYTES + 1), encoding)
    assert (told.code, str(told)) == ("too-long", "a message has at most 65536 bytes, this one has 65537")


@both_encodings
def test_a_move_nests_six_lists_and_no_more(encoding):
    write, _ = PEERS[encoding]
    value = 1
    for _ in range(MAX_DEPTH):
        value = [value]
    assert decode_from_bot(write({**MOVE, "move": value}), encoding).move == value
    assert refusal(write({**MOVE, "move": [value]}), encoding).code == "bad-message"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"[" * 60_000, Encoding.JSON),
        (b'{"a":' * 10_000, Encoding.JSON),
        (b'{"type":"move","match":"m","id":1,"move":' + b"[" * 30_000 + b"]" * 30_000 + b"}", Encoding.JSON),
        (b"\x91" * 60_000, Encoding.MSGPACK),
        (b"\x81\xa1a" * 20_000, Encoding.MSGPACK),
        (b"\x84\xa4type\xa4move\xa5match\xa1m\xa2id\x01\xa4move" + b"\x91" * 60_000 + b"\x01", Encoding.MSGPACK),
    ],
)
def test_deep_nesting_is_refused_before_it_hurts(data, encoding):
    assert refusal(data, encoding).code in ("too-deep", "bad-message", "unreadable")


@both_encodings
@pytest.mark.parametrize("number", [MAX_INT, -MAX_INT])
def test_the_greatest_exact_integers_pass(encoding, number):
    assert decode_from_bot(encode(Move("m", 1, [number]), encoding), encoding).move == [number]


@both_encodings
@pytest.mark.parametrize("number", [MAX_INT + 1, -MAX_INT - 1, 2**63, 2**64 - 1, -(2**63)])
def test_integers_that_are_not_exact_everywhere_are_refused(encoding, number):
    write, _ = PEERS[encoding]
    for changed in ({"move": number}, {"move": [[number]]}, {"id": number}, {"info": {"nodes": number}}):
        refusal(write({**MOVE, **changed}), encoding)


def test_an_integer_of_sixty_thousand_digits_is_refused_and_cut():
    data = json.dumps(MOVE).replace("[1, 2]", "9" * 60_000).encode()
    assert str(refusal(data, Encoding.JSON)) == f"the integer {'9' * 40} lies beyond 2^53 - 1"


@both_encodings
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_not_finite_are_refused(encoding, number):
    write, _ = PEERS[encoding]
    refusal(write({**MOVE, "move": number}), encoding)
    refusal(write({**MOVE, "move": [[number]]}), encoding)
    refusal(write({**MOVE, "info": {"score": number}}), encoding)
    over = {"termination": "rule", "reason": "x", "scores": [number, 0.0]}
    refusal(write({"type": "over", "match": "m1", "outcome": over}), encoding, decode_from_server)


def test_a_json_number_that_overflows_is_refused():
    assert refusal(json.dumps(MOVE).replace("[1, 2]", "1e400").encode(), Encoding.JSON).code == "number-range"


@both_encodings
@pytest.mark.parametrize(
    "changed",
    [
        {"match": ""},
        {"match": "m" * 65},
        {"match": 7},
        {"match": None},
        {"id": -1},
        {"id": 1.0},
        {"id": True},
        {"id": "1"},
        {"move": {}},
        {"move": [{"row": 1}]},
        {"move": "x" * 8193},
        {"info": None},
        {"info": {"text": "x" * 257}},
        {"info": {"pv": ["x"] * 65}},
        {"info": {"pv": ["x" * 33]}},
        {"info": {"depth": -1}},
        {"info": {"mood": "good"}},
        {"type": "turn"},
        {"type": "mvoe"},
        {"type": 3},
        {"type": None},
    ],
    ids=str,
)
def test_a_value_of_the_wrong_type_or_size_is_refused(encoding, changed):
    write, _ = PEERS[encoding]
    assert refusal(write({**MOVE, **changed}), encoding).code == "bad-message"


@both_encodings
@pytest.mark.parametrize("name", ["", "a" * 41, "-ann", "ann smith", "ann/+/#", "änn", "ann\n", "ann\0"])
def test_a_name_that_cannot_be_a_topic_is_refused(encoding, name):
    write, _ = PEERS[encoding]
    assert refusal(write({"type": "hello", "name": name, "games": ["g"]}), encoding).code == "bad-message"


@both_encodings
@pytest.mark.parametrize("missing", ["type", "match", "id", "move"])
def test_a_missing_key_is_refused(encoding, missing):
    write, _ = PEERS[encoding]
    assert refusal(write({key: MOVE[key] for key in MOVE if key != missing}), encoding).code == "bad-message"


@both_encodings
@pytest.mark.parametrize("value", [None, 1, "move", [], [MOVE], {}])
def test_a_value_that_is_no_map_with_a_type_is_refused(encoding, value):
    write, _ = PEERS[encoding]
    assert refusal(write(value), encoding).code == "bad-message"


@both_encodings
def test_an_answer_never_quotes_more_than_a_few_hundred_characters(encoding):
    write, _ = PEERS[encoding]
    refusal(write({**MOVE, "k" * 60_000: 1}), encoding)
    refusal(write({**MOVE, "type": "t" * 60_000}), encoding)


# --- JSON ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"type":"ready","match":"m","match":"m"}', "match"),
        ('{"type":"ready","type":"ready","match":"m"}', "type"),
        ('{"type":"move","match":"m","id":1,"move":1,"info":{"depth":1,"depth":1}}', "depth"),
        ('{"type":"move","match":"m","id":1,"move":[{"a":1,"a":2}]}', "a"),
        ('{"type":"ready","match":"m","m\\u0061tch":"m"}', "match"),
    ],
)
def test_a_key_given_twice_in_json_is_refused_at_every_level(text, key):
    told = refusal(text.encode(), Encoding.JSON)
    assert (told.code, str(told)) == ("duplicate-key", f"the key {key!r} is given twice")


@pytest.mark.parametrize(
    "text", ["", " ", "nul", "{'type':'ready'}", '{"type":"ready",}', "\ufeff{}", '{"a":"\n"}', "NaN"]
)
def test_what_is_no_json_is_refused(text):
    assert refusal(text.encode(), Encoding.JSON).code in ("unreadable", "number-range")


def test_invalid_utf_8_is_refused_in_both_encodings():
    assert refusal(b'{"type":"ready","match":"\xff"}', Encoding.JSON).code == "unreadable"
    assert refusal(b"\x82\xa4type\xa5ready\xa5match\xa1\xff", Encoding.MSGPACK).code == "unreadable"


@pytest.mark.parametrize("text", ['"\\ud800"', '["\\udfff"]', '"\\ud83d\\u0041"'])
def test_half_a_character_is_refused_because_no_answer_could_quote_it(text):
    data = json.dumps(MOVE).replace("[1, 2]", text).encode()
    assert refusal(data, Encoding.JSON).code == "unreadable"


def test_a_character_spelled_in_two_escapes_is_whole():
    data = json.dumps(MOVE).replace("[1, 2]", '"\\ud83d\\ude00"').encode()
    assert decode_from_bot(data, Encoding.JSON).move == "😀"


# --- MessagePack -----------------------------------------------------------------------------------------------------


def spell(text, wide):
    """A string with the short header, or with the one for longer strings."""
    raw = text.encode()
    return bytes([0xD9, len(raw)]) + raw if wide else bytes([0xA0 | len(raw)]) + raw


def pairs(*items, wide=()):
    """A map written pair by pair, so that a key may come twice and be spelled in two ways."""
    body = b"".join(
        spell(key, number in wide) + (value if isinstance(value, bytes) else msgpack.packb(value))
        for number, (key, value) in enumerate(items)
    )
    return bytes([0x80 | len(items)]) + body


PLAIN = [("type", "move"), ("match", "m1"), ("id", 1), ("move", [1, 2])]


@pytest.mark.parametrize("wide", [(), (4,), (0, 1, 2, 3)])
@pytest.mark.parametrize("again", PLAIN, ids=lambda pair: pair[0])
@pytest.mark.parametrize("more", [[], [("info", {"depth": 1})]], ids=["flat", "with-info"])
def test_a_key_given_twice_in_messagepack_is_refused_however_it_is_spelled(again, wide, more):
    decode_from_bot(pairs(*PLAIN, *more, wide=wide))
    assert refusal(pairs(*PLAIN, again, *more, wide=wide), Encoding.MSGPACK).code == "duplicate-key"


@pytest.mark.parametrize("wide", [(), (1,)])
def test_a_key_given_twice_inside_a_map_is_refused(wide):
    info = pairs(("depth", 1), ("depth", 2), wide=wide)
    assert refusal(pairs(*PLAIN, ("info", info)), Encoding.MSGPACK).code == "duplicate-key"
    seats = b"\x91" + pairs(("name", "black"), ("bot", "ann"), ("bot", "bob"), wide=wide)
    start = msgspec.to_builtins(FROM_SERVER[2])
    message = pairs(*{**start, "seats": seats}.items())
    assert refusal(message, Encoding.MSGPACK, decode_from_server).code == "duplicate-key"
    options = pairs(("rows", 1), ("rows", 2), wide=wide)
    message = pairs(*{**start, "options": options}.items())
    assert refusal(message, Encoding.MSGPACK, decode_from_server).code == "duplicate-key"


@pytest.mark.parametrize(
    "value",
    [
        b"bytes",
        msgpack.ExtType(5, b"abc"),
        msgpack.Timestamp(1, 2),
        [b"bytes"],
        {1: 2},
        [[{"a": 1}]],
        [msgpack.ExtType(5, b"")],
    ],
    ids=repr,
)
def test_types_that_the_protocol_does_not_have_are_refused(value):
    assert refusal(msgpack.packb({**MOVE, "move": value}), Encoding.MSGPACK).code == "bad-message"


@pytest.mark.parametrize(
    "tail",
    [
        b"\xc1",  # never used
        b"\xd6\xff\xff\xff\xff\xff",  # a timestamp
        b"\xc7\x0c\xff" + b"\xff" * 12,  # a timestamp out of range
        b"\x81\x80\x01",  # a map as the key of a map
        b"\xdd\xff\xff\xff\xff",  # four billion items announced
        b"\xdf\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xff",
        b"\xcb" + struct.pack(">d", float("nan")),
        b"\xca" + struct.pack(">f", float("inf")),
    ],
    ids=repr,
)
def test_hostile_values_in_place_of_a_move_are_refused(tail):
    refusal(b"\x84\xa4type\xa4move\xa5match\xa1m\xa2id\x01\xa4move" + tail, Encoding.MSGPACK)


@pytest.mark.parametrize("key", [b"match", 5, None, ("a",)], ids=repr)
def test_keys_that_are_no_strings_are_refused(key):
    refusal(msgpack.packb({"type": "ready", "match": "m", key: 1}), Encoding.MSGPACK)


@given(seed=st.integers(0, 10**6))
def test_every_spelling_of_numbers_and_lists_is_read(seed):
    choose = random.Random(seed)
    numbers = [choose.choice([1, -1]) * choose.getrandbits(choose.randrange(1, 53)) for _ in range(20)]
    values = [
        *numbers,
        *(float(number) for number in numbers),
        [[0] * choose.randrange(40)],
        "x" * choose.randrange(300),
    ]
    packed = msgpack.packb(
        {**MOVE, "move": values, "info": {"score": 1.5, "pv": ["x"] * 20}}, use_single_float=seed % 2
    )
    message = decode_from_bot(packed)
    assert message.move[:20] == numbers
    assert message.info.pv == ["x"] * 20
    assert message.info.depth is UNSET
