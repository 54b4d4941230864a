"""The wire: every message both ways in both encodings, for our codecs and for others'; and every limit.

The other codecs are the `msgpack` package and the standard library's `json`: what they write we read, and the other way
round. Whatever else arrives ends in WireError.
"""

import json

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.contract.codec import MAX_REASON, Encoding, decode_from_bot, decode_from_server, encode
from palio_rules.contract.messages import (
    MAX_INT,
    Absent,
    Back,
    Draw,
    DrawOffered,
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
    ServerStopping,
    Turn,
    Welcome,
)
from palio_rules.errors import WireError
from palio_rules.time_control import TimeControl

FROM_BOT = [
    Hello("ann", ["breakthrough"]),
    Hello("ann", ["breakthrough", "dominoes"], "secret", "s-1", 8),
    Ready("m1"),
    Move("m1", 0, [[0, 1], [1, 1]]),
    Move("m1", MAX_INT, [3, -4], Info(depth=4, nodes=MAX_INT, score=-0.5, pv=["b5-b4"], text="höher")),
    Move("m1", 7, None, Info()),
    Move("m1", 7, None, Info(tokens_in=10**9, tokens_out=0, cost=10_000.0, latency_ms=10**9)),
    Move("m1", 7, None, Info(seldepth=31, nps=MAX_INT, hashfull=1000, tbhits=0, wdl=[1000, 0, 0])),
    Move("m1", 7, [1.5, True, "EXIT", None, []]),
    Resign("m1"),
    Resign("m1", "no move after 3 answers"),
    Draw("m1"),
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
        draw_offers=True,
    ),
    DrawOffered("m1", 1),
    Turn("m1", 1, 0, "BBB/.../.../WWW black", [[[0, 0], [1, 0]]], [10_000, None], 10_000),
    Turn("m1", 1, 0, "", None, [], None),
    Rejected("m1", 1, "off-board", "row 7 is off the 6x6 board", 2, [1, 2]),
    Played("m1", 1, 0, [[0, 0], [1, 0]], [1, None]),
    Absent("m1", 1, 30_000),
    Back("m1", 1, 29_000),
    Over("m1", Result("rule", "reached-far-row", [1.0, 0.0])),
    Over("m1", Result("crashed", "traceback", [0.0, 1.0], 0, "KeyError: 7")),
    Error("stale-id", "turn 3 was answered already", 3, "m1"),
    ServerStopping("an update", 60_000),
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
    from palio_rules.contract.messages import BotMessage, ServerMessage

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
    refused = refusal(write({**msgspec.to_builtins(message), "colour": "red"}), encoding, decode)
    assert (refused.code, "colour" in str(refused)) == ("bad-message", True)


@both_encodings
def test_each_side_reads_only_what_is_meant_for_it(encoding):
    assert refusal(encode(FROM_SERVER[0], encoding), encoding, decode_from_bot).code == "bad-message"
    assert refusal(encode(FROM_BOT[0], encoding), encoding, decode_from_server).code == "bad-message"


@both_encodings
@settings(max_examples=3 * settings().max_examples)
@given(data=st.data())
def test_bytes_that_are_changed_raise_a_wire_error_and_nothing_else(encoding, data):
    message, decode = data.draw(st.sampled_from(CASES))
    changed = bytearray(encode(message, encoding))
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    readable(bytes(changed), encoding, decode)


@both_encodings
@settings(max_examples=3 * settings().max_examples)
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
