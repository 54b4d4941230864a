"""The result of a tournament, as tables and as JSON."""

from types import SimpleNamespace

import msgspec

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_server.cli.tournament_report import ranking_text, report_data, scores_text, show_report
from palio_server.tournament.crosstable import Crosstable
from palio_server.tournament.event import Event
from palio_server.tournament.event_report import EventReport
from palio_server.tournament.format import format_of

ROW = SimpleNamespace(
    id=3, name="cup", game="dominoes", format="round_robin", stage="running",
    settings={"bots": [], "worker": "w", "seed": 1}, scheduled=1, running=1, finished=2, aborted=0,
)  # fmt: skip


def played(*scores, game="dominoes", costs=None, format_="round_robin", anchors=None, part="", **rules):
    """A report of a first encounter of ann and bob, in which they made these scores."""
    event = Event(game, [Entry("ann", 1), Entry("bob", 2)])
    games = scores or ((1.0, 0.0), (1.0, 0.0))
    event.add(EncounterRow(1, Plan(1, 1, ("ann", "bob"), len(games), part=part)))
    for number, each in enumerate(games):
        event.note(EventMatch(f"m{number}", 1, number, ("ann", "bob"), "finished", each, (5, 5), costs))
    return EventReport(event, format_of(format_, rules), anchors or {})


def as_json(report, specs=()):
    return msgspec.json.decode(msgspec.json.encode(report_data(ROW, report, specs)))


def test_all_tables_are_shown_and_the_score_lines_as_cutechess_prints_them(capsys):
    show_report(played())
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line in ("Cross-table", "Costs", "Ranking")] == ["Cross-table", "Ranking"]
    assert "Score of ann vs bob: 2 - 0 - 0  [1.000] 2" in lines
    assert "Elo difference: inf +/- inf, LOS: 92.1 %, DrawRatio: 0.0 %" in lines


def test_the_table_of_two_bots_has_their_score_and_that_of_three_has_none():
    score = ["Score of ann vs bob: 2 - 0 - 0  [1.000] 2", "Elo difference: inf +/- inf, LOS: 92.1 %, DrawRatio: 0.0 %"]
    report = played()
    assert scores_text(report.table).splitlines() == score
    assert ranking_text(report.table).splitlines()[:2] == score
    three = Crosstable(["ann", "bob", "cy"])
    three.add(("ann", "bob"), (1.0, 0.0))
    assert "Score of" not in ranking_text(three)
    assert ranking_text(Crosstable(["ann", "bob"])).startswith("Rank")


def test_the_first_move_is_worth_a_line_when_its_error_is_small_enough_to_mean_something(capsys):
    show_report(played((1.0, 0.0), (0.0, 1.0)), pairs=False)
    assert "First move" not in capsys.readouterr().out
    sure = played(*[(1.0, 0.0), (0.0, 1.0)] * 40)
    for number in range(80):  # as many with turned seats
        sure.event.note(
            EventMatch(f"t{number}", 1, 80 + number, ("bob", "ann"), "finished", (1.0, 0.0)[:: 1 - 2 * (number % 2)])
        )
    show_report(sure, pairs=False)
    assert "First move: +0 +/- " in capsys.readouterr().out
    assert as_json(played())["first_move"]["error"] > 200, "programs have the error beside the figure"


def test_a_race_has_costs_too_and_no_first_move(capsys):
    show_report(played(game="rush_hour", costs=(10.0, 12.0)), pairs=False)
    shown = capsys.readouterr().out
    lines = [line.split() for line in shown.splitlines()]
    assert ["ann", "2", "2", "2", "0", "10.0", "0.0%"] in lines
    assert ["bob", "2", "2", "0", "0", "12.0", "20.0%"] in lines
    assert "Score of" not in shown
    assert "First move" not in shown


def test_the_score_of_a_race_is_the_share_of_the_others_that_a_bot_was_ahead_of(capsys):
    event = Event("rush_hour", [Entry("ann", 1), Entry("bob", 2), Entry("cy", 3)])
    event.add(EncounterRow(1, Plan(1, 1, ("ann", "bob", "cy"), 1)))
    event.note(EventMatch("m", 1, 0, ("ann", "bob", "cy"), "finished", (1.0, 0.5, 0.0), (5, 5, 5), (8.0, 9.0, 10.0)))
    show_report(EventReport(event, format_of("round_robin"), {}), pairs=False)
    ranking = capsys.readouterr().out.partition("Ranking\n")[2]
    assert [line.split()[5] for line in ranking.splitlines()[1:4]] == ["100.0%", "50.0%", "0.0%"]


def test_a_test_is_shown_with_its_verdict_and_its_pairs(capsys):
    show_report(played((1.0, 0.0), (0.0, 1.0), format_="sprt", elo0=0, elo1=5))
    shown = capsys.readouterr().out
    assert "[0, 5] in 2 games: it is not decided" in shown
    assert "Pairs with 0, 1/2, 1, 1 1/2, 2 points of ann: 0, 0, 1, 0, 0" in shown


def test_places_are_told_where_a_format_has_something_to_say_of_them(capsys):
    show_report(played(format_="knockout", part="final"), pairs=False)
    assert "won the final" in capsys.readouterr().out


def test_json_has_null_for_what_is_infinite_and_keeps_what_is_ours_to_itself():
    data = as_json(played(), [("ann", "random"), ("bob", "greedy")])
    assert data["bots"] == [{"name": "ann", "spec": "random"}, {"name": "bob", "spec": "greedy"}]
    assert data["settings"] == {"seed": 1}
    assert data["games"] == {"scheduled": 2, "finished": 2, "aborted": 0}
    assert (data["format"], data["stage"], data["sprt"], data["bracket"]) == ("round_robin", "running", None, None)
    [score] = data["scores"]
    assert (score["elo"], score["error"], score["wins"]) == (None, None, 2)
    assert "costs" not in data["crosstable"][0]
    raced = as_json(played(game="rush_hour", costs=(10.0, None)))
    assert raced["crosstable"][1]["costs"] == {"races": 2, "solved": 0, "mean": None, "over_best": None}


def test_the_tie_breaks_that_were_chosen_are_columns(capsys):
    report = played(tie_breaks="buchholz,wins")
    show_report(report)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[2:5] == [
        ["#", "bot", "points", "BH", "wins", "1", "2"],
        ["1", "ann", "2/2", "0", "2", "-", "2/2"],
        ["2", "bob", "0/2", "2", "0", "0/2", "-"],
    ]
    data = as_json(report)
    assert data["tie_breaks"] == ["buchholz", "wins"]
    assert [(line["bot"], line["rank"]) for line in data["standings"]] == [("ann", 1), ("bob", 2)]


def test_ratings_hang_on_their_anchors():
    rated = {line["bot"]: line["rating"] for line in as_json(played(anchors={"bob": 1000.0, "eve": 2000.0}))["ratings"]}
    assert rated["bob"] == 1000.0
    assert rated["ann"] > 1000.0


def test_the_table_of_an_event_in_progress_is_its_ranking():
    lines = ranking_text(played().table).splitlines()[2:]  # below the score
    assert lines[0].split() == ["Rank", "Name", "Elo", "+/-", "Games", "Score", "Draw"]
    assert [line.split()[1] for line in lines[1:]] == ["ann", "bob"]
