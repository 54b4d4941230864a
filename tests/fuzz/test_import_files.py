"""Files for `palio import` that are broken or hostile: each fault is a sentence, and nothing of such a file is kept."""

import csv
import gzip
import io
import random
import tempfile
from pathlib import Path

import made_matches
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import mutated

from palio_db.event_values import record_of
from palio_rules.records.text import record_to_text
from palio_server.addons.transfer.import_records import Checked, _wrong
from palio_server.addons.transfer.outputs import table_on
from palio_server.addons.transfer.pgn import pgn_of
from palio_server.addons.transfer.reading import Fault, read_records
from palio_server.addons.transfer.rows import MatchRows
from palio_server.cli.palio import call

MATCHES = made_matches.everything()
LONGEST = 2000  # characters of a sentence


def lines(matches=MATCHES):
    return b"".join(msgspec.json.encode(kept) + b"\n" for kept in matches)


def table(form, matches=MATCHES):
    file = io.BytesIO()
    written = table_on(file, form, "matches")
    for kept in matches:
        written.write([*MatchRows(kept).of("matches")])
    written.close()
    return file.getvalue()


def zst(data):
    return pa.Codec("zstd").compress(data, asbytes=True)


def columns(**values):
    file = io.BytesIO()
    pq.write_table(pa.table(values), file)
    return file.getvalue()


FOREIGN = """[Event "Cup"]
[White "ann b"]
[Black "bob"]
[Result "1/2-1/2"]
[TimeControl "60+1"]
[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]

1. e4 {+0.31/12 1.2s, n=5} (1. d4 $1 {a}) e5 { [%eval -0.3] [%clk 0:01:00] } 2. Nf3 ; b
Nc6 3. Bb5 a6 4. O-O 1/2-1/2

"""
TEXTS = [
    FOREIGN,
    lines().decode(),
    "".join(map(pgn_of, MATCHES)),
    "\n".join(record_to_text(record_of(kept)) for kept in MATCHES),
    table("csv").decode(),
    table("jsonl").decode(),
]
FILES = {
    "jsonl": lines(),
    "foreign": FOREIGN.encode(),
    "pgn": TEXTS[2].encode(),
    "text": TEXTS[3].encode(),
    "csv": TEXTS[4].encode(),
    "parquet": table("parquet"),
    "gz": gzip.compress(lines(), mtime=0),
    "zst": zst(lines()),
    "parquet.gz": gzip.compress(table("parquet"), mtime=0),
}


def read_it(data):
    """Return the file's fault, as an import finds it; any other error is raised."""
    checked, sentences = Checked(), []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records"
        path.write_bytes(data)
        for found in read_records(path):
            assert found.place
            if (sentence := _wrong(found, checked)) is not None:
                sentences.append(sentence)
                assert len(sentence) <= LONGEST, sentence[:300]
                assert sentence or not isinstance(found, Fault)
    return sentences


def changed(data, choose):
    """`data` after one change of bytes."""
    start = choose.randrange(len(data) + 1)
    end = min(len(data), start + choose.choice([0, 1, 1, 4, 20, 400]))
    match choose.randrange(5):
        case 0:
            return data[:start]
        case 1:
            return data[:start] + data[end:]
        case 2:
            return data[:start] + choose.randbytes(end - start) + data[end:]
        case 3:
            return data[:start] + choose.choice(list(FILES.values()))[:end] + data[end:]
        case _:
            return data[:start] + data[start:end] * 3 + data[end:]


often = settings(deadline=None, suppress_health_check=list(HealthCheck))


@often
@given(mutated(TEXTS), st.sampled_from([bytes, gzip.compress, zst]))
def test_a_text_that_is_nearly_right_is_read_or_its_faults_are_sentences(text, packed):
    read_it(packed(text.encode("utf-8", "surrogatepass")))


@pytest.mark.parametrize("form", FILES)
def test_a_file_whose_bytes_are_changed_is_read_or_its_faults_are_sentences(form):
    @often
    @given(st.integers(0, 2**32), st.integers(1, 3))
    def holds(seed, changes):
        choose, data = random.Random(seed), FILES[form]
        for _ in range(changes):
            data = changed(data, choose)
        read_it(data)

    holds()


WRONG = lines([MATCHES[1]]).replace(b'"ms":', b'"ms":-')
HOSTILE = {
    "csv of matches": table("csv"),
    "csv as jsonl": b"\n".join(msgspec.json.encode(row) for row in csv.DictReader(io.StringIO(TEXTS[4], newline=""))),
    "rows as jsonl": b'{"match": "m1", "game": "breakthrough", "ply": 1}\n',
    "deep": b'{"a":' * 100_000,
    "a number too long": b'{"match": ' + b"9" * 5000 + b"}\n",
    "a long name": b'{"' + b"a" * 50_000 + b'": 1}\n',
    "a long word": TEXTS[3].replace("TimeControl", "Time" + "x" * 50_000).encode(),
    "negative": lines([MATCHES[2]]) + WRONG,
    "cut off": lines()[:-100],
    "cut off gz": FILES["gz"][:-20],
    "cut off zst": FILES["zst"][:-20],
    "gz of zst": gzip.compress(FILES["zst"]),
    "trailing gz": FILES["gz"] + b"more",
    "trailing zst": FILES["zst"] + b"more",
    "cut off parquet": FILES["parquet"][:-20],
    "parquet without records": columns(match=["m1"]),
    "parquet of numbers": columns(record=[1, 2]),
    "parquet of nulls": columns(record=pa.array([None, None], pa.string())),
    "parquet of bytes": columns(record=pa.array([b"\xff"], pa.binary())),
    "parquet of lists": columns(record=[["a"]]),
    "parquet of structs": columns(record=[{"a": "b"}]),
    "parquet of lists before texts": columns(a=[["a", "b"]], record=["{}"]),
    "parquet of other texts": columns(record=["", "null", "[", '"\\ud800"']),
    "one good, one bad": lines([MATCHES[2]]) + b"{}\n",
    "escapes": b'{"\x1b[2J": "\x1b]0;x\x07"}\n\x1b[31mhello\n',
    "pgn without an end": b'[White "a"]\n[Black "b"]\n[Result "*"]\n\n1. e4 e5 *\n',
    "pgn with an illegal move": b'[White "a\x1b[31m"]\n[Black "b"]\n\n1. e5 1-0\n',
    "pgn with an open comment": FOREIGN.replace("}", "{").encode() * 3,
    "nul": b"\0" * 10_000,
    "utf-16": TEXTS[1].encode("utf-16"),
}


@pytest.mark.first(8)
@pytest.mark.parametrize("name", HOSTILE)
def test_of_a_file_that_is_wrong_the_faults_are_told_and_nothing_is_stored(name, tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setenv("PALIO_DB", f"sqlite:///{tmp_path}/palio.db")
    monkeypatch.delenv("PALIO_URL", raising=False)
    (tmp_path / "records").write_bytes(HOSTILE[name])
    assert call(["import", str(tmp_path / "records")]) in (1, 2)
    told = capsysbinary.readouterr().err.decode()
    assert told
    assert all(line.startswith("palio: ") and len(line) <= LONGEST and line.isprintable() for line in told.splitlines())
    assert "unexpected" not in told
    assert call(["export"]) == 2
    assert b"no finished match" in capsysbinary.readouterr().err
