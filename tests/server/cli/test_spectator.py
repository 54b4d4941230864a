"""The terminal viewer's lines for a match, from the server's messages."""

import pytest
from msgspec import structs

from palio_rules.contract.messages import Finish, Info, Result, SeatOf
from palio_rules.time_control import TimeControl
from palio_server import live
from palio_server.cli.spectator import Spectator

SEATS = [SeatOf("black", "ada"), SeatOf("white", "bob")]


def view(ply, text="the board"):
    return live.View(ply, ply % 2, [9800, 61_000], text)


def snapshot(seq=0, lines=(), **changes):
    summary = live.Summary("m1", "dominoes", "Dominoes", SEATS, TimeControl.parse("10+0.1"), "cup", view(0), "duel", [])
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


def test_a_rejected_move_is_reported_with_its_reason():
    refusal = live.RejectedMoveView(0, 1, "z9", "off-board", "z9 is off the board", 2)
    assert Spectator(snapshot()).hear(live.Rejected(1, "m1", refusal, [1, 2])) == [
        "bob: z9 rejected, z9 is off the board"
    ]


def test_whoever_comes_later_hears_of_rejected_moves_in_their_places():
    moves = [live.PlyView(number, (number - 1) % 2, move, 50) for number, move in ((1, "a1"), (2, "b2"))]
    refused = [
        live.RejectedMoveView(ply, ply % 2, f"z{ply}", "off-board", f"z{ply} is off the board") for ply in (0, 1, 1, 2)
    ]
    lines_shown = Spectator(structs.replace(snapshot(lines=moves), refusals=refused)).introduction()
    assert [line.split("(")[0].split(",")[0].strip() for line in lines_shown[1:-1]] == [
        "ada: z0 rejected",
        "1. ada a1",
        "bob: z1 rejected",
        "bob: z1 rejected",
        "2. bob b2",
        "ada: z2 rejected",
    ]


def test_a_bot_that_leaves_and_returns_is_reported():
    spectator = Spectator(snapshot())
    assert spectator.hear(live.Absent(1, "m1", 0, 30_000)) == ["ada has lost its connection and has 30.0 s to return"]
    assert "away" in spectator.screen()[1]
    assert spectator.hear(live.Back(2, "m1", 0, 20_000)) == ["ada is back"]
    assert "away" not in spectator.screen()[1]


HOSTILE = "\x1b[2J\x07\u202e<img src=x>"


def test_nothing_that_a_bot_or_a_starter_of_matches_says_can_drive_the_terminal():
    line = live.PlyView(1, 0, f"a1{HOSTILE}", 50, Info(text=f"{HOSTILE}\nada vs bob: 1-0"))
    refusal = live.RejectedMoveView(0, 1, HOSTILE, "off-board", f"{HOSTILE}\n", 2)
    spectator = Spectator(snapshot(lines=[line], event=f"cup{HOSTILE}\n", view=view(0, f"{HOSTILE}\nboard")))
    shown = spectator.introduction() + spectator.hear(live.Rejected(1, "m1", refusal, [1, 2])) + [*spectator.screen()]
    shown += spectator.hear(live.Played(2, "m1", line, view(1)))
    crash = Result("crashed", "bot-crashed", [0.0, 1.0], seat=0, detail=f"{HOSTILE}\nlast line")
    shown += [*spectator.hear(live.Finished(3, "m1", crash, view(2, HOSTILE))), *spectator.screen()]
    assert all(text.replace("\n", "").isprintable() for text in shown)
    assert not any(line.startswith("ada vs bob: 1-0") for text in shown for line in text.splitlines())


def test_the_end_is_reported_with_score_and_reason():
    spectator = Spectator(snapshot())
    result = Result("time", "flag-fell", [0.0, 1.0], seat=0)
    assert spectator.hear(live.Finished(1, "m1", result, view(3, "the last board"))) == [
        "the last board",
        "ada vs bob: 0-1 {time: flag-fell}",
    ]
    assert spectator.result == result


def test_a_new_snapshot_replaces_what_was_known():
    spectator = Spectator(snapshot(seq=7))
    assert spectator.hear(snapshot(seq=20, view=view(9, "board 9"))) == ["board 9"]
    assert spectator.seq == 20


def test_after_a_new_snapshot_only_what_was_missed_is_said():
    moves = [live.PlyView(ply, (ply - 1) % 2, f"a{ply}", 50) for ply in range(1, 5)]
    spectator = Spectator(snapshot(lines=moves[:2]))
    refused = [live.RejectedMoveView(2, 0, "z9", "illegal", "no such place")]
    missed = structs.replace(snapshot(seq=9, lines=moves, view=view(4, "board 4")), refusals=refused)
    assert spectator.hear(missed) == [
        "ada: z9 rejected, no such place",
        "  3. ada a3 (0.05 s)",
        "  4. bob a4 (0.05 s)",
        "board 4",
    ]
    assert spectator.hear(missed) == ["board 4"]


def test_plies_that_a_dead_server_had_not_written_down_are_said_to_be_gone():
    moves = [live.PlyView(ply, (ply - 1) % 2, f"a{ply}", 50) for ply in range(1, 4)]
    spectator = Spectator(snapshot(lines=moves))
    again = [moves[0], live.PlyView(2, 1, "b2", 70)]
    assert spectator.hear(snapshot(seq=2, lines=again, view=view(2, "board 2"))) == [
        "the match goes on after ply 1",
        "  2. bob b2 (0.07 s)",
        "board 2",
    ]


