"""Forms with files: any bytes that are sent arrive."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.courses.multipart import encode, parse
from palio_server.courses.submitted_names import Refused

NAMES = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\\%\r\n"), max_size=20)


@given(st.lists(st.tuples(NAMES, st.binary(max_size=60)), max_size=4))
def test_files_arrive_as_they_were_sent(files):
    body, kind = encode(files)
    assert parse(body, kind) == files


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(body):
    with suppress(Refused):
        parse(b"--x\r\n" + body, "multipart/form-data; boundary=x")


def test_fields_that_are_no_files_are_left_out_and_names_in_any_script_are_read():
    body = (
        b'--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n'
        b"--b\r\nContent-Disposition: form-data; name=f; filename*=utf-8''%C3%A9.py\r\n\r\nx\r\n--b--\r\n"
    )
    assert parse(body, 'multipart/form-data; boundary="b"') == [("é.py", b"x")]
    with pytest.raises(Refused, match="names no boundary"):
        parse(body, "multipart/form-data")
