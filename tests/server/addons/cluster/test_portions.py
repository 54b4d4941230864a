"""How many games a task carries."""

from hypothesis import given
from hypothesis import strategies as st

from palio_server.addons.cluster.tasks_out import AHEAD, MOST, Portions

seconds = st.floats(0.0, 1000.0)


def known(game_s: float) -> Portions:
    portions = Portions()
    portions.note(1, game_s)
    return portions


def test_the_first_tasks_are_single_games_and_quick_ones_go_by_the_dozen():
    assert Portions().size == 1
    assert [known(game_s).size for game_s in (600, 1.0, 0.4, 0.02, 0.0)] == [1, 1, 2, 50, MOST]


def test_of_long_games_none_waits_at_a_worker():
    assert known(60).room(places=8, games=0) == 8
    assert known(1).room(places=8, games=0) == 8 * AHEAD
    assert known(1).room(places=8, games=8 * AHEAD) == 0


@given(st.lists(st.tuples(st.integers(0, 64), seconds)), st.integers(0, 300), st.integers(0, 50), st.integers(0, 5000))
def test_all_that_waits_is_handed_out_once_and_in_order(notes, waiting, places, games):
    portions = Portions()
    for count, took in notes:
        portions.note(count, took)
    cut = portions.cut(range(waiting), places, games)
    assert [game for portion in cut for game in portion] == list(range(waiting))
    assert all(1 <= len(portion) <= portions.size <= MOST for portion in cut)
    assert max(map(len, cut), default=0) - min(map(len, cut), default=0) <= 1


@given(st.integers(1, 300), st.integers(1, 50))
def test_while_all_have_something_to_do_only_whole_tasks_are_sent(waiting, places):
    portions = known(0.02)
    assert portions.size == 50
    assert portions.worth(waiting, places, tasks=places * AHEAD) == waiting - waiting % 50
    assert portions.worth(waiting, places, tasks=places * AHEAD - 1) == waiting


@given(st.integers(1, 300), st.integers(1, 50))
def test_the_last_games_are_spread_over_all_places(waiting, places):
    cut = known(0.001).cut(range(waiting), places, games=0)
    assert len(cut) >= min(places, waiting)
