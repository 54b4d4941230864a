"""A match as an animated GIF: a frame for every ply of every game, within bounds, the end held."""

import random
from datetime import UTC, datetime
from io import BytesIO
from xml.etree import ElementTree as ET

import pytest

from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.registry import game, games
from palio_rules.time_control import TimeControl
from palio_server.live import animation
from palio_server.live.animation import HEIGHT, HOLD_MS, LONGEST_MS, WIDTH, durations, frame_svg, frames_of, gif
from palio_server.live.replay import replay_record

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("resvg_py")
THEN = datetime(2025, 7, 2, tzinfo=UTC)


def played(name, most=4):
    """The replay of a match whose seats play at random for some plies; in a race the first entrant alone moves."""
    rules, rng, plies = game(name), random.Random(1), []
    bots = ("ada", "bob") if rules.kind == "race" else ("ada", "bob & co", "cyd")[: len(rules.seats)]
    setup = Setup(name, bots, seed=1, time=TimeControl(move_ms=500))
    state = setup.first()
    while state.to_move is not None and len(plies) < most and not rules.anytime:
        move = rng.choice(list(state.legal_moves()))
        plies.append(Ply(state.to_move, rules.move_to_wire(move), 5))
        state = state.play(move)
    result = Result("rule", "far-row", [1.0] + [0.0] * (len(bots) - 1))
    return replay_record(Record("m", setup, tuple(plies), result, THEN, THEN))


@pytest.mark.parametrize("name", games())
@pytest.mark.first(3)
def test_every_game_has_a_frame_for_the_first_position_and_one_for_each_ply(name):
    replay = played(name)
    with Image.open(BytesIO(gif(replay))) as moving:
        assert (moving.format, moving.size, getattr(moving, "n_frames", 1)) == (
            "GIF",
            (WIDTH, HEIGHT),
            len(replay.views),
        )


def test_the_end_is_held_and_the_animation_begins_again():
    with Image.open(BytesIO(gif(played("breakthrough")))) as moving:
        shown = []
        for number in range(moving.n_frames):
            moving.seek(number)
            shown.append(moving.info["duration"])
        assert moving.info["loop"] == 0
    assert shown == durations(5)
    assert shown[-1] == HOLD_MS > shown[0]


def test_two_positions_are_two_pictures_and_the_last_says_who_won():
    replay = played("breakthrough")
    first, *_, last = frames_of(replay)
    assert (first.foot, last.foot) == ("ply 0 of 4", "ada wins: far row")
    texts = [each.text for each in ET.fromstring(frame_svg(replay.summary, last)).iter() if each.text]  # our own
    assert {"ada", "bob & co"} <= set(texts)
    with Image.open(BytesIO(gif(replay))) as moving:
        opened = moving.convert("RGB").tobytes()
        moving.seek(4)
        assert moving.convert("RGB").tobytes() != opened


def test_a_long_match_leaves_plies_out_evenly_and_keeps_both_ends(monkeypatch):
    monkeypatch.setattr(animation, "MOST_FRAMES", 4)
    feet = [frame.foot for frame in frames_of(played("breakthrough", most=10))]
    assert feet == ["ply 0 of 10", "ply 3 of 10", "ply 6 of 10", "ply 9 of 10", "ada wins: far row"]


@pytest.mark.parametrize("count", [1, 2, 50, 241])
def test_no_animation_lasts_longer_than_a_minute_and_its_end(count):
    assert len(durations(count)) == count
    assert sum(durations(count)) <= LONGEST_MS + HOLD_MS


def test_a_race_shows_the_boards_of_its_entrants_side_by_side():
    frames = frames_of(played("rush_hour", most=2))
    assert [[view.seat for view in frame.views] for frame in frames] == [[0, 1]] * 3
    assert frames[0].views[0].scene == frames[2].views[1].scene != frames[2].views[0].scene


def test_a_game_without_pictures_has_no_frames(monkeypatch):
    monkeypatch.setattr(type(game("breakthrough")), "scene", lambda self, state: None)
    replay = played("breakthrough")
    assert (frames_of(replay), gif(replay)) == ([], None)
