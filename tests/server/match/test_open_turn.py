"""A turn that waits for its answer: sent again with what is left, and the echo of a rejected move."""

import pytest

from palio_rules.contract.messages import Rejected, Turn
from palio_server.match.turn_time import WallTime
from palio_server.match.turns import OpenTurn


def opened(limit_ms=10_000):
    message = Turn(match="m", id=7, ply=0, state="", moves=[1], clocks_ms=[10_000, 10_000], limit_ms=limit_ms)
    return OpenTurn(message, seat=0, time=WallTime(1000.0), deadline=1010.2, resend_at=1005.0)


def rejected(move="9"):
    return move, Rejected("m", 7, "wrong-count", "cannot take 9", 2, [9000, 10_000])


@pytest.mark.parametrize(("at", "left"), [(1000.0, 10_000), (1004.0, 6000), (1010.1, 0), (999.9, 10_000)])
def test_a_turn_is_sent_again_with_what_is_left_of_its_time(at, left):
    again = opened().again(at, [left, 10_000], [1])
    assert (again.id, again.moves, again.limit_ms, again.clocks_ms) == (7, [1], left, [left, 10_000])


def test_without_a_limit_there_is_none_when_it_is_sent_again():
    assert opened(limit_ms=None).again(1005.0, [None, None], None).limit_ms is None


def test_the_same_move_is_an_echo_only_after_the_turn_was_sent_again():
    turn = opened()
    turn.rejected = rejected()
    assert turn.echo("9") is None
    turn.again(1005.0, [5000, 10_000], None)
    assert turn.echo("8") is None
    assert turn.echo("9") == rejected()[1]


def test_each_copy_allows_one_echo_and_no_more():
    turn = opened()
    turn.rejected = rejected()
    turn.again(1005.0, [5000, 10_000], None)
    assert turn.echo("9") is not None
    assert turn.echo("9") is None
    turn.again(1010.0, [0, 10_000], None)
    assert turn.echo("9") is not None
    assert turn.echo("9") is None


def test_a_copy_that_left_before_the_rejection_allows_an_echo_too():
    turn = opened()
    turn.again(1005.0, [5000, 10_000], None)
    turn.rejected = rejected()
    assert turn.echo("9") == rejected()[1]
    assert turn.echo("9") is None
