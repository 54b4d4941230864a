"""What the person at the terminal reads: news on stdout, trouble on stderr, the score at the end."""

import json

import pytest

from palio_clients.cli.join import EventPrinter
from palio_clients.sdk.events import (
    Abandoned,
    Complaint,
    Crashed,
    Disconnected,
    Fault,
    GameBegins,
    HelloWanted,
    MatchOver,
    MoveRejected,
    Refused,
    SeatAbsent,
    SeatBack,
)
from palio_rules.contract import messages
from palio_rules.contract.messages import GameMessage, Result, SeatOf
from palio_rules.time_control import TimeControl


def game(*bots, seat=0):
    seats = [SeatOf(name, bot) for name, bot in zip(("red", "green", "blue"), bots, strict=False)]
    return GameBegins("m1", GameMessage("m1", "chexers", {}, "", seat, seats, TimeControl(), 3))


@pytest.mark.parametrize(
    ("scores", "seat", "how"),
    [
        ([1.0, 0.0], 0, "won"),
        ([1.0, 0.0], 1, "lost"),
        ([0.5, 0.5], 0, "drawn"),
        ([0.5, 0.5, 0.0], 1, "drawn"),
        ([0.5, 0.5, 0.0], 2, "lost"),
        ([0.0, 0.0, 1.0], 2, "won"),
    ],
)
def test_a_result_is_told_from_the_bots_own_view(capsys, scores, seat, how):
    printer = EventPrinter("me")
    printer(game(*"abc"[: len(scores)], seat=seat))
    printer(MatchOver("m1", Result("rule", "no-moves", scores)))
    printer.print_score()
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == f"match m1: {how} (no-moves)"
    score = ", ".join(f"{int(how == word)} {word}" for word in ("won", "drawn", "lost"))
    assert lines[2] == f"played 1 game: {score}"


def test_a_result_has_the_points_where_the_rules_tell_them(capsys):
    printer = EventPrinter("me")
    printer(game("me", "you"))
    printer(MatchOver("m1", Result("rule", "score", [0.0, 1.0], detail="White wins by 3.5 points")))
    assert capsys.readouterr().out.splitlines()[-1] == "match m1: lost (White wins by 3.5 points)"


def test_a_forfeit_names_what_ended_the_match(capsys):
    printer = EventPrinter("me")
    printer(game("me", "you"))
    printer(MatchOver("m1", Result("time", "flag-fell", [0.0, 1.0], 0)))
    assert capsys.readouterr().out.splitlines() == [
        "match m1: chexers as red against you",
        "match m1: lost (time: flag-fell)",
    ]


TROUBLE = [
    (
        Crashed("m1", "Traceback\nKeyError"),
        "match m1: the bot has failed, the match is given up\nTraceback\nKeyError\n",
    ),
    (Fault("odd", "m1"), "match m1: odd\n"),
    (Fault("odd"), "odd\n"),
    (Refused("bad-token", "no such token"), "refused: no such token\n"),
    (Complaint(messages.Error("stale-id", "turn 1 is over")), "the server complains: turn 1 is over (stale-id)\n"),
    (HelloWanted("say hello"), "say hello\n"),
]


@pytest.mark.parametrize(("notice", "text"), TROUBLE)
@pytest.mark.parametrize("quiet", [True, False])
def test_trouble_goes_to_stderr_however_quiet(capsys, notice, text, quiet):
    EventPrinter("me", quiet=quiet)(notice)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", text)


NEWS = [
    (Disconnected("the connection broke", 0.51), "the connection broke; trying again in 0.5 s"),
    (Abandoned("m1", "no such match"), "match m1: gone: no such match"),
    (SeatAbsent("m1", messages.Absent("m1", 1, 30_000)), "match m1: the opponent is absent, with 30 s of absence left"),
    (SeatBack("m1", messages.Back("m1", 1, 25_000)), "match m1: the opponent is back, with 25 s of absence left"),
    (
        MoveRejected("m1", messages.Rejected("m1", 1, "no", "b2 is your own piece", 2, [])),
        "match m1: the move is rejected: b2 is your own piece (2 strikes left)",
    ),
]


@pytest.mark.parametrize(("notice", "line"), NEWS)
def test_news_are_one_line_and_silent_when_quiet(capsys, notice, line):
    EventPrinter("me")(notice)
    EventPrinter("me", quiet=True)(notice)
    assert capsys.readouterr().out == f"{line}\n"


@pytest.mark.parametrize("notice", [notice for notice, _ in (*NEWS, *TROUBLE)])
def test_as_json_everything_is_one_object_on_stdout(capsys, notice):
    EventPrinter("me", as_json=True)(notice)
    captured = capsys.readouterr()
    assert json.loads(captured.out)["event"]
    assert captured.err == ""


def test_a_server_cannot_drive_the_terminal(capsys):
    EventPrinter("mine")(Refused("nope", "\x1b[2Jgo away\x07"))
    assert capsys.readouterr().err == "refused: \\x1b[2Jgo away\\x07\n"
