"""Every way to lose by one's own fault has a reason in a word, a sentence, and its games, which add up."""

import csv
import json
from datetime import UTC, datetime
from io import StringIO

import pytest

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_rules.contract.messages import Finish, Result
from palio_rules.records.record import Ply, Record, RejectedMove, Setup
from palio_rules.time_control import TimeControl
from palio_server.cli.tournament_report import show_report
from palio_server.tournament.event import Event
from palio_server.tournament.event_faults import EventFault, fault_lines, reasons, unplayed_faults
from palio_server.tournament.event_report import EventReport
from palio_server.tournament.exports import event_json, standings_csv
from palio_server.tournament.fault_report import faults_in
from palio_server.tournament.format import format_of

THEN = datetime(2026, 11, 20, tzinfo=UTC)

LOST = "its connection was lost, and it did not come back within 30 s"


def record(result, *refusals, game="breakthrough", bots=("mine", "random"), plies=(), time="inf"):
    return Record("m1", Setup(game, bots, time=TimeControl.from_text(time)), plies, result, THEN, THEN, refusals)


def lost(termination, reason, detail=""):
    return Result(termination, reason, [0.0, 1.0], 0, detail)


@pytest.mark.parametrize(
    ("result", "word", "sentence"),
    [
        (lost("crashed", "bot-crashed", "Traceback\nKeyError: 1"), "crashed", "KeyError: 1"),
        (lost("crashed", "limit-used-up", "memory 128M used up"), "memory", "memory 128M used up"),
        (lost("crashed", "limit-used-up", "open files 256 used up"), "open files", "open files 256 used up"),
        (lost("crashed", "limit-used-up", "something else"), "limit", "something else"),
        (lost("illegal", "flood", "70 messages between two plies"), "flood", "70 messages between two plies"),
        (lost("illegal", "too-many-bad-messages", "not JSON"), "bad messages", "not JSON"),
        (lost("illegal", "too-many-illegal-moves"), "illegal", "row 9 is off the board"),
        (lost("stalled", "never-ready"), "not ready", "it was not ready within 30 s"),
        (lost("disconnected", "grace-over"), "disconnected", LOST),
        (lost("revoked", "token-revoked", "its token is revoked"), "revoked", "its token is revoked"),
    ],
)  # fmt: skip
def test_each_fault_has_a_word_and_a_sentence(result, word, sentence):
    refusal = RejectedMove(0, 0, "1", "off-board", "row 9 is off the board")
    refusals = [refusal] if result.reason == "too-many-illegal-moves" else []
    [fault] = faults_in(record(result, *refusals))
    assert (fault.bot, fault.reason, fault.sentence) == ("mine", word, sentence)


def test_time_says_which_clock():
    [fault] = faults_in(record(lost("time", "move-limit"), time="1/move"))
    assert fault.reason == "time"
    assert fault.sentence.startswith("its move 1 took longer than the 1 s of a move")


@pytest.mark.parametrize("result", [Result("rule", "reached-far-row", [0.0, 1.0]), lost("resigned", "resigned"),
                                    Result("adjudicated", "nobody-ready", [0.5, 0.5])])  # fmt: skip
def test_to_lose_to_resign_and_to_be_adjudicated_is_no_fault(result):
    assert faults_in(record(result)) == []


def test_at_a_table_each_that_is_out_has_a_fault_and_in_a_race_each_that_has_failed():
    plies = (Ply(0, None, 5, out="crashed"), Ply(1, [0], 5))
    table = record(Result("rule", "exits", [0, 0, 1.0], detail="red: KeyError: 1"), game="chexers", bots=tuple("abc"),
                   plies=plies)  # fmt: skip
    assert [(fault.bot, fault.reason, fault.sentence) for fault in faults_in(table)] == [
        ("a", "crashed", "KeyError: 1")
    ]
    finishes = [Finish("rule", "solved", 12.0), Finish("time", "flag-fell", None)]
    race = record(Result("rule", "over", [1.0, 0.0], finishes=finishes), game="rush_hour")
    assert [(fault.bot, fault.reason) for fault in faults_in(race)] == [("random", "time")]
    anytime = record(Result("rule", "over", [1.0, 0.0], finishes=finishes), game="tsp")
    assert faults_in(anytime) == [], "an anytime race always ends by time"


