"""The limit of open files is raised as far as it goes, and shared out."""

from hypothesis import given
from hypothesis import strategies as st

from palio_server.edge.places import SocketRoom, raise_limit


def test_the_soft_limit_is_raised_to_the_hard_one() -> None:
    assert raise_limit() == raise_limit() > 0


@given(st.integers(256, 2_000_000))
def test_strangers_and_viewers_leave_files_for_bots_and_the_database(files: int) -> None:
    room = SocketRoom.within(files)
    assert room.strangers + room.viewers <= files * 5 // 8
    assert room.strangers_of_one <= room.strangers // 2
    assert room.viewers_of_one <= room.viewers // 2
