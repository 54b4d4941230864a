"""Rush Hour compiled finds what the rules' own solver finds: the same way, and the same distance everywhere."""

from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.games.rush_hour.kernels import Survey, fits, solve
from palio_clients.games.rush_hour.kernels.search import Positions, packed, unpacked, workspace
from palio_clients.search.game_tree import Stopped, never
from palio_rules.boards.rush_hour import LETTERS, read_board
from palio_rules.instances import rush_hour as readable
from palio_rules.instances.rush_hour import TooManyPositions, reach

HARDEST = "bcdde./bcf.eg/b.faag/hhhi.g/..jikk/lljmm."  # 50 moves
LARGEST = "bb.c../.d.cee/.daafg/h.iifg/h.jkk./llj..."  # Fogleman's largest component of a 6x6 board: 541,934 positions
FEW = 3000  # positions of a board that the readable survey is asked for


def board(text):
    return read_board(text.split("/"))


@st.composite
def boards(draw):
    """Car parks at random, from nearly empty to nearly full."""
    side, random = draw(st.integers(4, 8)), Random(draw(st.integers(0, 10**6)))
    rows = [["."] * side for _ in range(side)]
    letters = iter(LETTERS)
    for number in range(random.randint(1, 3 * side)):
        lies = number == 0 or random.random() < 0.5
        length = random.choice([1, 2, 2, 2, 3, 4]) if number else 2
        line, first = random.randrange(side), random.randrange(side - length + 1)
        cells = [(line, first + k) if lies else (first + k, line) for k in range(length)]
        if all(rows[row][col] == "." for row, col in cells):
            letter = next(letters)
            for row, col in cells:
                rows[row][col] = letter
    return read_board(["".join(row) for row in rows])


def few(found):
    """A board of which not too much can be reached, or None."""
    try:
        return fits(found[0]) and reach(*found, FEW)
    except TooManyPositions:
        return None


small = boards().filter(few)


@given(boards())
def test_a_position_is_packed_into_a_word_and_out_again(found):
    garage, at = found
    if fits(garage):
        space = workspace(garage)[0]
        assert packed(space, at) < 1 << 63
        assert unpacked(space, packed(space, at)) == at


@given(small)
def test_the_way_is_the_one_that_the_rules_find(found):
    expected, plan = readable.solve(*found), solve(*found)
    assert plan.complete == (expected is not None)
    assert plan.at_least == (inf if expected is None else len(expected))
    assert plan.moves == tuple(expected or ())


@given(small)
def test_as_many_positions_are_reached_and_each_is_as_far_from_the_way_out(found):
    expected, survey = reach(*found, FEW), Survey(*found)
    assert survey.count == expected.positions
    assert survey.by_distance == tuple(len(level) for level in expected.levels)
    for distance, level in enumerate(expected.levels):
        assert all(survey.distance(at) == distance for at in level)


@given(small)
def test_positions_are_met_in_the_order_of_the_rules(found):
    positions = Positions(*found, room=64)  # so that it has to grow
    positions.explore(everything=True, most=FEW, stop=never)
    assert [positions.at(number) for number in range(positions.count)] == list(in_order(*found))


def in_order(garage, start):
    known = {start: None}
    waiting = [start]
    for at in waiting:
        for index, amount in garage.slides(at):
            there = (*at[:index], at[index] + amount, *at[index + 1 :])
            if there not in known:
                known[there] = None
                waiting.append(there)
    return known


@given(small, st.integers(0, FEW))
def test_the_distance_falls_by_one_along_a_way_and_never_by_more(found, number):
    garage, at = found
    positions, survey = Positions(garage, at), Survey(garage, at)
    positions.explore(everything=True, most=FEW, stop=never)
    here = positions.at(number % positions.count)
    distance = survey.distance(here)
    near = [survey.distance((*here[:car], here[car] + by, *here[car + 1 :])) for car, by in garage.slides(here)]
    if distance is None:
        assert not survey.by_distance or set(near) <= {None}
    elif distance:
        assert min(near) == distance - 1


def test_the_hardest_board_takes_fifty_moves():
    garage, at = board(HARDEST)
    way = solve(garage, at).moves
    for index, amount in way:
        assert (index, amount) in set(garage.slides(at))
        at = (*at[:index], at[index] + amount, *at[index + 1 :])
    assert garage.solved(at)
    assert len(way) == 50 == len(Survey(*board(HARDEST)).by_distance) - 1


def test_the_largest_space_is_counted_whole():
    survey = Survey(*board(LARGEST))
    assert survey.count == 541_934
    assert sum(survey.by_distance) == survey.count  # a way out from everywhere
    assert survey.distance(board(LARGEST)[1]) == len(solve(*board(LARGEST)).moves)


def test_more_positions_than_allowed_are_refused():
    with pytest.raises(TooManyPositions):
        Survey(*board(LARGEST), most=20_000)
    with pytest.raises(TooManyPositions):
        Survey(*board(HARDEST), most=4779)
    assert Survey(*board(HARDEST), most=4780).count == 4780


def test_a_position_that_cannot_be_reached_is_no_key():
    survey = Survey(*board("bb../aac./..c./..c."))
    with pytest.raises(KeyError):
        survey.distance((2, 0, 0))


def test_a_search_can_be_stopped():
    with pytest.raises(Stopped):
        solve(*board(HARDEST), stop=lambda: True)
    with pytest.raises(Stopped):
        Survey(*board(HARDEST), stop=lambda: True)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (["a" * 2 + "." * 7, *["." * 9] * 8], "nine rows have more cells than a word has bits"),
        (["aabcde", "fghijk", "lmnopq", "rstuvw", "xyzA..", "BCDEFG"], "each single cell needs three bits"),
    ],
)
def test_what_does_not_fit_is_known(rows, why):
    assert not fits(read_board(rows)[0]), why
