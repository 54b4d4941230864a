"""Tournaments in the terminal."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from palio_server.api.event_items import (
    CostItem,
    EncounterItem,
    EncounterMatch,
    EntryItem,
    RoundItem,
    ScoreItem,
    StandingItem,
    TournamentDetail,
)
from palio_server.cli.event_source import introduction, listed, show_detail, show_rounds
from palio_server.tournament.standing import Group, SprtState, Standing

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def standing(rank, bot, points, **more):
    fields = {
        "played": 4, "wins": 2, "draws": 1, "losses": 1, "tie_breaks": [3.25], "left": False, "note": "",
        "rating": 1510.4, "error": 80.2, "performance": None, "rounds": [], "against": {"x": ScoreItem(1, 0, 0)},
        "costs": None,
    }  # fmt: skip
    return StandingItem(rank=rank, bot=bot, points=points, **(fields | more))


DETAIL = TournamentDetail(
    id=3, name="cup", game="breakthrough", format="swiss", title="Swiss", stage="running", bots=["ann", "bob"],
    created_at=NOW, starts_at=None, total=10, scheduled=1, running=2, finished=5, aborted=0, round=2, rounds=5,
    leader="ann", verdict=None, settings={}, rules={}, entries=[EntryItem("ann", 1, None, 1, None, [], connected=True)],
    tie_breaks=["buchholz"],
    standings=[standing(1, "ann", 2.5), standing(2, "bob", 1.0, rating=None, error=None, left=True, note="benched")],
    bracket=None, groups=[], sprt=None, games_per_s=0.25, seconds_left=7500.0, first_move_advantage=None,
    admits="listed", worker="palio", finished_at=None, note="",
)  # fmt: skip


def test_a_running_event_says_how_far_it_is_and_who_stands_where(capsys):
    show_detail(DETAIL, NOW)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "Tournament 3: cup (breakthrough, Swiss)",
        "running, round 2 of 5, 5 of 10 games played, 2 in play",
        "0.25 games/s, 2 h 5 min left",
    ]
    assert [line.split() for line in lines[4:]] == [
        ["Standings"],
        ["#", "bot", "points", "played", "W-D-L", "buchholz", "Elo", "+/-"],
        ["1", "ann", "2.5", "4", "2-1-1", "3.25", "1510", "80"],
        ["2", "bob", "1", "4", "2-1-1", "3.25", "-", "-", "left,", "benched"],
    ]


@pytest.mark.parametrize(
    ("starts_in", "words"), [(40, "in 40 s"), (600, "in 10 min"), (12_000, "in 3 h 20 min"), (-5, "as soon as it can")]
)
def test_an_open_event_says_when_it_starts_and_who_is_in(starts_in, words):
    detail = replace(DETAIL, stage="open", starts_at=NOW + timedelta(seconds=starts_in), note="it waits for bots")
    lines = introduction(detail, NOW)
    assert lines[2].endswith(words)
    assert lines[3] == "1 bots: ann"
    assert lines[-1] == "it waits for bots"


def test_groups_costs_and_tests_are_shown_where_there_are_any(capsys):
    group = Group("A", ["ann"], [Standing(1, "ann", 3.0)], 2)
    sprt = SprtState(
        "ann", "bob", "normalized", 0, 5, 0.05, 0.05, 1.234, -2.94, 2.94, "continue", 3, 2, 1, None, 1, 2, 1
    )
    paid = standing(1, "ann", 2.5, costs=CostItem(4, 3, 12.0, 0.05))
    show_detail(replace(DETAIL, groups=[group], sprt=sprt, standings=[paid]), NOW)
    shown = capsys.readouterr().out
    assert "SPRT ann - bob: LLR 1.23 [-2.94, 2.94] (0, 5), continue" in shown
    assert "Group A, 2 go on\n   bot  points\n1  ann       3\n" in shown
    assert shown.splitlines()[-1].split() == ["ann", "4", "3", "12.0", "5.0%"]


def test_rounds_have_pairings_results_byes_and_forfeits(capsys):
    matches = [EncounterMatch("m1", ["ann", "bob"], "finished", [1.0, 0.0])]
    played = EncounterItem(
        1, 1, 1, ["ann", "bob"], "played", "final", 2, True, [1.5, 0.5], [2.0, 1.0], ["bob"], matches
    )
    bye = EncounterItem(2, 1, 2, ["cid"], "half-bye", "", 0, True, [0.0], [1.5], [], [])
    open_ = EncounterItem(3, 1, 3, ["dan", "eve"], "played", "", 2, False, [0.0, 0.0], [0.0, 0.0], [], [])
    show_rounds([RoundItem(1, 5, False, [played, bye, open_])])
    title, _, *lines = capsys.readouterr().out.strip().splitlines()
    assert title == "Round 1, in play"
    assert lines[0].split("  ")[-1] == "m1"
    assert "ann (2) - bob (1)  1.5 - 0.5  final, forfeited by bob" in lines[0]
    assert lines[1].endswith("half-bye")
    assert lines[2].endswith("in play")


def test_a_game_has_what_the_rules_said_of_it_behind_its_name(capsys):
    matches = [
        EncounterMatch("m1", ["ann", "bob"], "finished", [1.0, 0.0], "Black wins by 3.5 points"),
        EncounterMatch("m2", ["bob", "ann"], "finished", [1.0, 0.0]),
    ]
    played = EncounterItem(1, 1, 1, ["ann", "bob"], "played", "", 2, True, [1.0, 1.0], [0.0, 0.0], [], matches)
    show_rounds([RoundItem(1, 1, True, [played])])
    assert capsys.readouterr().out.splitlines()[-1].endswith("  m1 (Black wins by 3.5 points) m2")


def test_a_list_has_a_line_for_each(capsys):
    listed([DETAIL, replace(DETAIL, id=4, rounds=None, leader=None)])
    _, first, second = capsys.readouterr().out.splitlines()
    assert first.split() == ["3", "cup", "breakthrough", "swiss", "running", "2", "2/5", "5/10", "ann"]
    assert second.split() == ["4", "cup", "breakthrough", "swiss", "running", "2", "2", "5/10"]
