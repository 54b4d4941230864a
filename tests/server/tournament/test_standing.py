"""Standings add up, with byes and forfeits, in every form in which they are shown."""

import csv
import json
from io import StringIO

import pytest

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_server.cli.printing import columns
from palio_server.tournament.crosstable import crosstable_of, grid
from palio_server.tournament.event import Event
from palio_server.tournament.exports import crosstable_markdown, event_json, standings_csv
from palio_server.tournament.format import format_of
from palio_server.tournament.progress import best_text
from palio_server.tournament.standing import shared_places


@pytest.fixture(params=["encounters", "games"])
def swiss(request):
    """A Swiss of three in two rounds of two games: ann has beaten cy and has had a bye, cy has not come to bob."""
    event = Event("dominoes", [Entry("ann", 1), Entry("bob", 2), Entry("cy", 3)])
    plans = [
        Plan(1, 1, ("ann", "cy"), 2),
        Plan(1, 2, ("bob",), 0, kind="pairing-bye"),
        Plan(2, 1, ("bob", "cy"), 2),
        Plan(2, 2, ("ann",), 0, kind="pairing-bye"),
    ]
    for number, plan in enumerate(plans, 1):
        event.add(EncounterRow(number, plan))
    event.note(EventMatch("m0", 1, 0, ("ann", "cy"), "finished", (1.0, 0.0)))
    event.note(EventMatch("m1", 1, 1, ("cy", "ann"), "finished", (0.0, 1.0)))
    event.forfeit(3, "cy")
    return event, format_of("swiss", {"rounds": 2, "scoring": request.param, "tie_breaks": "wins"})


def test_points_are_wins_half_the_draws_and_byes_and_never_more_than_what_was_counted(swiss):
    event, format_ = swiss
    unit = 2 if format_.rules.scoring == "games" else 1
    lines = {line.bot: line for line in format_.standings(event)}
    for line in lines.values():
        assert line.points == line.wins + line.draws / 2 + line.bye_points
        assert line.played == line.wins + line.draws + line.losses
        assert line.points <= line.counted == 2 * unit
    assert {bot: (line.byes, line.bye_points, line.forfeits) for bot, line in lines.items()} == {
        "ann": (unit, unit, 0), "bob": (unit, unit, unit), "cy": (0, 0, unit)
    }  # fmt: skip


def test_the_csv_adds_up(swiss):
    event, format_ = swiss
    reader = csv.DictReader(StringIO(standings_csv(event, format_)))
    assert len(set(reader.fieldnames)) == len(reader.fieldnames), "the tie-break `wins` counts byes, `wins` does not"
    for line in reader:
        made = float(line["wins"]) + float(line["draws"]) / 2 + float(line["bye_points"])
        assert float(line["points"]) == made
        assert int(line["forfeits"]) <= int(line["played"])


def test_the_cross_table_has_columns_for_them_where_there_are_some(swiss):
    event, format_ = swiss
    unit = 2 if format_.rules.scoring == "games" else 1
    shown = grid(crosstable_of(event).rows(), format_.standings(event), format_.tie_breaks(event))
    assert columns([line[:5] for line in shown], left={1}).split() == [
        *("#", "bot", "points", "byes", "forfeits"),
        *("1\N{EN DASH}2", "ann", f"{2 * unit}/{2 * unit}", f"{unit}/{unit}", "."),
        *("1\N{EN DASH}2", "bob", f"{2 * unit}/{2 * unit}", f"{unit}/{unit}", f"{unit}"),
        *("3", "cy", f"0/{2 * unit}", ".", f"{unit}"),
    ]
    assert "| points | byes | forfeits |" in crosstable_markdown(event, format_)
    assert best_text(format_.standings(event)).startswith(f"best so far: ann {2 * unit}/{2 * unit}")


@pytest.mark.parametrize(
    ("merits", "places"),
    [
        ([], []),
        ([1], ["1"]),
        ([1, 2, 3], ["1", "2", "3"]),
        ([1, 2, 2, 4], ["1", "2-3", "2-3", "4"]),
        ([1, 1, 1], ["1-3"] * 3),
        ([1, 1, 3, 3], ["1-2", "1-2", "3-4", "3-4"]),
        ([(False, 9.5), (True, 9.5), (True, 9.5)], ["1", "2-3", "2-3"]),
        ([1, *[2] * 9, 11, 11], ["1", *["2-10"] * 9, "11-12", "11-12"]),
    ],
)
def test_lines_of_equal_merit_share_a_place(merits, places):
    assert shared_places(merits) == [place.replace("-", "\N{EN DASH}") for place in places]


def test_json_has_them_too(swiss):
    event, format_ = swiss
    lines = json.loads(event_json(event, format_))["standings"]
    assert [line["bye_points"] > 0 for line in lines] == [True, True, False]
    assert [line["forfeits"] > 0 for line in lines] == [False, True, True]


def test_half_a_point_for_an_asked_bye_is_half_of_what_it_counts():
    event = Event("dominoes", [Entry("ann", 1), Entry("bob", 2), Entry("cy", 3, byes=frozenset({1}))])
    event.add(EncounterRow(1, Plan(1, 1, ("ann", "bob"), 2)))
    event.add(EncounterRow(2, Plan(1, 2, ("cy",), 0, kind="half-bye")))
    [cy] = [line for line in format_of("swiss", {"rounds": 1}).standings(event) if line.bot == "cy"]
    assert (cy.points, cy.played, cy.byes, cy.bye_points, cy.counted) == (0.5, 0, 1, 0.5, 1)


def test_a_bye_makes_nobody_better_than_a_full_score_among_groups_of_different_size(swiss):
    from palio_server.tournament.group_stage import _share

    event, format_ = swiss
    assert [_share(line) for line in format_.standings(event)] == [1.0, 1.0, 0.0]


def test_a_knockout_tells_what_was_won_without_a_fight():
    event = Event("dominoes", [Entry("ann", 1), Entry("bob", 2)])
    format_ = format_of("knockout")
    event.add(EncounterRow(1, format_.next(event, 10)[0]))
    event.forfeit(1, "bob")
    lines = [(line.bot, line.points, line.counted, line.forfeits) for line in format_.standings(event)]
    assert lines == [("ann", 1.0, 1, 1), ("bob", 0.0, 1, 1)]
