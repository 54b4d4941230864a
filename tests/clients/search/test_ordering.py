"""An order lists every move once, the best guess first."""

from hypothesis import given
from hypothesis import strategies as st
from positions import at, duel_positions, orders

from palio_clients.search.game_tree import History


@given(duel_positions, orders, st.data())
def test_an_order_lists_every_move_once_and_a_hint_first(found, order, data):
    _, state = found
    moves = list(state.legal_moves())
    hint = data.draw(st.sampled_from([None, *moves]))
    listed = list(order(state, hint))
    assert sorted(listed) == sorted(moves)
    assert hint in (None, listed[0])
    assert list(order(state, hint)) == listed


def test_a_move_that_has_cut_comes_first_from_then_on():
    state = at("breakthrough", "BBBB/BBBB/..../WWWW/WWWW black")
    order, *_, last = History(), *state.legal_moves()
    order.cut(state, last, 2)
    assert next(iter(order(state))) == last
