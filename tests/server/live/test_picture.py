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


def test_pieces_of_a_seat_that_is_out_are_faint():
    root = drawn(Scene(1, 2, (Mark("disc", 0, 0, 0), Mark("disc", 1, 0, 1)), out=(1,)))
    assert [each.get("opacity") for each in root.iter(f"{SVG}g")] == [None, ".45"]
