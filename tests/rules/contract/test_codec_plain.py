"""Nearly all JSON is read by a fast path, which accepts nothing that the slow one refuses, and reads the same."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.contract import codec
from palio_rules.contract.codec import Encoding, decode_from_bot, decode_from_server, encode
from palio_rules.contract.messages import BotMessage, Info, Move, Played, Ready, ServerMessage, Turn
from palio_rules.errors import WireError

SPACES = st.sampled_from(["", "", "", " ", "\t", "\n", "\r", "  "])
NUMBERS = ["0", "-0", "7", "1.0", "-1.5", "1e3", "1E400", "1e999", "-1e999", "1e-400", "NaN", "Infinity", "-Infinity"]
NUMBERS += ["01", "1.", ".5", "+1", "-", "1e", "9007199254740991", "9007199254740992", "-9007199254740992"]
NUMBERS += ["9007199254740993.0", "18446744073709551616", "9" * 30, "0." + "1" * 30, "9" * 30 + ".0"]
STRINGS = ['"m1"', '""', '"é"', '"a b"', '" a"', '":"', '","', '"a\\"b"', '"\\u00e9"', '"\\ud800"', '"a\tb"', '"\x00"']
ATOMS = st.sampled_from([*NUMBERS, *STRINGS, "true", "false", "null", "{}", '{"a":1,"a":2}'])
VALUES = st.recursive(ATOMS, lambda inner: st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]"))
INFO_KEYS = st.sampled_from(["depth", "nodes", "score", "pv", "text", "score"])


@st.composite
def objects(draw, keys, values):
    """An object as text: with keys that come twice, spaces wherever JSON allows them, and odd values."""
    pairs = []
    for key in keys:
        value = draw(values(key))
        pairs.append(f'{draw(SPACES)}"{key}"{draw(SPACES)}:{draw(SPACES)}{value}{draw(SPACES)}')
    return f"{draw(SPACES)}{{{','.join(pairs)}}}{draw(SPACES)}{draw(st.sampled_from(['', '', '', 'x', '{}', ',']))}"


@st.composite
def moves(draw):
    """Messages that are more or less a `move`."""
    usual = {"type": '"move"', "match": '"m1"', "id": "3", "move": "[[0,1],[1,1]]"}
    more = st.lists(st.sampled_from([*usual, "info", "info", "colour"]), max_size=2)
    keys = draw(st.permutations([*usual, *draw(more)]))
    infos = st.lists(INFO_KEYS, max_size=3).flatmap(lambda names: objects(names, lambda _: VALUES))

    def values(key):
        if key == "info":
            return infos | VALUES
        return st.one_of(st.just(usual.get(key, "1")), st.just(usual.get(key, "1")), VALUES)

    return draw(objects(keys, values)).encode(errors="surrogatepass")


def slow(data, decode):
    decoder, kind = (codec._from_bot, BotMessage) if decode is decode_from_bot else (codec._from_server, ServerMessage)
    return codec._decode(data, Encoding.JSON, decoder, kind)


def outcome(read):
    """What was read, or the error's code and words."""
    try:
        message = read()
    except WireError as error:
        return error.code, str(error)
    return repr(message)


def agree(data, decode):
    assert outcome(lambda: decode(data, Encoding.JSON)) == outcome(lambda: slow(data, decode)), data


@settings(max_examples=12 * settings().max_examples)
@given(moves())
def test_both_paths_accept_and_refuse_the_same_moves(data):
    agree(data, decode_from_bot)


WRITTEN = [
    (decode_from_bot, Move("m1", 3, [[0, 1], "é", 1.5], Info(4, 99, -0.5, ["b5-b4"], "x"))),
    (decode_from_bot, Move("m1", 3, 1, Info(tokens_in=5, tokens_out=7, cost=0.5, latency_ms=9))),
    (decode_from_bot, Ready("m1", again=True)),
    (decode_from_server, Turn("m1", 1, 0, "BBB/WWW black", [[[0, 0], [1, 0]]], [10_000, None], 10_000)),
    (decode_from_server, Played("m1", 1, 0, [[0, 0], [1, 0]], [1, None])),
]


@settings(max_examples=12 * settings().max_examples)
@given(data=st.data())
def test_both_paths_agree_on_bytes_that_were_changed(data):
    decode, message = data.draw(st.sampled_from(WRITTEN))
    changed = bytearray(encode(message, Encoding.JSON))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(changed) - 1))
        changed[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    agree(bytes(changed), decode)


HEAD = b'{"type":"move","match":"m1","id":3,'


@pytest.mark.parametrize(
    "data",
    [
        HEAD + b'"move":1,"move":1}',
        HEAD + b'"move":1,"move" :1}',
        HEAD + b'"move" :1,"move":1}',
        HEAD + b'"move":1,"type":"move"}',
        HEAD + b'"move":1,"info":{"nodes":1,"nodes" :2}}',
        HEAD + b'"move":1,"info":{"score":9007199254740993}}',
        HEAD + b'"move":"\xed\xa0\x80"}',
        HEAD + b'"move":"\\ud800"}',
        HEAD + b'"move":1} 1',
        b"\xef\xbb\xbf" + HEAD + b'"move":1}',
    ],
)
def test_what_a_fast_reader_would_let_pass_is_refused(data):
    with pytest.raises(WireError):
        decode_from_bot(data, Encoding.JSON)
    agree(data, decode_from_bot)


@pytest.mark.parametrize(("decode", "message"), WRITTEN)
def test_what_programs_usually_write_takes_the_fast_path(decode, message, monkeypatch):
    monkeypatch.setattr(codec, "_parse_json", None)
    compact = encode(message, Encoding.JSON)
    assert decode(compact, Encoding.JSON) == message
    if b"\xc3" not in compact:  # the standard library would write that one with an escape
        assert decode(json.dumps(json.loads(compact)).encode(), Encoding.JSON) == message
