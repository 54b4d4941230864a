"""A row is an object on a line of its own; what is JSON already is no text in it."""

import io
import json

import made_matches

from palio_server.addons.transfer.outputs import JsonLines
from palio_server.addons.transfer.rows import MatchRows
from palio_server.addons.transfer.tables import columns_of


def test_lines_have_every_column_with_its_value():
    file = io.BytesIO()
    table = JsonLines(file, columns_of("plies"))
    rows = list(MatchRows(made_matches.duel()).of("plies"))
    table.write(rows)
    table.close()
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert len(lines) == len(rows) == 8
    assert list(lines[0]) == [column.name for column in columns_of("plies")]
    assert lines[2]["text"] == made_matches.HOSTILE
    assert lines[2]["info"]["nodes"] == lines[2]["nodes"] == 1205
    assert lines[0]["info"] is None


def test_moments_are_texts():
    file = io.BytesIO()
    JsonLines(file, columns_of("matches")).write(MatchRows(made_matches.duel()).of("matches"))
    assert json.loads(file.getvalue())["started_at"] == "2026-11-20T21:00:00.000000Z"