@pytest.mark.parametrize(("ms", "shown"), [(9800, "9.8 s"), (61_000, "1:01")])
def test_the_screen_has_both_clocks(ms, shown):
    assert shown in Spectator(snapshot()).screen()[1]


RACERS = [SeatOf("solver", bot) for bot in ("ada", "bob", "cid")]


def board(seat, *race, ply=0):
    return live.View(ply, seat, [9800, 9000, 61_000], f"board of {RACERS[seat].bot} {ply}", None, seat, list(race))


def stand(cost=None, plies=0, end=None):
    return live.RaceStanding(cost, plies, end)


def race_snapshot():
    start = [board(seat, *[stand()] * 3) for seat in range(3)]
    time = TimeControl.parse("10")
    summary = live.Summary("r1", "rush_hour", "Rush Hour", RACERS, time, "", start[0], "race", [])
    return live.MatchSnapshot(1, summary, [], [], start)


def raced(seq, seat, *race, move="c+1"):
    return live.Played(seq, "r1", live.PlyView(seq - 1, seat, move, 50), board(seat, *race, ply=seq - 1))


def test_a_race_is_introduced_by_its_entrants_and_how_they_stand():
    head, leader, shown, table = Spectator(race_snapshot()).introduction()
    assert (head, leader, shown) == ("r1: Rush Hour, ada, bob, cid, 10+0", "ada:", "board of ada 0")
    assert [line.split() for line in table.splitlines()] == [
        ["#", "bot", "cost", "plies", "clock"],
        ["-", "ada", "-", "0", "9.8", "s"],
        ["-", "bob", "-", "0", "9.0", "s"],
        ["-", "cid", "-", "0", "1:01"],
    ]


def test_the_screen_has_the_board_of_whoever_is_ahead():
    spectator = Spectator(race_snapshot())
    spectator.hear(raced(2, 1, stand(), stand(12.0, 1, "solved"), stand()))
    assert spectator.hear(raced(3, 2, stand(), stand(12.0, 1, "solved"), stand(None, 1))) == ["  2. cid c+1 (0.05 s)"]
    lines = spectator.screen()[1].splitlines()
    assert lines[:2] == ["bob:", "board of bob 1"]
    assert lines[3].split() == ["1", "bob", "12", "1", "9.0", "s", "solved"]


def test_the_end_of_a_race_names_all_by_rank_with_what_they_paid():
    spectator = Spectator(race_snapshot())
    ends = [stand(14.0, 3, "solved"), stand(None, 1, "crashed"), stand(12.0, 2, "solved")]
    finishes = [Finish("rule", "solved", 14.0), Finish("crashed", "crashed", None), Finish("rule", "solved", 12.0)]
    result = Result("rule", "ranked", [0.5, 0.0, 1.0], finishes=finishes)
    lines = spectator.hear(live.Finished(2, "r1", result, board(2, *ends, ply=6)))
    assert lines[:2] == ["cid:", "board of cid 0"]
    assert [line.split()[0] for line in lines[2].splitlines()] == ["#", "1", "2", "-"]
    assert lines[3] == "ada, bob, cid: cid 12, ada 14, bob - {ranked}"


def test_the_end_of_a_race_has_the_traceback_of_each_that_crashed():
    spectator = Spectator(race_snapshot())
    crash = Finish("crashed", "bot-crashed", None, "Traceback:\nRuntimeError: boom\x1b[2J")
    finishes = [crash, Finish("rule", "solved", 14.0), Finish("crashed", "bot-crashed", None, "exited with status 7")]
    result = Result("rule", "ranked", [0.25, 1.0, 0.25], finishes=finishes)
    ends = [stand(end="bot-crashed"), stand(14.0, 3, "solved"), stand(end="bot-crashed")]
    assert spectator.hear(live.Finished(2, "r1", result, board(1, *ends, ply=3)))[3:] == [
        "ada, bob, cid: bob 14, ada -, cid - {ranked}",
        "ada:\n  | Traceback:\n  | RuntimeError: boom\\x1b[2J",
        "cid: exited with status 7",
    ]


def test_three_seats_have_three_clocks():
    seats = [SeatOf(name, bot) for name, bot in (("red", "ada"), ("green", "bob"), ("blue", "cid"))]
    view = live.View(0, 2, [9800, 61_000, 7000], "the board")
    spectator = Spectator(snapshot(seats=seats, view=view, kind="table"))
    assert spectator.introduction()[0] == "m1: Dominoes, ada (red) vs bob (green) vs cid (blue), 10+0.1, cup"
    clocks = spectator.screen()[1].splitlines()[:3]
    assert [line.split()[-2:] for line in clocks] == [["9.8", "s"], ["bob", "1:01"], ["7.0", "s"]]
    assert clocks[2].startswith(">")
    third = Result("rule", "repetition", [1 / 3] * 3)
    assert spectator.hear(live.Finished(1, "m1", third, view))[-1] == "ada vs bob vs cid: 1/3-1/3-1/3 {repetition}"
