"""Combinations of an export's options, and the refusal of those without a meaning."""

from contextlib import ExitStack
from pathlib import Path

import made_matches
import pytest
from msgspec.structs import replace

from palio_rules.errors import BadOption
from palio_server.addons.transfer.export_job import ExportJob, planned
from palio_server.addons.transfer.tables import TABLES


def plan(form=None, what=(), output=None, *, force=False, positions=True, records=True, raw=False):
    return planned(form, what, output, force=force, positions=positions, records=records, raw=raw)


def test_without_options_matches_go_to_stdout_as_json_lines():
    found = plan()
    assert (found.form, found.paths) == ("jsonl", {"matches": None})
    assert plan(output="-").paths == {"matches": None}


def test_a_file_says_its_form_and_a_folder_has_all_tables(tmp_path):
    assert plan(output="x.csv.gz", what=("plies",)).form == "csv"
    assert plan(output="x", form="csv").paths == {"matches": Path("x")}
    found = plan("parquet", output=str(tmp_path))
    assert found.paths == {name: tmp_path / f"{name}.parquet" for name in TABLES}
    assert plan("pgn", output=f"{tmp_path}/new/").paths == {"matches": tmp_path / "new" / "matches.pgn"}
    assert list(plan("csv", ("plies,seats", "plies"), str(tmp_path)).paths) == ["plies", "seats"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"form": "parqet"}, "--format parqet: there is no such format; did you mean 'parquet'?"),
        ({"what": ("plys",)}, "--what plys: there is no such table; did you mean 'plies'?"),
        ({"what": ("plies,seats",)}, "2 tables need a folder, one file each; name it with --output FOLDER"),
        ({"form": "pgn", "what": ("plies",)}, "--format pgn holds matches only"),
        ({"form": "parquet"}, "--format parquet is no text, and not for the screen; name a file with --output FILE"),
        ({"raw": True}, "--raw is about csv; jsonl has no formulas"),
        ({"form": "parquet", "output": "a.parquet.gz"}, "Parquet is packed by itself; leave .gz off"),
    ],
)
def test_what_does_not_fit_together_is_refused(options, sentence):
    with pytest.raises(BadOption) as error:
        plan(**options)
    assert sentence in str(error.value)


def test_a_match_that_does_not_reproduce_is_in_none_of_the_tables(tmp_path):
    kept = made_matches.duel()
    wrong = replace(kept, plies=(replace(kept.plies[0], move=[[9, 9], [9, 9]]),))
    with ExitStack() as stack:
        job = ExportJob(plan("csv", ("matches", "plies"), str(tmp_path)), stack)
        job.open()
        assert job.add(made_matches.race()) is None
        assert "match m1 is left out, its record does not reproduce: " in (job.add(wrong) or "")
        assert job.rows == {"matches": 1, "plies": 8}
    assert b"m1" not in (tmp_path / "plies.csv").read_bytes()
    assert b"m1" not in (tmp_path / "matches.csv").read_bytes()


def test_nothing_is_written_where_one_of_the_files_is_there(tmp_path):
    (tmp_path / "plies.csv").write_text("mine")
    with pytest.raises(BadOption, match="is there already"), ExitStack() as stack:
        ExportJob(plan("csv", (), str(tmp_path)), stack).open()
    assert [each.name for each in tmp_path.iterdir()] == ["plies.csv"]
