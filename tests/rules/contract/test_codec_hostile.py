"""Everything hostile that a message can carry, in both encodings: an error each, little memory, and soon."""

import random
import tracemalloc

import pytest
from hostile_messages import HOSTILE, SAID, damaged

from palio_rules.contract.codec import MAX_BYTES, Encoding, decode_from_bot, decode_from_server, encode
from palio_rules.errors import WireError

MOST_MEMORY = 5_000_000  # bytes while one message is read


@pytest.mark.parametrize("decode", [decode_from_bot, decode_from_server], ids=["from a bot", "from a server"])
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_is_an_error_and_costs_little_memory(name, decode):
    encoding, data = HOSTILE[name]
    assert len(data) <= MAX_BYTES
    tracemalloc.start()
    try:
        with pytest.raises(WireError) as caught:
            decode(data, encoding)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
    str(caught.value).encode()  # an answer can quote it


@pytest.mark.slow
def test_a_hundred_thousand_damaged_messages_raise_nothing_but_wire_errors():
    choose = random.Random(36)
    written = [(encode(message, encoding), encoding) for message in SAID for encoding in Encoding]
    refused = 0
    for _ in range(100_000):
        data, encoding = choose.choice(written)
        try:
            decode_from_bot(damaged(data, choose), encoding)
        except WireError:
            refused += 1
    assert refused > 50_000  # most of the damage is some
