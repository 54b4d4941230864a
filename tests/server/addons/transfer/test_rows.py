"""What each table says of a match; every row has a cell for each column."""

import json

import made_matches
import pytest
from msgspec.structs import replace

from palio_rules.records.faults import fault
from palio_server.addons.transfer.rows import MatchRows
from palio_server.addons.transfer.tables import EVERY_MATCH, columns_of


def rows(kept, table, **how):
    names = [column.name for column in columns_of(table, records=how.get("records", True))]
    return [dict(zip(names, row, strict=True)) for row in MatchRows(kept, **how).of(table)]


@pytest.mark.parametrize("kept", made_matches.everything(), ids=lambda kept: kept.setup.game)
def test_matches_made_for_these_tests_reproduce_and_every_cell_has_its_column_and_type(kept):
    assert fault(kept) is None
    types = {"text": str, "word": str, "json": str, "int": int, "float": float | int, "flag": bool, "moment": object}
    for table in EVERY_MATCH:
        for row in rows(kept, table):
            for column in columns_of(table):
                cell = row[column.name]
                expected = types.get(column.kind, list)
                assert cell is None or isinstance(cell, expected), (table, column, cell)


def test_a_match_in_its_table():
    kept = made_matches.duel()
    [row] = rows(kept, "matches")
    assert (row["tournament"], row["round"], row["encounter"], row["game_number"]) == (3, 2, 5, 2)
    assert (row["time_control"], row["base_ms"], row["increment_ms"], row["move_ms"]) == ("10+0.1", 10_000, 100, None)
    assert row["created_at"] < row["started_at"] < row["finished_at"]
    assert (row["void"], row["void_reason"], row["analysed"]) == (True, "one author", True)
    assert (row["plies"], row["rejections"], len(row["moves"]), len(row["opening"])) == (6, 2, 6, 2)
    assert row["ms"] == [100, 200, 300, 400, 500, 600]
    assert (row["termination"], row["offender"], row["scores"]) == ("resigned", 0, [0.0, 1.0])
    assert json.loads(row["record"])["analysis"]["plies"][1]["mark"] == "?"


def test_plies_count_as_those_of_an_analysis_do_and_show_what_was_seen_and_said():
    kept = made_matches.duel()
    first, second, *game = rows(kept, "plies")
    rules, setup = kept.setup.rules(), kept.setup
    assert (first["ply"], first["opening"], first["ms"], first["clock_ms"]) == (1, True, None, None)
    assert first["position"] == rules.format_state(setup.first())
    assert game[0]["position"] == rules.format_state(setup.start())
    assert [row["ply"] for row in game] == [3, 4, 5, 6, 7, 8]
    assert [row["clock_ms"] for row in game] == [10_000, 9_900, 9_800, 9_600, 9_400, 9_100]
    assert [row["bot"] for row in game] == ["ann", "bob.2"] * 3
    said = [game[0][name] for name in ("depth", "nodes", "score", "pv", "text")]
    assert said == [3, 1205, 0.5, ["a3xb2", "a1xb2"], made_matches.HOSTILE]
    assert [row["info"] for row in game[1:4]] == ['{"score":-2.0}', "{}", None]
    names = ("tokens_in", "tokens_out", "dollars", "latency_ms")
    assert [game[4][name] for name in names] == [912, 31, 0.1 / 3, 1530]
    assert {game[at][name] for at in (0, 3) for name in names} == {None}
    judged = [game[0][name] for name in ("values", "verdicts", "distance", "best", "mark")]
    assert judged == [[None, None], ["win", "loss"], 7, "b3xa2", "?"]
    assert [row["rejections"] for row in game] == [1, 0, 0, 0, 0, 0]
    assert second["opening"]


def test_a_rejected_move_has_the_number_of_the_ply_that_came_instead_or_would_have_come_next():
    found = rows(made_matches.duel(), "rejections")
    assert [(row["ply"], row["bot"], row["code"]) for row in found] == [
        (3, "ann", "off-board"),
        (9, "ann", "not-a-move"),
    ]


def test_an_anytime_race_shows_costs_and_what_is_proven():
    kept = made_matches.tours()
    [match] = rows(kept, "matches")
    assert (match["lower_bound"], match["moves"]) == (40.0, ["0-2-1-3", "0-1-2-3", None, None])
    assert [(row["move"], row["out"], row["cost"], row["clock_ms"]) for row in rows(kept, "plies")] == [
        ("0-2-1-3", None, 48.0, 1700), ("0-1-2-3", None, 40.0, 1800), (None, None, 48.0, 1600),
        (None, "resigned", 48.0, 1600),
    ]  # fmt: skip
    seats = rows(kept, "seats")
    assert [(row["seat_name"], row["cost"], row["reason"], row["proven"]) for row in seats] == [
        ("1", 48.0, "best-tour", False), ("2", 40.0, "proven-optimal", True),
    ]  # fmt: skip


def test_a_seat_that_was_put_out_and_its_last_position():
    found = rows(made_matches.table(), "plies")
    assert [row["out"] for row in found] == [None] * 4 + ["crashed"] + [None] * 2
    seats = rows(made_matches.table(), "seats")
    assert [row["seat_name"] for row in seats] == ["red", "green", "blue"]
    assert len({row["last_position"] for row in seats}) == 1
    assert seats[1]["ms"] == 910


def test_positions_and_records_may_be_left_out():
    kept = made_matches.duel()
    assert {row["position"] for row in rows(kept, "plies", positions=False)} == {None}
    [match] = rows(kept, "matches", records=False)
    assert "record" not in match
    assert rows(kept, "seats")[0]["last_position"] is not None


def test_a_record_that_does_not_reproduce_has_no_rows():
    kept = made_matches.duel()
    with pytest.raises(ValueError, match="seat 7"):
        MatchRows(replace(kept, plies=(replace(kept.plies[0], seat=7),)))
    with pytest.raises(ValueError, match="unknown game"):
        MatchRows(replace(kept, setup=replace(kept.setup, game="nim42")))
