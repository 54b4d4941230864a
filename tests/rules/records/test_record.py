"""Records: what cannot have been agreed is not even read, and the opening belongs to what was agreed."""

import msgspec
import pytest
from msgspec.structs import replace

from palio_rules.errors import BadPosition
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


POSITION = "BBBBBB/B.BBBB/.B..../..W.../WW.WWW/WWWWWW black"


def test_a_match_may_begin_in_a_position_and_the_opening_is_played_from_there():
    setup = Setup("breakthrough", ("ann", "bob"), position=POSITION)
    assert setup.rules().format_state(setup.start()) == POSITION
    after = replace(setup, opening=([[2, 1], [3, 1]],))
    assert after.start() == setup.start().play(((2, 1), (3, 1)))
    assert after.first() == setup.start()


@pytest.mark.parametrize(
    ("game", "options", "position", "reason"),
    [
        ("breakthrough", {"rows": 8}, POSITION, "the position has 6 rows and 6 columns, the options give 8 and 6"),
        ("breakthrough", {}, "nonsense", "a position ends in"),
        ("tsp", {}, "euc 0,0;0,3;4,0 - 0 open", "tsp is a race, give its instance in the options"),
    ],
)
def test_a_position_that_does_not_fit_is_refused(game, options, position, reason):
    with pytest.raises(BadPosition, match=reason):
        Setup(game, ("ann", "bob"), options, position=position).first()
