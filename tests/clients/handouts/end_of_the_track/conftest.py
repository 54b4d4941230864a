"""AI388U's modules, and its boards."""

import numpy as np
import pytest
from end_of_track_positions import COURSE_START


@pytest.fixture(scope="module")
def course(handout):
    return handout("end_of_the_track", "game", "search")


@pytest.fixture
def board(course):
    def board(*changes, state=COURSE_START):
        made = course.game.BoardState()
        made.state = np.array(state)
        made.decode_state = made.make_state()
        for index, square in changes:
            made.update(index, square)
        return made

    return board
