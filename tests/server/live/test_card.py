"""The picture beside a shared link: names, result and board, as large as other sites want it."""

import struct
from xml.etree import ElementTree as ET

import pytest

from palio_rules.contract.messages import Result, SeatOf
from palio_rules.registry import game, games
from palio_rules.time_control import TimeControl
from palio_server import live
from palio_server.live import card
from palio_server.live.card import card_svg, png


def summary_of(name, bots, result=None):
    rules = game(name)
    state = rules.start(rules.parse_options({}), 1)
    race = rules.kind == "race"
    names = ["solver"] * len(bots) if race else rules.seats
    seats = [SeatOf(seat, bot) for seat, bot in zip(names, bots, strict=False)]
    view = live.View(0, 0, [None] * len(seats), rules.render(state), rules.scene(state), 0 if race else None)
    return live.Summary("m", name, rules.title, seats, TimeControl(), "", view, rules.kind, [], result)


def words(svg):
    return [each.text for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # our own


def test_it_names_the_game_the_bots_and_how_it_ended():
    result = Result("rule", "reached-far-row", [1.0, 0.0])
    told = words(card_svg(summary_of("breakthrough", ["ada & co", "b" * 40], result)))
    assert {"Breakthrough", "ada & co", "b" * 21 + "…", "ada & co wins: reached far row"} <= set(told)


def test_of_many_entrants_some_are_named():
    told = words(card_svg(summary_of("rush_hour", [f"bot {number}" for number in range(9)])))
    assert "and 5 more" in told
    assert "ply 0" in told


def test_a_draw_has_no_winner():
    told = words(card_svg(summary_of("chexers", ["a", "b", "c"], Result("rule", "repetition", [1 / 3] * 3))))
    assert "drawn: repetition" in told


@pytest.mark.parametrize("name", games())
def test_every_game_has_a_png_of_1200_by_630(name):
    pytest.importorskip("resvg_py")
    picture = png(card_svg(summary_of(name, ["ada", "bob", "cyd"])))
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (1200, 630)
    assert len(picture) < 300_000


def test_letters_are_drawn_on_a_machine_without_fonts():
    resvg = pytest.importorskip("resvg_py")
    svg = card_svg(summary_of("breakthrough", ["ada", "bob"]))
    bare = bytes(resvg.svg_to_bytes(svg_string=svg, skip_system_fonts=True))
    ours = bytes(
        resvg.svg_to_bytes(
            svg_string=svg, skip_system_fonts=True, font_files=[card._font()], sans_serif_family="DejaVu Sans"
        )
    )
    assert ours != bare
    assert len(ours) > len(bare)
