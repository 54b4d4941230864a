"""What a viewer in the terminal is told of a match, from the messages that the server sends."""

import pytest
from msgspec import structs

from palio_rules import live
from palio_rules.messages import Info, Result, SeatOf
from palio_rules.time_control import TimeControl
from palio_server.console.spectator import Spectator

SEATS = [SeatOf("black", "ada"), SeatOf("white", "bob")]


def view(ply, text="the board"):
    return live.View(ply, ply % 2, [9800, 61_000], text)


def snapshot(seq=0, lines=(), **changes):
    summary = live.Summary("m1", "dominoes", "Dominoes", SEATS, TimeControl.parse("10+0.1"), "cup", view(0), [])
    return live.MatchSnapshot(seq, structs.replace(summary, **changes), list(lines), [])


def played(seq, ply, move="a1", info=None):
    return live.Played(seq, "m1", live.PlyView(ply, (ply - 1) % 2, move, 50, info), view(ply, f"board {ply}"))


def test_the_introduction_says_who_plays_what_and_shows_the_board():
    opening = live.PlyView(1, 0, "c3", None)
    assert Spectator(snapshot(lines=[opening])).introduction() == [
        "m1: Dominoes, ada (black) vs bob (white), 10+0.1, cup",
        "  1. ada c3 (opening)",
        "the board",
    ]


def test_each_move_is_a_line_with_its_time_and_the_bots_own_notes():
    spectator = Spectator(snapshot())
    info = Info(depth=4, nodes=1234, score=0.5)
    assert spectator.hear(played(1, 1, "a1", info)) == ["  1. ada a1 (0.05 s, depth 4, 1234 nodes, score 0.5)"]
    assert spectator.hear(played(2, 2, "b2")) == ["  2. bob b2 (0.05 s)"]
    assert spectator.summary.view.text == "board 2"


def test_what_was_heard_before_or_belongs_to_another_match_tells_nothing():
    spectator = Spectator(snapshot(seq=5))
    assert spectator.hear(played(5, 1)) == []
    assert spectator.hear(live.Played(9, "m2", live.PlyView(1, 0, "a1", 5), view(1))) == []
    assert spectator.seq == 5


def test_a_refused_move_is_told_with_its_reason():
    refusal = live.RefusalView(0, 1, "z9", "off-board", "z9 is off the board", 2)
    assert Spectator(snapshot()).hear(live.Refused(1, "m1", refusal, [1, 2])) == [
        "bob: z9 refused, z9 is off the board"
    ]


def test_a_bot_that_leaves_and_returns_is_told_of():
    spectator = Spectator(snapshot())
    assert spectator.hear(live.Absent(1, "m1", 0, 30_000)) == ["ada has lost its connection and has 30.0 s to return"]
    assert "away" in spectator.screen()[1]
    assert spectator.hear(live.Back(2, "m1", 0, 20_000)) == ["ada is back"]
    assert "away" not in spectator.screen()[1]


HOSTILE = "\x1b[2J\x07\u202e<img src=x>"


def test_nothing_that_a_bot_or_a_starter_of_matches_says_can_drive_the_terminal():
    line = live.PlyView(1, 0, f"a1{HOSTILE}", 50, Info(text=f"{HOSTILE}\nada vs bob: 1-0"))
    refusal = live.RefusalView(0, 1, HOSTILE, "off-board", f"{HOSTILE}\n", 2)
    spectator = Spectator(snapshot(lines=[line], event=f"cup{HOSTILE}\n", view=view(0, f"{HOSTILE}\nboard")))
    shown = spectator.introduction() + spectator.hear(live.Refused(1, "m1", refusal, [1, 2])) + [*spectator.screen()]
    shown += spectator.hear(live.Played(2, "m1", line, view(1)))
    crash = Result("crashed", "bot-crashed", [0.0, 1.0], seat=0, detail=f"{HOSTILE}\nlast line")
    shown += [*spectator.hear(live.Finished(3, "m1", crash, view(2, HOSTILE))), *spectator.screen()]
    assert all(text.replace("\n", "").isprintable() for text in shown)
    assert not any(line.startswith("ada vs bob: 1-0") for text in shown for line in text.splitlines())


def test_the_end_is_told_with_score_and_reason():
    spectator = Spectator(snapshot())
    result = Result("time", "flag-fell", [0.0, 1.0], seat=0)
    assert spectator.hear(live.Finished(1, "m1", result, view(3, "the last board"))) == [
        "the last board",
        "ada vs bob: 0-1 {time: flag-fell}",
    ]
    assert spectator.result == result


def test_a_new_snapshot_replaces_what_was_known():
    spectator = Spectator(snapshot(seq=7))
    assert spectator.hear(snapshot(seq=20, view=view(9, "board 9")))[1:] == ["board 9"]
    assert spectator.seq == 20


@pytest.mark.parametrize(("ms", "shown"), [(9800, "9.8 s"), (61_000, "1:01")])
def test_the_screen_has_both_clocks(ms, shown):
    assert shown in Spectator(snapshot()).screen()[1]
