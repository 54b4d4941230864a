"""What we cut and write is what `websockets` reads and writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from palio_rules.contract.frames import MASKED, frame_at, masked, masked_frame

SIZES = [0, 1, 125, 126, 65535, 65536, 70_000]


def read_by_websockets(data):
    server = ServerProtocol(state=State.OPEN, max_size=None)
    server.receive_data(data)
    [frame] = server.events_received()
    return frame


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("text", [False, True])
def test_a_masked_frame_is_one_whole_message(size, text):
    payload = bytes(at % 251 for at in range(size))
    frame = read_by_websockets(masked_frame(payload, b"\x01\xfe\x80\x7f", text=text))
    assert (frame.opcode, bytes(frame.data), frame.fin) == (Opcode.TEXT if text else Opcode.BINARY, payload, True)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mask", [False, True])
def test_a_frame_is_found_where_it_is_and_not_before_its_head_has_come(size, mask):
    data = Frame(Opcode.BINARY, bytes(size)).serialize(mask=mask)
    head = len(data) - size
    assert frame_at(b"xyz" + data, 3) == (3 + head, 3 + len(data))
    assert frame_at(data[:1], 0) is None
    assert frame_at(data[: head - 4 * mask], 0) == (head, len(data))
    if size >= 126:
        assert frame_at(data[: head - 4 * mask - 1], 0) is None
    assert bool(data[1] & MASKED) is mask


@given(st.binary(max_size=300), st.binary(min_size=4, max_size=4))
def test_masking_twice_gives_the_payload_back(payload, mask):
    assert masked(masked(payload, mask), mask) == payload
