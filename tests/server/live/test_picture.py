"""Positions as SVG: every game can be drawn, and what its scene tells is in the picture."""

from xml.etree import ElementTree as ET

import pytest

from palio_rules.registry import game, games
from palio_rules.scene import Edge, Line, Mark, Scene
from palio_server.live.picture import Box, draw, ink, tokens

SVG = "{http://www.w3.org/2000/svg}"


def first(name):
    rules = game(name)
    return rules, rules.scene(rules.start(rules.parse_options({}), 1))


def drawn(scene, seats=("black", "white")):
    return ET.fromstring(draw(scene, seats).svg())  # our own


@pytest.mark.parametrize("name", games())
def test_every_game_that_has_a_scene_has_a_picture(name):
    rules, scene = first(name)
    if scene is None:
        pytest.skip("shown as text")
    root = drawn(scene, rules.seats)
    pieces = [mark for mark in scene.marks if not (scene.board == "hex" and mark.shape == "hex")]
    moved = [each for each in root.iter(f"{SVG}g") if "scale" not in each.get("transform", "")]
    assert len(moved) == len(pieces)
    words = [each.text for each in root.iter(f"{SVG}text")]
    assert words == [*scene.row_names, *scene.col_names, *(mark.text for mark in pieces if mark.text)]


def test_the_box_holds_goals_sockets_and_names():
    plain = draw(Scene(3, 3, ()), ("black", "white")).box
    assert plain == Box(0, 0, 300, 300)
    edge = Edge(0, (1,), ((2, 0), (2, 1), (2, 2)), 2, 1)
    rich = draw(Scene(3, 3, (), col_names=("a", "b", "c"), edges=(edge,)), ("black", "white")).box
    assert rich.bottom > 300 + 48 + 60
    assert draw(Scene(3, 3, (), "plain", gaps=((1, 2, 0),)), ("x",)).box.right > 350


def test_a_socket_that_is_filled_holds_a_small_piece():
    edge = Edge(0, (1,), ((2, 0), (2, 1), (2, 2)), 3, 1)
    root = drawn(Scene(3, 3, (), edges=(edge,)))
    assert len([each for each in root.iter(f"{SVG}g") if "scale(.5)" in each.get("transform", "")]) == 1
    assert len([each for each in root.iter(f"{SVG}circle") if each.get("stroke-dasharray")]) == 2


def test_passes_are_dotted_and_ways_dashed():
    lines = (Line("pass", 0, ((0, 0), (2, 2))), Line("way", 0, ((1, 0), (1, 2))))
    root = drawn(Scene(3, 3, (), lines=lines))
    assert {"1 20", "10 12"} <= {each.get("stroke-dasharray") for each in root.iter(f"{SVG}path")}


def test_seats_have_the_page_s_colours_and_entrants_their_own():
    assert ink(("red",), 0) == tokens()["brick"]
    assert ink(("solver",), 1) == tokens()["lapis"]
    mark = Mark("disc", 0, 0, 0)
    assert tokens()["olive"] in draw(Scene(1, 1, (mark,)), ("solver",), entrant=2).svg()


def test_a_text_that_looks_like_markup_stays_a_text():
    root = drawn(Scene(1, 1, (Mark("block", None, 0, 0, text="<b>&"),)))
    assert [each.text for each in root.iter(f"{SVG}text")] == ["<b>&"]


def test_chessmen_have_outlines_of_their_own_and_black_ones_a_sign():
    shapes = ("king", "queen", "rook", "bishop", "knight", "pawn")
    marks = tuple(Mark(shape, seat, seat, col) for seat in (0, 1) for col, shape in enumerate(shapes))
    groups = [each for each in drawn(Scene(2, 6, marks)).iter(f"{SVG}g") if each.get("transform")]
    outlines = [group.find(f"{SVG}path").get("d") for group in groups]
    assert len(set(outlines)) == 6
    assert [len(group.findall(f"{SVG}path")) for group in groups] == [1] * 6 + [2] * 6


def test_pieces_of_a_seat_that_is_out_are_faint():
    root = drawn(Scene(1, 2, (Mark("disc", 0, 0, 0), Mark("disc", 1, 0, 1)), out=(1,)))
    assert [each.get("opacity") for each in root.iter(f"{SVG}g")] == [None, ".45"]


def go(*moves, size=5):
    rules = game("go")
    state = rules.start(rules.parse_options({"size": size}))
    for move in moves:
        state = state.play(move)
    return drawn(rules.scene(state), rules.seats)


def test_stones_stand_on_lines_with_a_ring_on_the_last_one():
    root = go("C3", "B2")
    mesh = next(each for each in root.iter(f"{SVG}path") if each.get("stroke-opacity"))
    assert mesh.get("d").count("h400") == mesh.get("d").count("v400") == 5
    circles = [(each.get("r"), each.get("fill")) for each in root.iter(f"{SVG}circle")]
    assert circles.count(("46", tokens()["black"])) == circles.count(("46", tokens()["white"])) == 1
    ring = next(each for each in root.iter(f"{SVG}circle") if each.get("r") == "21")
    assert (ring.get("cx"), ring.get("cy")) == ("150", "350")
    assert not [each for each in root.iter(f"{SVG}path") if each.get("fill") == tokens()["last"]]


def test_points_that_count_at_the_end_are_no_stones():
    root = go("C3", "pass", "pass")
    squares = [each for each in root.iter(f"{SVG}path") if each.get("fill") == tokens()["black"]]
    assert len(squares) == 24
    assert sum(each.get("r") == "46" for each in root.iter(f"{SVG}circle")) == 1


def test_names_grow_with_a_board_with_lines():
    def height(size):
        return float(next(go(size=size).iter(f"{SVG}text")).get("font-size"))

    assert height(5) == height(9) == 25
    assert height(19) == 45.6
