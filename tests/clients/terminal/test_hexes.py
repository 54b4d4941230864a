"""A board of hexagons in characters: every hex has its pixels, its characters for the mouse, and its ways by key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.terminal.canvas import Palette, hex_frame, shade, spans, step, tiles_of
from palio_clients.terminal.picture import HEX_SIZES, Look, Size, draw, fitting, frame, sizes
from palio_rules.boards.chexers import DIRECTIONS, HEXES, cell_of
from palio_rules.scene import Mark, Scene

ARROWS = ((-1, 0), (1, 0), (0, -1), (0, 1))
CELLS = frozenset(map(cell_of, HEXES))


@pytest.fixture
def scene(table):
    match = table.match("chexers")
    return match.rules.scene(match.state)


@pytest.mark.parametrize("size", HEX_SIZES)
def test_the_middle_of_a_hex_is_that_hex(scene, size):
    framed = frame(scene, size)
    for cell in CELLS:
        x, y = framed.corner(cell)
        assert framed.cell(x + size.width // 2, y + (size.height - 1) // 2, scene) == cell


@pytest.mark.parametrize("size", HEX_SIZES)
def test_pixels_belong_to_one_hex_each_and_all_hexes_are_equally_large(scene, size):
    framed = hex_frame(scene, size)
    hexes = spans(framed)
    assert hexes.keys() == CELLS
    pixels = [(x, y) for cell in CELLS for y, left, right in hexes[cell] for x in range(left, right)]
    assert len(set(pixels)) == len(pixels)
    assert all(0 <= x < 2 * framed.width and 0 <= y < 2 * framed.height for x, y in pixels)
    areas = [sum(right - left for _, left, right in hexes[cell]) for cell in CELLS]
    assert max(areas) - min(areas) <= 4 * size.height  # seams are rounded to pixels


@pytest.mark.parametrize("size", HEX_SIZES)
def test_what_is_clicked_is_what_is_seen(scene, size):
    """A character whose four pixels are one hex's is that hex's."""
    framed = hex_frame(scene, size)
    owner = {(x, y): cell for cell, lines in spans(framed).items() for y, a, b in lines for x in range(a, b)}
    for x in range(framed.width):
        for y in range(framed.height):
            owners = {owner.get((2 * x + right, 2 * y + down)) for right in (0, 1) for down in (0, 1)}
            if len(owners) == 1:
                assert framed.cell(x, y, scene) == owners.pop()


def test_neighbours_have_different_shades():
    for q, r in HEXES:
        for dq, dr in DIRECTIONS:
            assert shade(cell_of((q, r))) != shade(cell_of((q + dq, r + dr)))


def test_the_arrows_lead_to_every_hex_and_never_off_the_board():
    reached, edge = {(3, 3)}, [(3, 3)]
    while edge:
        found = {step(CELLS, cell, *arrow) for cell in edge for arrow in ARROWS}
        assert found <= CELLS
        edge = list(found - reached)
        reached |= found
    assert reached == CELLS


@given(st.sampled_from(sorted(CELLS)), st.sampled_from([-1, 1]))
def test_up_and_down_go_straight_where_there_is_room(cell, down):
    twice = step(CELLS, step(CELLS, cell, down, 0), down, 0)
    straight = cell[0] + 2 * down, cell[1] - down
    if straight in CELLS and (cell[0] + down, cell[1] + (0, -down)[cell[0] % 2 == (down < 0)]) in CELLS:
        assert twice[0] == straight[0]


def test_a_board_that_names_no_tiles_has_all_of_its_cells():
    assert tiles_of(Scene(2, 2, (), "hex")) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert tiles_of(Scene(2, 2, (Mark("hex", None, 0, 1), Mark("hex", 0, 1, 1)), "hex")) == {(0, 1)}


def test_the_board_fits_into_an_ordinary_terminal(scene):
    assert fitting(scene, 54, 20) == Size(6, 2)
    assert fitting(scene, 20, 10) == Size(4, 2)
    assert fitting(scene, 300, 100) == sizes(scene)[-2]


def test_a_piece_in_hand_that_may_leave_says_so_with_and_without_colour(scene):
    look = Look(seat=0, held=frozenset({(3, 6)}), leaves=True)
    for palette in (Palette(("red", "green", "blue")), Palette(("red", "green", "blue"), colour=False)):
        canvas = draw(scene, Size(6, 2), look)
        lines = ["".join(palette.segment(glyph).text for glyph in canvas.line(y)) for y in range(canvas.height)]
        assert sum("exit" in line for line in lines) == 1
