"""The lines of a pipe."""

from hypothesis import given
from hypothesis import strategies as st

from palio_clients.sdk.lines import Lines
from palio_rules.contract.codec import MAX_BYTES


@given(st.lists(st.sampled_from([b"a", b"\n", b"bc", b"\n\n", b"x" * MAX_BYTES, b"\r"]), max_size=12), st.data())
def test_lines_are_the_same_however_a_pipe_cuts_them(pieces, data):
    text = b"".join(pieces)
    lines, found, at = Lines(), [], 0
    while at < len(text):
        step = data.draw(st.integers(1, MAX_BYTES))
        found += lines.feed(text[at : at + step])
        at += step
    *whole, rest = text.split(b"\n")
    expected = [None if len(line) > MAX_BYTES else line for line in [*whole, *([rest] if rest else [])]]
    assert [*found, *lines.end()] == expected
