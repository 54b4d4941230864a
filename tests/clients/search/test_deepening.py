"""Deepening is the one owner of the deadline: it keeps it to the node, and always has an answer."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st
from positions import at, duel_positions, evaluator, start

from palio_clients.search.game_tree import Best, Stopped, deepening
from palio_clients.search.minimax import alpha_beta


def searching(state, evaluate=lambda *_: 0.0):
    return lambda depth, stop: alpha_beta(state, depth, evaluate, stop=stop)


def after(asked):
    """A stop function that says so once it was asked so often; and the list of its answers."""
    answers = []

    def stop():
        answers.append(len(answers) >= asked)
        return answers[-1]

    return stop, answers


def test_depth_one_is_searched_to_its_end_whatever_stop_says():
    state = start("dominoes:rows=4,cols=5")
    assert [best.depth for best in deepening(searching(state), lambda: True)] == [1]
    assert [best.depth for best in deepening(searching(state), max_nodes=0)] == [1]


@given(duel_positions)
def test_each_depth_is_a_direct_search_and_nodes_add_up(found):
    spec, state = found
    nodes = 0
    for best in islice(deepening(searching(state, evaluator(spec))), 2):
        direct = alpha_beta(state, best.depth, evaluator(spec))
        nodes += direct.nodes
        assert best == direct._replace(nodes=nodes)


@given(st.integers(0, 3000))
def test_stop_ends_it_at_the_very_node_at_which_it_speaks(asked):
    stop, answers = after(asked)
    list(deepening(searching(start("dominoes:rows=4,cols=5")), stop, max_depth=8))
    assert answers.count(True) == 1
    assert answers[-1] is True


@given(st.integers(1, 3000))
def test_no_node_is_visited_beyond_the_limit_but_those_of_depth_one(limit):
    visits = []
    state = start("dominoes:rows=4,cols=5")
    first = alpha_beta(state, 1, lambda *_: 0.0).nodes

    def search(depth, stop):
        def counted():
            if stop():
                return True
            visits.append(depth)
            return False

        return alpha_beta(state, depth, lambda *_: 0.0, stop=counted)

    *_, best = deepening(search, max_nodes=limit)
    assert len(visits) <= max(limit, first)
    assert best.nodes <= len(visits)


def test_a_limit_that_is_just_enough_is_enough():
    state = start("dominoes:rows=4,cols=5")
    *_, third = deepening(searching(state), max_depth=3)
    assert [best.depth for best in deepening(searching(state), max_nodes=third.nodes)][-1] == 3
    assert [best.depth for best in deepening(searching(state), max_nodes=third.nodes - 1)][-1] == 2


def test_it_ends_at_a_proven_win():
    state = at("breakthrough", "...../...../...../..B../....W/W.... black")
    assert [best.depth for best in deepening(searching(state))] == [1, 2, 3]


def test_what_a_stopped_depth_has_seen_is_not_yielded():
    def search(depth, stop):
        if depth == 3:
            raise Stopped
        return Best("move", 1.0, depth, 10, ("move",))

    assert [(best.depth, best.nodes) for best in deepening(search)] == [(1, 10), (2, 20)]
