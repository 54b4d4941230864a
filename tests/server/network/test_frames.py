"""Frames are written and found as `websockets` writes and finds them."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from palio_server.network.frames import HEADS, frame, frame_at, unmask

SIZES = [0, 1, 125, 126, 127, 65_535, 65_536]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("opcode", "text"), [(Opcode.TEXT, True), (Opcode.BINARY, False)])
def test_a_message_is_framed_as_websockets_would(size: int, opcode: Opcode, text: bool) -> None:
    assert frame(b"x" * size, text=text) == Frame(opcode, b"x" * size).serialize(mask=False)


def test_the_heads_of_short_frames_are_those_that_frame_writes() -> None:
    assert [head + b"x" * size for size, head in enumerate(HEADS)] == [frame(b"x" * size) for size in range(126)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mask", [True, False])
@pytest.mark.parametrize("before", [b"", b"before"])
def test_a_frame_is_found_as_soon_as_its_head_has_come(size: int, mask: bool, before: bytes) -> None:
    data = before + Frame(Opcode.BINARY, b"x" * size).serialize(mask=mask)
    bounds = frame_at(data, len(before))
    assert bounds == (len(data) - size, len(data))
    length_known_at = bounds[0] - (4 if mask else 0)
    assert frame_at(data[:length_known_at], len(before)) == bounds
    for too_few in range(length_known_at):
        assert frame_at(data[:too_few], len(before)) is None


@given(st.binary(max_size=125), st.binary(min_size=4, max_size=4))
def test_a_payload_is_unmasked_byte_by_byte_with_the_mask_again_and_again(payload: bytes, mask: bytes) -> None:
    masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
    assert unmask(masked, mask) == payload


def test_unmasking_undoes_what_websockets_masks() -> None:
    payload = os.urandom(100)
    masked = Frame(Opcode.BINARY, payload).serialize(mask=True)
    assert unmask(masked[6:], masked[2:6]) == payload
