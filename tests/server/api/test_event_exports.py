"""Events as files."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan, TournamentRow
from palio_rules.errors import BadOption
from palio_server.api.event_views import EventView, exported
from palio_server.tournament.event_faults import EventFault

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
ROW = TournamentRow(
    1, "cup|of *tea*", "breakthrough", "podium", {}, {}, "finished", "listed", "palio",
    (Entry("ann", 1), Entry("-bob", 2)), NOW, None, None, None, 0, 0, 2, 0,
)  # fmt: skip
ROWS = [EncounterRow(1, Plan(1, 1, ("ann", "-bob"), 2))]
MATCHES = [
    EventMatch("m1", 1, 0, ("ann", "-bob"), "finished", (1.0, 0.0)),
    EventMatch("m2", 1, 1, ("-bob", "ann"), "finished", (0.5, 0.5)),
]


@pytest.fixture
def view(podium):
    return EventView(ROW, ROWS, MATCHES)


def test_json_has_what_the_rules_said_of_each_game(podium):
    found = EventView(ROW, ROWS, [replace(MATCHES[0], detail="Black wins by 3.5 points"), MATCHES[1]])
    [round_] = json.loads(exported(found, "json"))["rounds"]
    [encounter] = round_["encounters"]
    assert [match["detail"] for match in encounter["matches"]] == ["Black wins by 3.5 points", None]


def test_csv_is_read_by_any_reader(view):
    head, first, second = csv.reader(io.StringIO(exported(view, "csv")))
    assert head[:7] == ["rank", "bot", "points", "played", "wins", "draws", "losses"]
    assert head[7:] == ["byes", "bye_points", "forfeits", "tie_break_wins", "left", "note", "faults", "reason"]
    assert first[:11] == ["1", "ann", "1.5", "2", "1", "1", "0", "0", "0", "0", "1"]
    assert second[1] == "-bob"


def test_csv_has_the_reasons_of_faults_and_of_bots_that_did_not_start(podium):
    broken = replace(ROW, settings={"broken": {"-bob": "line 3: bad"}})
    faults = [EventFault("ann", "crashed", "KeyError: 1", 1, "m2", 2, 1, ("-bob",))]
    found = EventView(broken, ROWS, MATCHES)
    assert found.event.broken == {"-bob": "line 3: bad"}
    ann, _ = csv.DictReader(io.StringIO(exported(found, "csv", faults)))
    assert (ann["faults"], ann["reason"]) == ("1", "crashed (1 game): KeyError: 1")


def test_markdown_is_a_table_of_whom_each_has_met(view):
    lines = exported(view, "md").splitlines()
    assert len(lines) == 4
    assert all(line.startswith("| ") and line.endswith(" |") for line in lines)
    assert "1.5/2" in lines[2]


def test_trf_has_a_line_for_each_player(view):
    lines = exported(view, "trf").splitlines()
    assert [line[14:47].strip() for line in lines if line.startswith("001")] == ["ann", "-bob"]


@pytest.mark.parametrize("form", ["csv", "md", "trf"])
def test_without_its_format_an_event_is_exported_as_json_only(podium, form):
    gone = EventView(replace(ROW, format="carousel"), ROWS, MATCHES)
    with pytest.raises(BadOption, match="unknown format 'carousel'"):
        exported(gone, form)
    assert json.loads(exported(gone, "json"))["tournament"]["format"] == "carousel"


def test_json_has_everything_but_the_games(view):
    value = json.loads(exported(view, "json"))
    assert value["tournament"]["standings"][0]["bot"] == "ann"
    assert value["rounds"][0]["encounters"][0]["points"] == [1.5, 0.5]
