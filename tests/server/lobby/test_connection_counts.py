"""Hellos of one name: a storm is told to wait, an honest bot never is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.edge.budgets import TooMuch
from palio_server.lobby.lobby import HELLOS, HELLOS_A_SECOND, ConnectionCounts


class World:
    def __init__(self) -> None:
        self.now = 0.0
        self.connection_counts = ConnectionCounts(lambda: self.now)

    def come(self, name: str = "ann", session: str | None = None, others: int = 0) -> bool:
        try:
            self.connection_counts.count(name, session, others)
        except TooMuch:
            return False
        return True


def test_a_hundred_hellos_a_minute_are_too_many() -> None:
    world = World()
    let_in = 0
    for _ in range(100):
        let_in += world.come()
        world.now += 0.6
    assert let_in == pytest.approx(HELLOS + 60 * HELLOS_A_SECOND, abs=1)


def test_a_storm_of_many_in_a_moment_is_told_when_to_come_back() -> None:
    world = World()
    assert [world.come() for _ in range(150)].count(True) == HELLOS
    with pytest.raises(TooMuch, match=r"ann has come too often .* try again in 2 s") as refused:
        world.connection_counts.count("ann", None, 0)
    world.now += refused.value.retry_s
    assert world.come()
    assert world.come("bob"), "others are not meant"


def test_whoever_plays_may_come_for_every_match() -> None:
    world = World()
    for _ in range(1000):
        assert world.come()
        world.connection_counts.played("ann", "s")


def test_who_resumes_a_session_is_not_kept_out_by_others_under_its_name() -> None:
    world = World()
    while world.come():
        pass
    assert world.come(session="s")


@given(st.integers(1, 256))
def test_all_connections_of_a_name_may_be_lost_at_once_and_come_again(connections: int) -> None:
    world = World()
    for _ in range(3):
        assert all(world.come(others=others) for others in range(connections))