@pytest.fixture
def event():
    """Ann beat bob once by his crash, then he was given up; cy did not start, dee was withdrawn, eve did not come."""
    event = Event("dominoes", [Entry(bot, number) for number, bot in enumerate(("ann", "bob", "cy", "dee", "eve"), 1)])
    pairs = [("ann", "bob"), ("ann", "cy"), ("ann", "dee"), ("ann", "eve")]
    for number, bots in enumerate(pairs, 1):
        event.add(EncounterRow(number, Plan(number, 1, bots, games=2)))
    event.note(EventMatch("m0", 1, 0, ("ann", "bob"), "finished", (1.0, 0.0), termination="crashed"))
    for number, (_, bot) in enumerate(pairs, 1):
        event.forfeit(number, bot)
    event.enter(Entry("bob", 2, left=5))
    event.enter(Entry("dee", 4, left=5))
    event.read_reasons({"broken": {"cy": "line 3: bad"}, "given_up": {"bob": "it died"}})
    return event


@pytest.fixture
def faults(event):
    return [*unplayed_faults(event), EventFault("bob", "crashed", "KeyError: 1", 1, "m0", 1, 1, ("ann",))]


def test_what_was_not_played_has_its_reason_too(event):
    assert [(each.bot, each.reason, each.sentence, each.games) for each in unplayed_faults(event)] == [
        ("bob", "given up", "it died", 1), ("cy", "did not start", "line 3: bad", 2),
        ("dee", "left", "it was withdrawn", 2), ("eve", "absent", "it did not come to its games", 2),
    ]  # fmt: skip


def test_faults_of_one_kind_are_one_line_with_the_last_sentence(faults):
    more = EventFault("bob", "crashed", "IndexError", 1, "m7", 3, 1, ("ann",))
    lines = fault_lines([*faults, more], ["cy", "bob"])
    assert [(line.bot, line.reason, line.games, line.sentence, line.match) for line in lines[:3]] == [
        ("cy", "did not start", 2, "line 3: bad", ""), ("bob", "given up", 1, "it died", ""),
        ("bob", "crashed", 2, "IndexError", "m7"),
    ]  # fmt: skip
    assert reasons(faults)["bob"] == "given up (1 game not played): it died; crashed (1 game): KeyError: 1"


def test_the_csv_has_a_reason_for_each_end_and_adds_up(event, faults):
    format_ = format_of("round_robin")
    lines = {line["bot"]: line for line in csv.DictReader(StringIO(standings_csv(event, format_, faults)))}
    assert {bot: line["reason"].partition(" (")[0] for bot, line in lines.items()} == {
        "ann": "", "bob": "given up", "cy": "did not start", "dee": "left", "eve": "absent"
    }  # fmt: skip
    for line in lines.values():
        figures = {name: float(line[name]) for name in ("played", "wins", "draws", "losses", "bye_points", "points")}
        assert figures["played"] == figures["wins"] + figures["draws"] + figures["losses"]
        assert figures["points"] == figures["wins"] + figures["draws"] / 2 + figures["bye_points"]
        assert int(line["faults"]) <= int(line["losses"])
    assert lines["bob"]["faults"] == "1"


def test_json_has_them_by_bot_and_one_by_one(event, faults):
    data = json.loads(event_json(event, format_of("round_robin"), faults))
    bob = next(line for line in data["standings"] if line["bot"] == "bob")
    assert (bob["faults"], bob["reason"]) == (1, reasons(faults)["bob"])
    assert data["faults"][-1] == {
        "bot": "bob", "reason": "crashed", "sentence": "KeyError: 1", "games": 1, "match": "m0", "game": 1, "round": 1,
        "against": ["ann"],
    }  # fmt: skip
    assert (data["faults"][0]["match"], data["faults"][0]["games"]) == (None, 1)


def test_the_terminal_lists_them_with_the_match_to_look_at(event, faults, capsys):
    show_report(EventReport(event, format_of("round_robin"), faults=faults))
    said = capsys.readouterr().out
    table = [line.split(maxsplit=1) for line in said.partition("Games lost by faults\n")[2].splitlines()[:6]]
    assert ["bob", "crashed            1  KeyError: 1 (palio match show m0)"] in table
    assert any(line[0] == "cy" and line[1].endswith("line 3: bad") for line in table)
