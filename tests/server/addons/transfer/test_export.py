"""`palio export`: what fits, from one place or several, and a sentence where there is nothing."""

import asyncio
import gzip
import json
import sys

import made_matches
import pytest
from msgspec.structs import replace
from sqlalchemy import update

from palio_db.event_values import as_kept
from palio_db.models import Match
from palio_db.store import Store
from palio_server.cli.palio import call


async def _fill(db, matches):
    async with await Store.open(f"sqlite:///{db}") as store:
        await store.import_matches(list(matches))


@pytest.fixture
def db(tmp_path, monkeypatch):
    monkeypatch.delenv("PALIO_URL", raising=False)
    monkeypatch.setenv("PALIO_DB", f"sqlite:///{tmp_path}/palio.db")
    asyncio.run(_fill(tmp_path / "palio.db", made_matches.everything()))
    return tmp_path / "palio.db"


@pytest.fixture
def run(db, capsysbinary):
    def run(*words, code=0):
        assert call(["export", *map(str, words)]) == code
        return capsysbinary.readouterr()

    return run


def ids(out):
    return [json.loads(line)["match"] for line in out.splitlines()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["m1", "m2", "m3", "m4"]),
        (["--game", "chexers"], ["m3"]),
        (["--bot", "cid"], ["m2", "m3"]),
        (["--limit", "2"], ["m3", "m4"]),
        (["--tournament", "3"], ["m1"]),
        (["--match", "m4", "--match", "m1"], ["m1", "m4"]),
        (["--until", "2026-11-20"], ["m1", "m2", "m3", "m4"]),
        (["--since", "2026-11-20T20:30"], ["m2", "m3", "m4"]),
        (["--until", "2026-11-20T20:30"], ["m1"]),
    ],
)
def test_matches_that_fit_oldest_first(run, words, expected):
    assert ids(run(*words).out) == expected


def test_a_line_is_the_record_that_match_export_writes_and_more(run, db, capsysbinary):
    lines = [json.loads(line) for line in run().out.splitlines()]
    assert call(["match", "export", "--format", "json", "m1", "m2", "m3", "m4"]) == 0
    records = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    for line, record in zip(lines, records, strict=True):
        assert {name: line[name] for name in record} == record
        assert set(line) - set(record) <= {"created_at", "tournament", "analysis"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--game", "chexrs"], "unknown game 'chexrs'; did you mean 'chexers'?"),
        (["--bot", "bob.3"], "no finished match of 'bob.3' is in sqlite:"),
        (["--bot", "bob.3"], "did you mean 'bob'?"),
        (["--tournament", "9"], "fits; `palio match list` shows what there is"),
        (["--since", "soon"], "'soon' is no moment; write 24h, 7d, or 2026-12-31"),
        (["--since", "2026-12-01", "--until", "2026-11-01"], "--since comes after --until"),
        (["--formt", "csv"], "there is no option --formt; did you mean '--format'?"),
        (["other.db"], "there is no database at sqlite:///other.db"),
        (["other.db", "--db", "third.db"], "give either SOURCE or --db or --url"),
        (["http://127.0.0.1:1"], "no server answers at http://127.0.0.1:1"),
    ],
)
def test_what_is_not_there_is_said(run, words, sentence):
    told = run(*words, code=1 if "http" in words[0] else 2)
    assert told.out == b""
    assert sentence in told.err.decode()


def test_a_file_is_not_written_over_and_not_left_half(run, tmp_path):
    assert run("-o", tmp_path / "a.jsonl.gz").err == f"4 matches: {tmp_path}/a.jsonl.gz (4 rows)\n".encode()
    assert ids(gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes())) == ["m1", "m2", "m3", "m4"]
    assert b"is there already" in run("-o", tmp_path / "a.jsonl.gz", code=2).err
    run("-o", tmp_path / "b.jsonl", "--tournament", "9", code=2)
    assert not (tmp_path / "b.jsonl").exists()


def test_several_sources_are_written_once_each(run, tmp_path):
    other = replace(made_matches.race(), match="m0")
    asyncio.run(_fill(tmp_path / "other.db", [other, made_matches.race()]))
    assert ids(run(tmp_path / "palio.db", tmp_path / "other.db").out) == ["m1", "m2", "m3", "m4", "m0"]


def test_ratings_are_those_of_all_results_and_of_the_bot_that_was_asked_for(run, db, tmp_path):
    records = [
        made_matches.played("breakthrough", "ann", "bob", match=f"n{number}", longest=number) for number in range(6)
    ]
    asyncio.run(_fill(db, map(as_kept, records)))
    rows = [
        json.loads(line)
        for line in run("--what", "ratings", "--game", "breakthrough", "--points", "3").out.splitlines()
    ]
    assert [row["bot"] for row in rows] == ["ann"] * 3 + ["bob"] * 3
    own = [json.loads(line) for line in run("--what", "ratings", "--bot", "bob", "--points", "3").out.splitlines()]
    assert [row for row in own if row["game"] == "breakthrough"] == rows[3:]


def test_a_damaged_record_is_named_the_rest_is_written_and_the_end_is_not_good(run, db):
    async def damage():
        async with await Store.open(f"sqlite:///{db}") as store, store._database.write() as connection:
            await connection.execute(update(Match).where(Match.id == "m2").values(record=b"\x1b[2J"))

    asyncio.run(damage())
    told = run(code=1)
    assert ids(told.out) == ["m1", "m3", "m4"]
    assert b"the record of match m2 in the database cannot be read" in told.err


def test_a_record_that_does_not_reproduce_is_in_lines_but_in_no_table(run, db):
    wrong = made_matches.race()
    wrong = replace(wrong, match="m5", plies=(replace(wrong.plies[0], move=["a", 9]), *wrong.plies[1:]))
    asyncio.run(_fill(db, [wrong]))
    assert ids(run().out)[-1] == "m5"
    told = run("--format", "csv", code=1)
    assert b"match m5 is left out, its record does not reproduce: " in told.err
    assert b"m5" not in told.out


@pytest.mark.parametrize(
    "words",
    [["--format", "parquet", "-o", "new/a"], ["-o", "a.parquet"], ["-o", "out/", "--format", "parquet"],
     ["-o", "a.jsonl.zst"], ["--format", "csv", "-o", "a.csv.zst"]],
)  # fmt: skip
def test_without_pyarrow_what_needs_it_names_the_extra_and_leaves_nothing_behind(run, tmp_path, monkeypatch, words):
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # so that to import it fails, as where it is not installed
    monkeypatch.delitem(sys.modules, "palio_server.addons.transfer.parquet_file", raising=False)
    monkeypatch.chdir(tmp_path)
    told = run(*words, code=1)
    assert told.err.decode() == "palio: this needs pyarrow, which is not installed; pip install 'palio[data]'\n"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["palio.db"]
    assert ids(run("-o", "-").out) == ["m1", "m2", "m3", "m4"]  # everything else goes on
