"""A scene as characters: what stands where, with colours and without."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color

from palio_clients.terminal.canvas import QUADRANTS, Canvas, Palette, blend, seat_colours
from palio_clients.terminal.picture import SIZES, Look, Size, draw, fitting, frame
from palio_rules.games.dominoes import Move
from palio_rules.scene import Mark, Scene

sizes = st.sampled_from(SIZES)
scenes = st.builds(
    lambda rows, cols, names: Scene(
        rows, cols, (), "plain", tuple(map(str, range(rows))) * names, tuple("abcdefghijklmnop"[:cols]) * names
    ),
    st.integers(1, 16),
    st.integers(1, 16),
    st.booleans(),
)


def text(scene, size, look=Look(), *, seats=("vertical", "horizontal")):  # noqa: B008  # frozen
    palette = Palette(seats, colour=False)
    canvas = draw(scene, size, look, "".join(seat[0].upper() for seat in seats))
    return ["".join(palette.segment(glyph).text for glyph in canvas.line(y)).rstrip() for y in range(canvas.height)]


@given(scenes, sizes)
def test_every_character_of_a_cell_is_that_cell_and_nothing_else_is(scene, size):
    framed = frame(scene, size)
    found = {}
    for y in range(framed.height):
        for x in range(framed.width):
            found.setdefault(framed.cell(x, y, scene), []).append((x, y))
    beside = len(found.pop(None, []))
    assert len(found) == scene.rows * scene.cols
    assert all(len(characters) == size.width * size.height for characters in found.values())
    assert all(min(characters) == framed.corner(cell) for cell, characters in found.items())
    assert beside == framed.width * framed.height - scene.rows * scene.cols * size.width * size.height


@given(scenes, st.integers(1, 200), st.integers(1, 80))
def test_the_chosen_size_fits_and_the_next_one_would_not(scene, width, height):
    chosen = fitting(scene, width, height)

    def fits(size):
        return frame(scene, size).width <= width and frame(scene, size).height <= height

    if fits(chosen):
        larger = SIZES[SIZES.index(chosen) + 1]
        assert chosen == SIZES[4] or not fits(larger)
    else:
        assert chosen == SIZES[1]


def test_eight_by_eight_fits_into_an_ordinary_terminal(table):
    scene = table.match("dominoes").rules.scene(table.match("dominoes").state)
    assert fitting(scene, 54, 20) == Size(4, 2)
    assert frame(scene, Size(4, 2)).height <= 20


def test_without_colour_dominoes_are_distinguished_by_their_direction(table):
    match = table.match("dominoes:rows=3,cols=3").play(Move(0, 0)).play(Move(0, 1))
    assert text(match.rules.scene(match.state), Size(4, 2)) == [
        "3 ▗▄▄▖▗▄▄▄▄▄▄▖",
        "  ▐██▌▝▀▀▀▀▀▀▘",
        "2 ▐██▌ ·   ·",
        "  ▝▀▀▘",
        "1  ·   ·   ·",
        "",
        "   a   b   c",
    ]


def test_without_colour_a_preview_is_shaded_and_targets_are_bold_dots(table):
    scene = Scene(2, 3, (), "plain")
    look = Look(cursor=(0, 0), seat=0, ghosts=(Mark("bar", 0, 0, 0, 2, 1),), targets=frozenset({(0, 2)}))
    assert text(scene, Size(4, 2), look) == [" ░░░░ ·   •", " ░░░░", " ░░░░ ·   ·", " ░░░░"]


def test_without_colour_a_cell_that_leads_nowhere_is_crossed_out():
    assert text(Scene(1, 1, ()), Size(4, 2), Look(cursor=(0, 0), refused=True)) == [" [><]", ""]


def test_without_colour_pieces_carry_the_initial_of_their_seat(table):
    match = table.match("breakthrough:rows=4,cols=3")
    lines = text(match.rules.scene(match.state), Size(6, 3), seats=match.rules.seats)
    assert [line.count("B") for line in lines if "B" in line] == [3, 3]
    assert [line.count("W") for line in lines if "W" in line] == [3, 3]


def test_with_colour_each_seat_has_the_page_s_own(table):
    match = table.match("dominoes:rows=2,cols=4").play(Move(0, 0)).play(Move(0, 1))
    palette = Palette(match.rules.seats)
    canvas = draw(match.rules.scene(match.state), Size(6, 3), Look())
    styles = [palette.segment(glyph).style for y in range(canvas.height) for glyph in canvas.line(y)]
    shown = {colour for style in styles for colour in (style.color, style.bgcolor)}
    assert Color.parse("#b2492f") in shown  # Vertical's brick
    assert Color.parse("#2b6398") in shown  # Horizontal's lapis


def test_seats_have_the_colours_of_their_names_or_else_of_their_order():
    assert seat_colours(("black", "white")) != seat_colours(("first", "second"))
    assert seat_colours(("vertical", "horizontal")) == seat_colours(("red", "blue"))


@given(st.integers(0, 15))
def test_quadrants_are_drawn_as_they_were_painted(mask):
    canvas = Canvas(1, 1)
    canvas.box(0, 0, 2, 2, "light")
    for bit in range(4):
        if mask >> bit & 1:
            canvas.box(bit % 2, bit // 2, bit % 2 + 1, bit // 2 + 1, "bar0")
    assert Palette(("a",), colour=False).segment(canvas.line(0)[0]).text == QUADRANTS[mask]


def test_what_lies_beside_the_canvas_is_cut_off():
    canvas = Canvas(2, 1)
    canvas.box(-4, -4, 40, 40, "bar0")
    canvas.disc(-40, -40, 40, 40, "bar1")
    assert [glyph.ground for glyph in canvas.line(0)] == ["bar1", "bar1"]


@pytest.mark.parametrize(("share", "colour"), [(0.0, "#000000"), (0.5, "#808080"), (1.0, "#ffffff")])
def test_a_blend_lies_between_two_colours(share, colour):
    assert blend("#000000", "#ffffff", share) == colour


def test_the_pieces_of_a_seat_that_is_out_are_nobodys_blocks():
    marks = (Mark("disc", 0, 0, 0), Mark("disc", 1, 0, 1))
    gone = (Mark("disc", 0, 0, 0), Mark("block", None, 0, 1))
    assert text(Scene(1, 2, marks, out=(1,)), Size(4, 2)) == text(Scene(1, 2, gone), Size(4, 2))


def test_chessmen_are_letters_as_in_a_fen():
    marks = (Mark("king", 0, 0, 0), Mark("knight", 1, 0, 1), Mark("pawn", 1, 0, 2))
    line = "".join(text(Scene(1, 3, marks), Size(2, 1)))
    assert "".join(filter(str.isalpha, line)) == "Knp"
    drawn = text(Scene(1, 1, (Mark("pawn", 1, 0, 0),)), Size(4, 2))  # no chess: the seat's initial
    assert "H" in "".join(drawn)
    assert "p" not in "".join(drawn)


def lined(marks=(), **more):
    return Scene(3, 3, marks, "lines", ("3", "2", "1"), ("A", "B", "C"), **more)


def test_lines_lead_from_edge_to_edge_and_a_dot_is_bolder():
    assert text(lined(dots=((1, 1),)), Size(4, 2), seats=("black", "white")) == [
        "3  ┌───┬───┐",
        "   │   │   │",
        "2  ├───╋───┤",
        "   │   │   │",
        "1  └───┴───┘",
        "",
        "   A   B   C",
    ]


def test_stones_hide_the_lines_and_a_point_that_counts_has_a_small_letter():
    marks = (Mark("stone", 0, 0, 0), Mark("stone", 1, 2, 2), Mark("area", 0, 1, 1))
    seats = ("black", "white")
    assert text(lined(marks), Size(2, 1), seats=seats) == ["3 B▌┬─┐", "2 ├─b─┤", "1 └─┴─W▒", "  A B C"]
    assert text(lined(marks), Size(4, 1), seats=seats)[:2] == ["3 ▐B█▌─┬───┐", "2  ├───b───┤"]


def test_the_largest_board_of_go_fits_into_an_ordinary_terminal(table):
    match = table.match("go:size=19")
    assert fitting(match.rules.scene(match.state), 54, 20) == Size(2, 1)
