"""A repeated move is known by its turn's number, before and after a restart, and for its own seat only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.contract.messages import Played
from palio_rules.records.record import Ply
from palio_server.match.turns import REMEMBERED, Acknowledgements


@given(st.integers(1, 9), st.integers(0, 5000))
def test_the_turn_of_a_ply_finds_its_answer(epoch, plies):
    kept = Acknowledgements("m", epoch)
    played = Played("m", plies + 1, 1, 7, [None, None])
    kept.keep(played)
    assert kept.find(1, kept.turn_id(plies)) is played
    assert kept.find(0, kept.turn_id(plies)) is None
    assert kept.find(1, kept.turn_id(plies + 1)) is None
    assert Acknowledgements("m", epoch + 1).turn_id(0) > kept.turn_id(plies)


@pytest.mark.parametrize(("epoch", "known"), [(0, False), (1, True), (3, True), (4, False)])
def test_turns_of_all_epochs_until_now_are_known(epoch, known):
    kept = Acknowledgements("m", 3)
    kept.remember(5, Ply(0, 4, 10), [100, 90])
    found = kept.find(0, epoch * 1_000_000 + 5)
    assert found == (Played("m", 5, 0, 4, [100, 90]) if known else None)


def test_the_last_ones_are_remembered():
    kept = Acknowledgements("m", 1)
    for ply in range(1, REMEMBERED + 3):
        kept.keep(Played("m", ply, 0, ply, [None]))
    assert [kept.find(0, kept.turn_id(ply)) is not None for ply in (0, 1, 2, REMEMBERED + 1)] == [
        False, False, True, True,
    ]  # fmt: skip


def test_to_be_out_is_no_move_that_could_be_repeated():
    kept = Acknowledgements("m", 1)
    kept.remember(1, Ply(0, None, 0, None, "resigned"), [None])
    assert kept.find(0, kept.turn_id(0)) is None
