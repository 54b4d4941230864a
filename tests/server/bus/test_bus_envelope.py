"""An envelope is read once: by its sender, or otherwise by its receiver."""

import msgspec
import pytest

from palio_server.bus import Envelope


def test_a_message_that_its_sender_has_told_is_not_decoded() -> None:
    message = [1, 2]
    assert Envelope(b"never decoded", message).read(msgspec.json.decode) is message


def test_a_message_that_came_as_bytes_is_decoded_or_raises_what_the_decoder_raises() -> None:
    assert Envelope(b"[1,2]").read(msgspec.json.decode) == [1, 2]
    with pytest.raises(msgspec.DecodeError):
        Envelope(b"[1,").read(msgspec.json.decode)
