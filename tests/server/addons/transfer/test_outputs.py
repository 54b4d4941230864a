"""A file has its name once it is whole, and nothing is written over that was there."""

import gzip
import io
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pytest

from palio_rules.errors import BadOption
from palio_server.addons.transfer.outputs import Outputs, form_of, table_on


def write(path, data, *, force=False):
    with ExitStack() as stack:
        Outputs(stack, force=force).open(path).write(data)
        assert not path.exists() or force


def test_a_file_is_there_when_all_of_it_is(tmp_path):
    write(tmp_path / "a.csv", b"all")
    assert (tmp_path / "a.csv").read_bytes() == b"all"
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


def test_after_a_failure_nothing_is_left(tmp_path):
    def fail():
        with ExitStack() as stack:
            Outputs(stack, force=False).open(tmp_path / "a.csv").write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_stays_unless_it_is_said_otherwise(tmp_path):
    path = tmp_path / "a.csv"
    write(path, b"old")
    with pytest.raises(BadOption, match="is there already; name another file, or write over it with --force"):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    write(path, b"new", force=True)
    assert path.read_bytes() == b"new"


def test_where_nothing_can_be_written_is_said(tmp_path):
    with pytest.raises(BadOption, match="is a folder"):
        write(tmp_path, b"")
    with pytest.raises(BadOption, match=r"a\.csv cannot be written: "):
        write(tmp_path / "none" / "a.csv", b"")


def test_the_same_rows_are_packed_into_the_same_bytes(tmp_path):
    write(tmp_path / "a.csv.gz", b"rows")
    write(tmp_path / "b.csv.gz", b"rows")
    first = (tmp_path / "a.csv.gz").read_bytes()
    assert first == (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress(first) == b"rows"
    write(tmp_path / "a.csv.zst", b"rows")
    assert pa.CompressedInputStream(str(tmp_path / "a.csv.zst"), "zstd").read() == b"rows"


@pytest.mark.parametrize(
    ("name", "form"), [("a.csv", "csv"), ("A.PARQUET", "parquet"), ("a.b.jsonl.gz", "jsonl"), ("a", "")]
)
def test_the_ending_says_the_form(name, form):
    assert form_of(Path(name)) == form


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_every_form_has_its_table(form):
    file = io.BytesIO()
    table = table_on(file, form, "ratings")
    table.write([])
    table.close()
    assert (file.getvalue() == b"") == (form == "jsonl")
