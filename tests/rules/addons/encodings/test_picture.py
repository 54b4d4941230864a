"""A scene becomes pixels: pieces in their seats' colours, where they stand."""

import numpy as np
import pytest

from palio_rules.addons.encodings.picture import CELL, MARGIN, SEATS, picture
from palio_rules.registry import game_from_spec, games


@pytest.mark.parametrize("name", games())
def test_every_game_has_a_picture(name):
    rules, options = game_from_spec(name)
    image = picture(rules.scene(rules.start(options)))
    assert image.dtype == np.uint8
    assert image.ndim == 3
    assert image.shape[2] == 3
    assert len(np.unique(image.reshape(-1, 3), axis=0)) >= 2


def test_pawns_stand_where_they_are():
    rules, options = game_from_spec("breakthrough")
    image = picture(rules.scene(rules.start(options)))
    middle = MARGIN + CELL // 2
    assert tuple(image[middle, middle]) == SEATS[0]
    assert tuple(image[-middle, middle]) == SEATS[1]


def test_a_tour_is_drawn():
    rules, options = game_from_spec("tsp:size=5")
    start = rules.start(options)
    assert (picture(rules.scene(start)) != picture(rules.scene(start.play((0, 1, 2, 3, 4))))).any()
