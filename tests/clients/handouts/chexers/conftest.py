"""The course's modules, and its nodes of the boards that tests write down."""

import pytest

from palio_rules.boards.chexers import BLOCK, HEXES, INDEX


@pytest.fixture(scope="module")
def course(handout):
    return handout("chexers", "search", "travel", "heuristic", "node", "utils")


@pytest.fixture(scope="module")
def node(course):
    def node(board):
        cells = ["."] * len(HEXES)
        for hexes, cell in ((board["pieces"], board["colour"][0]), (board["blocks"], BLOCK)):
            for q, r in hexes:
                cells[INDEX[q, r]] = cell
        return course.node.Node("".join(cells), ("red", "green", "blue").index(board["colour"]))

    return node
