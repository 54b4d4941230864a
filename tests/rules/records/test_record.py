"""Records: what cannot have been agreed is not even read, and the opening belongs to what was agreed."""

import msgspec
import pytest
from msgspec.structs import replace

from palio_rules.records import Setup


@pytest.mark.parametrize(
    "change", [b'"strikes":0', b'"strikes":101', b'"max_plies":0', b'"grace_ms":-1', b'"colour":"red"']
)
def test_a_setup_out_of_range_is_not_even_read(change):
    setup = b'{"game":"breakthrough","bots":["ann","bob"],' + change + b"}"
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(setup, type=Setup)


def test_the_opening_is_played_before_the_first_ply():
    setup = Setup("breakthrough", ("ann", "bob"), opening=([[1, 0], [2, 0]],))
    assert setup.start() != replace(setup, opening=()).start()
