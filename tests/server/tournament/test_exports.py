"""An event for other programs: the figures of its standings, readable by csv, Markdown and JSON."""

import csv
import json
from io import StringIO

import pytest

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_server.tournament.event import Event
from palio_server.tournament.event_faults import unplayed_faults
from palio_server.tournament.exports import crosstable_markdown, event_json, standings_csv
from palio_server.tournament.format import format_of

SCORES = {("ann", "bob"): (1.0, 0.0), ("bob", "cy"): (0.5, 0.5), ("ann", "cy"): (1.0, 0.0)}


@pytest.fixture
def format_():
    return format_of("round_robin", {"games_per_encounter": 1, "tie_breaks": "direct_encounter,sonneborn_berger"})


@pytest.fixture
def event(format_):
    """Ann has beaten both, Bob and Cy, who have drawn; Cy has left."""
    event = Event("breakthrough", [Entry("ann", 1), Entry("bob", 2), Entry("cy", 3)])
    for number, plan in enumerate(format_.next(event, 100), 1):
        event.add(EncounterRow(number, plan))
        if plan.kind == "played":
            known = plan.bots if plan.bots in SCORES else plan.bots[::-1]
            scores = SCORES[known] if known == plan.bots else SCORES[known][::-1]
            event.note(EventMatch(f"m{number}", number, 0, plan.bots, "finished", scores))
    event.enter(Entry("cy", 3, left=4))
    return event


def test_standings_are_lines_of_csv(event, format_):
    assert standings_csv(event, format_, unplayed_faults(event)) == (
        "rank,bot,points,played,wins,draws,losses,byes,bye_points,forfeits,direct_encounter,sonneborn_berger,left,note,"
        "faults,reason\n"
        "1,ann,2,2,2,0,0,0,0,0,0,1,,,0,\n"
        "2,bob,0.5,2,0,1,1,0,0,0,0,0.25,,,0,\n"
        "2,cy,0.5,2,0,1,1,0,0,0,0,0.25,yes,,0,left: it was withdrawn\n"
    )


def test_names_that_csv_would_split_stay_whole(event, format_):
    event.enter(Entry('d,"e"', 4))
    rows = list(csv.DictReader(standings_csv(event, format_).splitlines()))
    assert rows[-1]["bot"] == 'd,"e"'


def test_the_cross_table_is_a_table_in_markdown(event, format_):
    assert crosstable_markdown(event, format_).splitlines() == [
        "| # | bot | points | DE | SB | 1 | 2 | 3 |",
        "| --: | :-- | --: | --: | --: | --: | --: | --: |",
        "| 1 | ann | 2/2 | 0 | 1.00 | - | 1/1 | 1/1 |",
        "| 2\N{EN DASH}3 | bob | 0.5/2 | 0 | 0.25 | 0/1 | - | 0.5/1 |",
        "| 2\N{EN DASH}3 | cy | 0.5/2 | 0 | 0.25 | 0/1 | 0.5/1 | - |",
    ]


def test_a_bar_in_a_name_does_not_end_its_cell(event, format_):
    event.enter(Entry("a|b", 4))
    assert "| a\\|b |" in crosstable_markdown(event, format_)


def test_json_has_all_of_the_event(event, format_):
    data = json.loads(event_json(event, format_))
    assert (data["game"], data["format"], data["over"]) == ("breakthrough", "round_robin", True)
    assert data["rules"]["games_per_encounter"] == 1
    assert data["tie_breaks"] == ["direct_encounter", "sonneborn_berger"]
    assert [line["bot"] for line in data["standings"]] == ["ann", "bob", "cy"]
    assert [entry["left"] for entry in data["entries"]] == [None, None, 4]
    assert [each["round"] for each in data["rounds"]] == [1, 2, 3]
    [game, bye] = data["rounds"][0]["encounters"]
    assert (game["bots"], game["points"]) == (["bob", "cy"], {"bob": 0.5, "cy": 0.5})
    assert game["matches"][0]["scores"] == [0.5, 0.5]
    assert (bye["kind"], bye["part"], bye["bots"]) == ("absent", "bye", ["ann"])
    assert data["details"] == {"bracket": None, "groups": [], "sprt": None}


def test_the_reason_of_a_bot_that_did_not_start_stands_in_its_note():
    event = Event("dominoes", [Entry("ann", 1), Entry("bob", 2)])
    event.broken = {"bob": "ended with exit code 2 before it joined: line 3: bad"}
    event.add(EncounterRow(1, Plan(1, 1, ("ann", "bob"), games=2)))
    event.forfeit(1, "bob")
    format_ = format_of("round_robin")
    lines = list(csv.DictReader(StringIO(standings_csv(event, format_))))
    assert [(line["bot"], line["points"], line["note"]) for line in lines] == [
        ("ann", "2", ""), ("bob", "0", "did not start: ended with exit code 2 before it joined: line 3: bad")
    ]  # fmt: skip
    notes = [line["note"] for line in json.loads(event_json(event, format_))["standings"]]
    assert notes == ["", "did not start: ended with exit code 2 before it joined: line 3: bad"]
