"""An analysis in the terminal: what stands in its columns, for duels, tables and races."""

from datetime import UTC, datetime

from palio_rules.contract.messages import Result
from palio_rules.records.record import Analysis, JudgedPly, Record, Setup
from palio_server.cli.analyse import analysis_table

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def lines(game, bots, *plies):
    record = Record("m1", Setup(game, bots), (), Result("rule", "over", [0.0] * len(bots)), NOW, NOW)
    return [line.rstrip() for line in analysis_table(record, Analysis("m1", 1.0, plies, complete=True))]


def test_a_duel_tells_who_wins_for_certain_and_else_the_first_seats_evaluation():
    assert lines(
        "end_of_the_track", ("ann", "bob"),
        JudgedPly(0, 0, "", (-0.0, 0.0), (None, None)),
        JudgedPly(1, 0, "b1-c3", (None, None), ("loss", "win"), 7, "@d1-b1", "??"),
        JudgedPly(2, 1, "b8-c6", (None, None), ("draw", "draw"), None, "", "??"),
        JudgedPly(3, 0, "c3-b5", (1.25, -1.25), (None, None), None, "c3-d5", "?"),
        JudgedPly(4, 1, "c6-d4", (None, None), ("loss", "win"), None),
        JudgedPly(5, 0, "b5-c7", (None, None), ("win", "loss"), 0),
    ) == [
        "ply  bot  move         then                 better",
        "  0       (start)      +0.00",
        "  1  ann  b1-c3    ??  black wins within 7  @d1-b1",
        "  2  bob  b8-c6    ??  draw",
        "  3  ann  c3-b5    ?   +1.25                c3-d5",
        "  4  bob  c6-d4        black wins",
        "  5  ann  b5-c7        white has won",
        "",
        "ann (white): 1 ??, 1 ?",
        "bob (black): 1 ??, 0 ?",
    ]  # fmt: skip


def test_a_table_has_an_evaluation_for_each_seat():
    table = lines("chexers", ("ann", "bob", "cid"), JudgedPly(0, 0, "", (1.0, -2.0, None), (None, None, None)))
    assert table[1] == "  0       (start)    +1.00 -2.00 -"


def test_a_race_tells_what_remains_and_what_it_costs_then():
    assert lines(
        "rush_hour", ("ann", "bob"),
        JudgedPly(0, 0, "", (8.0,), ("win",), 8),
        JudgedPly(1, 0, "b+1", (9.0,), ("win",), 8, "c-1", "?"),
        JudgedPly(2, 1, "d-1", (None,), ("loss",), None, "c-1", "??"),
        JudgedPly(3, 1, "out", (None,), (None,)),
    ) == [
        "ply  bot  move         to go  cost  better",
        "  0       (start)          8     8",
        "  1  ann  b+1      ?       8     9  c-1",
        "  2  bob  d-1      ??  never     -  c-1",
        "  3  bob  out              -     -",
        "",
        "ann (1): 0 ??, 1 ?",
        "bob (2): 1 ??, 0 ?",
    ]  # fmt: skip
