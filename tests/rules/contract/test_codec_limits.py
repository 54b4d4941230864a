"""The wire's limits: data that is too long, too deep, too great or of no known type ends in WireError."""

import json
import random
import struct

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from palio_rules.contract.codec import MAX_BYTES, MAX_REASON, Encoding, decode_from_bot, decode_from_server, encode
from palio_rules.contract.messages import MAX_DEPTH, MAX_INT, Info, Move, Ready
from palio_rules.errors import WireError

WRITERS = {Encoding.MSGPACK: msgpack.packb, Encoding.JSON: lambda value: json.dumps(value).encode()}  # of others
both_encodings = pytest.mark.parametrize("encoding", list(Encoding), ids=lambda encoding: encoding.value)
MOVE = {"type": "move", "match": "m1", "id": 1, "move": [1, 2]}


def refusal(data, encoding, decode=decode_from_bot):
    """The error with which `data` is refused; any other exception goes through."""
    with pytest.raises(WireError) as caught:
        decode(data, encoding)
    assert 0 < len(str(caught.value)) <= MAX_REASON
    return caught.value


@both_encodings
def test_64_kib_is_the_most_that_is_read(encoding):
    write = WRITERS[encoding]
    longest = {**MOVE, "move": [0] * (20_000 if encoding is Encoding.JSON else 65_000)}
    decode_from_bot(write(longest), encoding)
    refused = refusal(b" " * (MAX_BYTES + 1), encoding)
    assert (refused.code, str(refused)) == ("too-long", "a message has at most 65536 bytes, this one has 65537")


@both_encodings
def test_a_move_nests_six_lists_and_no_more(encoding):
    write = WRITERS[encoding]
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
    write = WRITERS[encoding]
    for changed in ({"move": number}, {"move": [[number]]}, {"id": number}, {"info": {"nodes": number}}):
        refusal(write({**MOVE, **changed}), encoding)


@pytest.mark.parametrize("text", ["9" * 60_000, "-" + "9" * 60_000, "0." + "9" * 60_000 + "e999", "1e400", "-1e400"])
def test_a_json_number_that_is_too_great_is_refused(text):
    data = json.dumps(MOVE).replace("[1, 2]", text).encode()
    assert refusal(data, Encoding.JSON).code == "bad-message"


@both_encodings
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_not_finite_are_refused(encoding, number):
    write = WRITERS[encoding]
    refusal(write({**MOVE, "move": number}), encoding)
    refusal(write({**MOVE, "move": [[number]]}), encoding)
    refusal(write({**MOVE, "info": {"score": number}}), encoding)
    over = {"termination": "rule", "reason": "x", "scores": [number, 0.0]}
    refusal(write({"type": "over", "match": "m1", "outcome": over}), encoding, decode_from_server)


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
    write = WRITERS[encoding]
    assert refusal(write({**MOVE, **changed}), encoding).code == "bad-message"


@both_encodings
@pytest.mark.parametrize("name", ["", "a" * 65, "-ann", "ann smith", "ann/+/#", "änn", "ann\n", "ann\0"])
def test_a_name_that_cannot_be_a_topic_is_refused(encoding, name):
    write = WRITERS[encoding]
    assert refusal(write({"type": "hello", "name": name, "games": ["g"]}), encoding).code == "bad-message"


@both_encodings
@pytest.mark.parametrize("missing", ["type", "match", "id", "move"])
def test_a_missing_key_is_refused(encoding, missing):
    write = WRITERS[encoding]
    assert refusal(write({key: MOVE[key] for key in MOVE if key != missing}), encoding).code == "bad-message"


@both_encodings
@pytest.mark.parametrize("value", [None, 1, "move", [], [MOVE], {}])
def test_a_value_that_is_no_map_with_a_type_is_refused(encoding, value):
    write = WRITERS[encoding]
    assert refusal(write(value), encoding).code == "bad-message"


@both_encodings
def test_an_answer_never_quotes_more_than_a_few_hundred_characters(encoding):
    write = WRITERS[encoding]
    refusal(write({**MOVE, "k" * 60_000: 1}), encoding)
    refusal(write({**MOVE, "type": "t" * 60_000}), encoding)


# --- JSON ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"type":"ready","match":"m","match":"n"}', Ready("n")),
        ('{"type":"ready","match" :"m","match"\t:"n"}', Ready("n")),
        ('{"type":"ready","type":"ready","match":"n"}', Ready("n")),
        ('{"type":"ready","match":"m","m\\u0061tch":"n"}', Ready("n")),
        ('{"type":"move","match":"m","id":1,"move":1,"info":{"depth":1,"depth":2}}', Move("m", 1, 1, Info(depth=2))),
    ],
)
def test_of_a_key_given_twice_in_json_the_last_value_counts(text, message):
    assert decode_from_bot(text.encode(), Encoding.JSON) == message


def test_every_value_of_a_key_given_twice_is_held_to_the_limits():
    for id_ in ("-1", "true", str(MAX_INT + 1)):
        refusal(f'{{"type":"move","match":"m","id":{id_},"move":1,"id":1}}'.encode(), Encoding.JSON)
        refusal(f'{{"type":"move","match":"m","id":1,"move":1,"id":{id_}}}'.encode(), Encoding.JSON)


@pytest.mark.parametrize(
    "text", ["", " ", "nul", "{'type':'ready'}", '{"type":"ready",}', "\ufeff{}", '{"a":"\n"}', "NaN"]
)
def test_what_is_no_json_is_refused(text):
    assert refusal(text.encode(), Encoding.JSON).code == "unreadable"


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
@pytest.mark.parametrize("more", [[], [("info", {"depth": 1})]], ids=["flat", "with-info"])
def test_of_a_key_given_twice_in_messagepack_the_last_value_counts(wide, more):
    assert decode_from_bot(pairs(*PLAIN, ("id", 2), *more, wide=wide)).id == 2


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
