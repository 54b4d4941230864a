"""What we cut and write is what `websockets` reads and writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from palio_rules.contract.codec import HEADS, MASKED, frame, frame_at, masked, masked_frame

SIZES = [0, 1, 125, 126, 65535, 65536, 70_000]


def read_by_websockets(data):
    server = ServerProtocol(state=State.OPEN, max_size=None)
    server.receive_data(data)
    [found] = server.events_received()
    return found


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("text", [False, True])
def test_a_masked_frame_is_one_whole_message(size, text):
    payload = bytes(at % 251 for at in range(size))
    found = read_by_websockets(masked_frame(payload, b"\x01\xfe\x80\x7f", text=text))
    assert (found.opcode, bytes(found.data), found.fin) == (Opcode.TEXT if text else Opcode.BINARY, payload, True)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("opcode", "text"), [(Opcode.TEXT, True), (Opcode.BINARY, False)])
def test_a_message_is_framed_as_websockets_would(size, opcode, text):
    assert frame(b"x" * size, text=text) == Frame(opcode, b"x" * size).serialize(mask=False)


def test_the_heads_of_short_frames_are_those_that_frame_writes():
    assert [head + b"x" * size for size, head in enumerate(HEADS)] == [frame(b"x" * size) for size in range(126)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mask", [True, False])
@pytest.mark.parametrize("before", [b"", b"before"])
def test_a_frame_is_found_as_soon_as_its_head_has_come(size, mask, before):
    data = before + Frame(Opcode.BINARY, b"x" * size).serialize(mask=mask)
    bounds = frame_at(data, len(before))
    assert bounds == (len(data) - size, len(data))
    assert bool(data[len(before) + 1] & MASKED) is mask
    length_known_at = bounds[0] - (4 if mask else 0)
    assert frame_at(data[:length_known_at], len(before)) == bounds
    for too_few in range(length_known_at):
        assert frame_at(data[:too_few], len(before)) is None


@given(st.binary(max_size=300), st.binary(min_size=4, max_size=4))
def test_a_payload_is_masked_byte_by_byte_with_the_mask_again_and_again(payload, mask):
    assert masked(payload, mask) == bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))


def test_masking_undoes_what_websockets_masks():
    payload = bytes(range(100))
    theirs = Frame(Opcode.BINARY, payload).serialize(mask=True)
    assert masked(theirs[6:], theirs[2:6]) == payload
