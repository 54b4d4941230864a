"""The result of a tournament, as tables and as JSON."""

from types import SimpleNamespace

import msgspec

from palio_server.cli.tournament_report import report_data, show_report
from palio_server.tournament.crosstable import Crosstable

ROW = SimpleNamespace(
    id=3, name="cup", game="dominoes", settings={"bots": [], "worker": "w", "seed": 1},
    scheduled=1, running=1, finished=2, aborted=0,
)  # fmt: skip


def played(*costs):
    table = Crosstable(["ann", "bob"])
    for points in ((1.0, 0.0), (1.0, 0.0)):
        table.add(["ann", "bob"], points, *costs)
    return table


def test_all_tables_are_shown_and_the_score_lines_as_cutechess_prints_them(capsys):
    show_report(played())
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line in ("Cross-table", "Costs", "Ranking")] == ["Cross-table", "Ranking"]
    assert "Score of ann vs bob: 2 - 0 - 0 [1.000] 2" in lines
    assert "Elo: inf +/- inf, LOS: 92.1 %, DrawRatio: 0.0 %" in lines


def test_a_race_has_costs_too(capsys):
    show_report(played([10.0, 12.0]), pairs=False)
    shown = capsys.readouterr().out
    lines = [line.split() for line in shown.splitlines()]
    assert ["ann", "2", "2", "2", "0", "10.0", "0.0%"] in lines
    assert ["bob", "2", "2", "0", "0", "12.0", "20.0%"] in lines
    assert "Score of" not in shown


def test_json_has_null_for_what_is_infinite_and_keeps_what_is_ours_to_itself():
    data = msgspec.json.decode(msgspec.json.encode(report_data(ROW, played(), [("ann", "random"), ("bob", "greedy")])))
    assert data["bots"] == [{"name": "ann", "spec": "random"}, {"name": "bob", "spec": "greedy"}]
    assert data["settings"] == {"seed": 1}
    assert data["games"] == {"scheduled": 2, "finished": 2, "aborted": 0}
    [score] = data["scores"]
    assert (score["elo"], score["error"], score["wins"]) == (None, None, 2)
    assert "costs" not in data["crosstable"][0]
    assert report_data(ROW, played([10.0, None]), [])["crosstable"][1]["costs"] == {
        "races": 2, "solved": 0, "mean": None, "over_best": None,
    }  # fmt: skip
