"""A tour is made city by city."""

import pytest

from palio_rules.addons.encodings import BadAction, encoding_of
from palio_rules.registry import game_from_spec


def made(spec):
    rules, options = game_from_spec(spec)
    encoding, start = encoding_of(rules, options), rules.start(options)
    return rules, encoding, start, encoding.root(start)


def test_the_last_city_makes_the_tour():
    rules, encoding, start, node = made("tsp:size=4")
    for action in (2, 1):
        move = encoding.read(node, action)
        assert encoding.whole(node, move) is None
        node = node.play(move)
    tour = encoding.whole(node, encoding.read(node, 3))
    assert tour == (0, 2, 1, 3)
    after = start.play(tour)
    assert encoding.spent(node.play(3)) == rules.cost(after)
    assert encoding.shown(start, node.play(3)) == after
    assert encoding.shown(start, node) == start


def test_a_city_is_visited_once():
    _, encoding, _, node = made("tsp:size=4")
    with pytest.raises(BadAction, match="action 0 is not legal here: city 0 has been visited already"):
        encoding.read(node, 0)


def test_distances_without_points_are_seen_too():
    rules, _ = game_from_spec("tsp")
    options = rules.parse_options({"distances": [10, 20, 5]})
    encoding = encoding_of(rules, options)
    node = encoding.root(rules.start(options))
    seen = encoding.observe(node, 0)
    assert seen[:, encoding.planes.index("distance from where you are, of the instance's largest extent")].tolist() == [
        0.0,
        0.5,
        1.0,
    ]
