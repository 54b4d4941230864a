"""Every form that we write is read back as the same records; what is broken is named with its place."""

import gzip
import io
import json
import subprocess
import sys

import made_matches
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from palio_db.event_values import as_kept, record_of
from palio_rules.contract.messages import Info
from palio_rules.records.text import record_to_text
from palio_server.addons.transfer import reading
from palio_server.addons.transfer.parquet_file import ParquetFile
from palio_server.addons.transfer.pgn import pgn_of
from palio_server.addons.transfer.reading import Fault, Found, read_records
from palio_server.addons.transfer.rows import MatchRows
from palio_server.addons.transfer.tables import columns_of

texts = st.text(st.characters(codec="utf-8"), max_size=40)


def lines(matches):
    return b"".join(msgspec.json.encode(kept) + b"\n" for kept in matches)


def pgn(matches):
    return "".join(map(pgn_of, matches)).encode()


def text(matches):
    return "\n".join(record_to_text(record_of(kept)) for kept in matches).encode()


def parquet(matches):
    file = io.BytesIO()
    table = ParquetFile(file, columns_of("matches"), "matches")
    for kept in matches:
        table.write(MatchRows(kept).of("matches"))
    table.close()
    return file.getvalue()


def zst(data):
    return pa.Codec("zstd").compress(data, asbytes=True)


@pytest.fixture
def read(tmp_path):
    def found(data):
        path = tmp_path / "records"
        path.write_bytes(data)
        return list(read_records(path))

    return found


def as_json(kept):
    return msgspec.json.encode(kept)


@pytest.mark.parametrize("packed", [bytes, gzip.compress, zst], ids=["plain", "gz", "zst"])
@pytest.mark.parametrize("form", [lines, pgn])
def test_what_is_read_is_what_was_written(read, form, packed):
    matches = made_matches.everything()
    found = read(packed(form(matches)))
    assert [as_json(each.match) for each in found] == [as_json(kept) for kept in matches]


def test_parquet_is_packed_by_itself(read):
    matches = made_matches.everything()
    assert [as_json(each.match) for each in read(parquet(matches))] == [as_json(kept) for kept in matches]


@pytest.mark.parametrize("breaks", [b"\n", b"\r\n"])
def test_text_has_the_record_and_nothing_beside_it(read, breaks):
    matches = [made_matches.race(), made_matches.table(), made_matches.tours()]
    found = read(text(matches).replace(b"\n", breaks))
    assert [as_json(each.match) for each in found] == [as_json(as_kept(record_of(kept))) for kept in matches]
    assert {each.match.created_at for each in found} == {UNSET}


def test_a_file_of_records_has_text_and_json_among_it(read):
    race, table, duel = made_matches.race(), made_matches.table(), made_matches.duel()
    data = text([race]) + b"\n" + lines([duel]) + b"\n" + text([table])
    assert [each.match.match for each in read(data)] == ["m2", "m1", "m3"]


@given(name=texts, said=texts, event=texts, pv=st.lists(st.text(max_size=9), max_size=3))
@settings(max_examples=60)
def test_whatever_is_said_comes_back_from_every_form(tmp_path_factory, name, said, event, pv):
    record = made_matches.played("dominoes", name, f"{name}2", longest=3, say=lambda _: Info(text=said, pv=pv))
    kept = as_kept(replace(record, event=event))
    for form in (lines, pgn, parquet):
        path = tmp_path_factory.getbasetemp() / "said"
        path.write_bytes(form([kept, kept]))
        assert [as_json(each.match) for each in read_records(path)] == [as_json(kept)] * 2


GOOD = lines([made_matches.race()])


@pytest.mark.parametrize(
    ("data", "place", "sentence"),
    [
        (b'{"match"\n', "line 1", "it is no JSON: "),
        (b"\n" + GOOD[:200] + b"\n", "line 2", "it is no JSON: "),
        (b'{"match": 7}\n', "line 1", "it is no record: expected `str`, got `int`"),
        (GOOD.replace(b'"ms":100', b'"ms":"soon"'), "line 1", "it is no record: expected `int`, got `str`"),
        (GOOD.replace(b'"plies"', b'"moves"'), "line 1", "it is no record: object contains unknown field `moves`"),
        (b'{"match":' + b"[" * 100_000 + b"\n", "line 1", "it is "),
        (b'{"match":"\xff"}\n', "line 1", "it is no JSON: "),
        (b"hello\n", "line 1", "no record begins with 'hello'"),
        (b'[Match "m"]\n[Gaem "x"]\n\n1. a\n', "the record from line 1 on", "the tag [Game ...] is missing"),
        (b'[Match "\xff"]\n\n1. e4\n', "the record from line 1 on", "it is not UTF-8"),
        (b'[White "a"]\n\n1. e4 *\n', "the game a - ? from line 1 on", "line 1: the game has no result"),
        (b'[White "a"]\n\n1. e4\n1... Ke6 *\n', "the game a - ? from line 1 on", "line 4: 1... Ke6: "),
        (b'[White " "]\n\n1. e4 *\n', "the game ? - ? from line 1 on", "line 1: the game has no result"),
        (b"(;GM[1]SZ[9];B[ee])\n", "the game ? - ? from line 1 on", "line 1: RE[] is no result"),
        (b'[White "a"]\n\n1. e4 & *\n', "line 3", "here comes a move, a comment or a result"),
        (gzip.compress(GOOD * 50)[:-20], "the end", "the packed file is cut off or damaged"),
        (b"PAR1 and no more", "the file", "it is no Parquet that can be read"),
    ],
)  # fmt: skip
def test_what_is_broken_is_named_with_its_place(read, data, place, sentence):
    faults = [each for each in read(data) if isinstance(each, Fault)]
    assert faults[0].place == place
    assert sentence in faults[0].sentence


