"""How often a game is tried: alone it is at fault, together nobody knows."""

import pytest

from palio_server.addons.cluster.tasks_out import KILLED, TRIES, Tries, why_failed


class KilledWorker(Exception):
    """As Dask's is called."""


@pytest.mark.parametrize(("error", "enough"), [(ValueError("no"), TRIES), (KilledWorker(), TRIES // KILLED)])
def test_a_game_alone_is_tried_so_often_and_no_more(error, enough):
    tries = Tries()
    for _ in range(enough):
        assert not tries.spent("m")
        tries.failed(["m"], error)
    assert tries.spent("m")
    tries.forget("m")
    assert not tries.spent("m")
    assert not tries.alone("m")


def test_games_that_fail_together_are_handed_out_one_by_one_and_none_is_at_fault():
    tries = Tries()
    for _ in range(2 * TRIES):
        tries.failed(["one", "other"], ValueError("no"))
    assert tries.alone("one")
    assert tries.alone("other")
    assert not tries.spent("one")
    assert not tries.spent("other")


def test_what_hangs_twice_is_tried_no_more():
    tries = Tries()
    tries.hung(["m"])
    assert not tries.spent("m")
    tries.hung(["m"])
    assert tries.spent("m")


def test_the_reason_is_one_sentence():
    assert why_failed(ValueError("no such bot")) == "its worker failed: ValueError: no such bot"
    assert why_failed(KilledWorker()) == "the workers that played it died, 1 of them"
