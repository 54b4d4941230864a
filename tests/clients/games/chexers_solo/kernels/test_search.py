"""Chexers Solo compiled finds as few actions as the rules' own solver, and its estimates never exceed the truth."""

from math import inf
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.games.chexers_solo.kernels import fits, solve
from palio_clients.games.chexers_solo.kernels.search import (
    FAR,
    code_of,
    lay_out,
    ordered,
    pattern_of,
    remaining,
    work_out,
    workspace,
)
from palio_clients.search.game_tree import Stopped
from palio_rules.boards.chexers import BLOCK, EMPTY, HEXES, LETTERS, actions, moved, read_rows
from palio_rules.instances import chexers_solo as readable

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all

OPEN = "r.../...../....../r....../....../...../r..r"  # four pieces far apart, no blocks: 18 actions
HARD = "#..#/#..##/r###../r##.##./r#####/##r.#/..#."  # found by climbing from boards at random: 44 actions
HARDER = "#rr#/.r###/.####./r###..#/.#.###/#.##./#.#."  # and 50


def board(text):
    return read_rows(text, f"{LETTERS}{BLOCK}{EMPTY}")


@st.composite
def positions(draw):
    """(cells, colour) with one to four pieces and any number of blocks."""
    colour, random = draw(st.integers(0, 2)), Random(draw(st.integers(0, 10**6)))
    pieces, blocks = draw(st.integers(1, 4)), draw(st.integers(0, 28))
    return scattered(random, LETTERS[colour] * pieces + BLOCK * blocks), colour


def scattered(random, what):
    cells = [EMPTY] * len(HEXES)
    for at, cell in zip(random.sample(range(len(HEXES)), len(what)), what, strict=True):
        cells[at] = cell
    return "".join(cells)


@given(positions())
def test_plans_are_as_short_as_those_of_the_rules_and_lead_off_the_board(found):
    cells, colour = found
    shortest, plan = readable.solve(cells, colour), solve(cells, colour)
    assert plan.complete == (shortest is not None)
    assert plan.at_least == (inf if shortest is None else len(shortest))
    if plan.complete:
        assert len(plan.moves) == len(shortest)
        for action in plan.moves:
            assert action in actions(cells, colour)
            cells = moved(cells, action, convert=False)
        assert LETTERS[colour] not in cells


def estimate_of(cells, colour):
    """What remains at least, of any position with these blocks."""
    spaces = workspace(cells, colour)
    lay_out(spaces[0])
    work_out(spaces[0])
    return lambda there: int(remaining(spaces[0], np.uint64(code_of(there, colour))))


@given(positions(), st.integers(0, 1000))
def test_an_estimate_falls_by_at_most_one_an_action_so_it_is_admissible(found, seed):
    cells, colour = found
    estimate, random = estimate_of(cells, colour), Random(seed)
    for _ in range(20):
        ways = [moved(cells, action, convert=False) for action in actions(cells, colour)]
        here = estimate(cells)
        for there in ways:
            assert here <= estimate(there) + 1
            assert here == FAR or estimate(there) <= here + 1
        if not ways:
            break
        cells = random.choice(ways)


@given(positions())
def test_what_is_called_lost_is_lost(found):
    cells, colour = found
    if estimate_of(cells, colour)(cells) == FAR:
        assert readable.solve(cells, colour) is None


@pytest.mark.parametrize("colour", range(3))
def test_nothing_remains_of_an_empty_board(colour):
    cells = LETTERS[colour] + EMPTY * (len(HEXES) - 1)
    assert estimate_of(cells, colour)(EMPTY * len(HEXES)) == 0


@given(st.lists(st.integers(0, 31), min_size=4, max_size=4).map(sorted), st.integers(0, 3), st.integers(0, 31))
def test_a_pattern_stays_in_order_when_a_piece_moves(regions, piece, region):
    pattern = sum(each << 5 * place for place, each in enumerate(regions))
    after = sorted([*regions[:piece], *regions[piece + 1 :], region])
    assert ordered(pattern, piece, region) == sum(each << 5 * place for place, each in enumerate(after))


@given(positions())
def test_the_pattern_of_a_position_has_the_regions_of_its_pieces(found):
    cells, colour = found
    space = workspace(cells, colour)[0]
    regions = sorted(int(space["region"][at]) for at, cell in enumerate(cells) if cell == LETTERS[colour])
    pattern = pattern_of(space, np.uint64(code_of(cells, colour)))
    assert [pattern >> 5 * place & 31 for place in range(4)] == [*regions, *[31] * (4 - len(regions))]


@pytest.mark.parametrize(("text", "length"), [(OPEN, 18), (HARD, 44), (HARDER, 50)])
def test_hard_positions_take_what_the_rules_say(text, length):
    plan = solve(board(text), 0)
    assert len(plan.moves) == length == len(readable.solve(board(text), 0))


def test_patterns_save_most_of_the_search():
    assert solve(board(OPEN), 0).expanded == 490  # with the table of the rules alone: 4,132


def test_a_position_without_a_way_out_has_no_plan():
    plan = solve(board("r##./##.../#.#.../......./....../...../...."), 0)
    assert (plan.moves, plan.complete, plan.at_least) == ((), False, inf)


def test_five_pieces_do_not_fit():
    assert fits(board("rrrr/...../....../......./....../...../...."), 0)
    assert not fits(board("rrrr/r..../....../......./....../...../...."), 0)


def test_a_search_can_be_stopped():
    with pytest.raises(Stopped):
        solve(board(OPEN), 0, stop=lambda: True)