def test_after_a_broken_line_the_next_one_is_read(read):
    first, second, third = read(GOOD + b"{}\n" + GOOD)
    assert isinstance(first, Found)
    assert isinstance(second, Fault)
    assert (third.place, third.match) == ("line 3", first.match)


def test_a_record_in_pieces_is_no_longer_than_any(read, monkeypatch):
    monkeypatch.setattr(reading, "LONGEST", 1000)
    found = read((reading.ESCAPE + "x|\n").encode() * 2000)
    assert (found[-1].sentence[:20], found[-1].final) == ("the record is longer", True)


def test_no_line_is_longer_than_the_memory(read, monkeypatch):
    monkeypatch.setattr(reading, "LONGEST", 1000)
    [fault] = read(b'{"' + b"x" * 5000)
    assert (fault.place, fault.final) == ("line 1", True)
    found = read(b'[Event "x"]\n' * 200)
    assert "longer than" in found[0].sentence


def test_a_parquet_file_of_another_kind_is_refused(read):
    file = io.BytesIO()
    pq.write_table(pa.table({"a": [1]}), file)
    [fault] = read(file.getvalue())
    assert (fault.place, fault.final) == ("its columns", True)
    file = io.BytesIO()
    pq.write_table(pa.table({"record": [1, 2]}), file)
    assert [each.sentence for each in read(file.getvalue())] == ["its record is no text"] * 2


def test_a_record_in_a_pgn_that_was_changed_is_no_record(read):
    data = pgn([made_matches.race()]).replace(b'"match":"m2"', b'"match":2   ')
    [fault] = read(data)
    assert fault.place == "line 1"


def test_json_of_a_record_is_the_documented_one():
    fields = set(json.loads(as_json(made_matches.duel())))
    assert fields >= {"match", "setup", "plies", "result", "refusals", "created_at", "tournament", "analysis", "void"}


def bomb(form):
    """A small file that unpacks to much."""
    long = "x" * (40 * 2**20)
    file = io.BytesIO()
    match form:
        case "one text in many rows":
            pq.write_table(
                pa.table({"record": pa.DictionaryArray.from_arrays([0] * 64, [long])}), file, compression="zstd"
            )
        case "one long text":
            pq.write_table(pa.table({"record": [long * 10]}), file, compression="zstd", use_dictionary=False)
        case "rows with nothing":
            pq.write_table(pa.table({"record": pa.nulls(20_000_000, pa.string())}), file, compression="zstd")
        case "empty lines":
            return gzip.compress(b"\n" * 10**8)
        case "blank lines":
            return gzip.compress(b" \r\n" * 10**7)
        case "wrong lines":
            return gzip.compress(b"x\n" * 10**7)
        case "tags":
            return gzip.compress(b'[Event "x"]\n' * 10**7)
    return file.getvalue()


BOMBS = {
    "one text in many rows": "it is no JSON",
    "one long text": "its records have 400 MiB, more than 256",
    "rows with nothing": "10,000 faults are enough",
    "empty lines": "more than 10,000 empty lines in a row; remove them",
    "blank lines": "more than 10,000 empty lines in a row; remove them",
    "wrong lines": "10,000 faults are enough",
    "tags": "holds more than 200 times its own size",
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize(("form", "sentence"), BOMBS.items())
def test_a_small_file_that_unpacks_to_much_ends_with_a_sentence_in_bounded_memory(tmp_path, form, sentence):
    path = tmp_path / "bomb"
    path.write_bytes(bomb(form))
    assert path.stat().st_size < 2 * 2**20
    program = (
        "import sys; from pathlib import Path; from palio_server.addons.transfer.reading import read_records, Fault\n"
        "for last in read_records(Path(sys.argv[1])): pass\n"
        "print(last.sentence); "
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True, timeout=90)
    said, kib = done.stdout.splitlines()
    assert sentence in said
    assert int(kib) < 600 * 1024


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such a limit")
def test_what_takes_more_memory_than_it_says_is_refused(tmp_path):
    path = tmp_path / "bomb"
    path.write_bytes(bomb("one long text"))
    program = (
        "import sys; from pathlib import Path; from palio_server.addons.transfer import reading\n"
        "reading.GROUP, reading.ROOM = 2**40, 2**28\n"
        "print(*reading.read_records(Path(sys.argv[1])))"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True, timeout=90)
    assert "takes more than 256 MiB" in done.stdout
    assert "final=True" in done.stdout
