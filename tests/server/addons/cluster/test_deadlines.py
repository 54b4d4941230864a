"""How long a game can last."""

from hypothesis import given
from hypothesis import strategies as st

from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.addons.cluster.tasks_out import START_S, longest_s


def setup(time: TimeControl, bots: int = 2, **more) -> Setup:
    game = "rush_hour" if more.pop("race", False) else "breakthrough"
    return Setup(game, tuple("abcdefgh"[:bots]), time=time, **more)


def test_a_game_of_ten_seconds_each_takes_its_clocks_graces_and_margins():
    quick = setup(TimeControl(10_000), grace_ms=0, ready_ms=0, max_plies=100)
    assert longest_s(quick) == START_S + 1.25 * (2 * 10 + 100 * 0.2)


def test_where_nothing_limits_a_game_its_stalls_do():
    assert longest_s(setup(TimeControl(), stall_ms=1000, grace_ms=0, ready_ms=0, max_plies=10)) > START_S + 1.25 * 10


def test_a_race_is_no_longer_for_more_who_run_it():
    races = [setup(TimeControl(10_000), bots, race=True) for bots in (1, 4)]
    assert longest_s(races[0]) == longest_s(races[1])


times = st.builds(
    TimeControl, st.integers(1, 10_000) | st.none(), st.integers(0, 100), st.integers(1, 10_000) | st.none()
)


@given(times, st.integers(1, 1000), st.floats(0.25, 4))
def test_more_time_or_slower_clocks_never_make_it_shorter(time, plies, factor):
    one = setup(time, max_plies=plies)
    assert longest_s(one) <= longest_s(setup(time, max_plies=plies + 1))
    assert longest_s(one, factor) <= longest_s(one, factor * 1.5)
    clock = ((time.base_ms or 0) + (time.increment_ms * plies) / 2) / 1000 if time.move_ms is None else 0
    assert longest_s(one) > 2 * clock
