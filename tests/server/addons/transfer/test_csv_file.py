"""CSV that any reader reads back as it was, and no spreadsheet runs."""

import csv
import io
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import example, given
from hypothesis import strategies as st

from palio_rules.plain_text import RISKY, cell
from palio_server.addons.transfer.outputs import CsvFile, moment_text
from palio_server.addons.transfer.tables import Column

COLUMNS = (Column("a", "text", ""), Column("b", "int", ""), Column("c", "texts", ""), Column("d", "flag", ""))
texts = st.text(st.characters(codec="utf-8"), max_size=20)


def written(*rows, **how):
    file = io.BytesIO()
    table = CsvFile(file, COLUMNS, **how)
    table.write(rows)
    table.close()
    return file.getvalue()


@example([("'", None, None, False), ("'=1", 0, [], True), (None, None, None, True)])
@given(st.lists(st.tuples(st.none() | texts, st.none() | st.integers(), st.none() | st.lists(texts), st.booleans())))
def test_what_is_read_is_what_was_written(rows):
    read = list(csv.reader(io.StringIO(written(*rows).decode(), newline=""), strict=True))
    assert read[0] == ["a", "b", "c", "d"]
    for (text, number, _, flag), cells in zip(rows, read[1:], strict=True):
        assert cells[0].removeprefix("'") == (text or "")
        assert cells[0] in ("", text, f"'{text}")
        assert not cells[0].startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
        assert cells[1] == ("" if number is None else str(number))
        assert cells[2].startswith("[") or cells[2] == ""
        assert cells[3] == ("true" if flag else "false")


@given(texts)
def test_to_take_off_an_apostrophe_gives_the_text_back(text):
    safe = cell(text)
    assert safe.removeprefix("'") == text
    assert (safe == text) == (not text.startswith(RISKY))


def test_the_file_is_as_rfc_4180_has_it():
    assert written(('=1+1 "x", y\r\nz', -5, ["a", None], True), (None, None, None, None)) == (
        b'a,b,c,d\r\n"\'=1+1 ""x"", y\r\nz",-5,"[""a"",null]",true\r\n,,,\r\n'
    )


def test_raw_texts_are_left_alone():
    assert written(("=1", 1, [], False), raw=True) == b"a,b,c,d\r\n=1,1,[],false\r\n"


def test_moments_are_utc():
    east = datetime(2026, 11, 20, 23, tzinfo=timezone(timedelta(hours=2)))
    assert moment_text(east) == moment_text(datetime(2026, 11, 20, 21, tzinfo=UTC)) == "2026-11-20T21:00:00.000000Z"
