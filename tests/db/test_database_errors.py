"""Errors of drivers: each becomes one sentence with the database and the remedy."""

import sqlite3

import psycopg
import pytest

from palio_db.address import Address
from palio_db.database import translate
from palio_db.driver_errors import is_away
from palio_db.errors import Unavailable


@pytest.mark.parametrize(
    ("statement", "kind", "words"),
    [
        ("INSERT INTO t VALUES (1)", Unavailable, "read-only; give this user write access"),
        ("SELECT * FROM nowhere", Unavailable, "SQLite refuses it; check the file (no such table: nowhere)"),
    ],
)
async def test_an_error_of_sqlite_becomes_a_sentence(tmp_path, statement, kind, words):
    sqlite3.connect(tmp_path / "x.db").execute("CREATE TABLE t (x)").connection.close()
    reader = sqlite3.connect(f"file:{tmp_path}/x.db?mode=ro", uri=True)
    with pytest.raises(sqlite3.Error) as caught:
        reader.execute(statement)
    found = translate(caught.value, Address.parse(f"sqlite:///{tmp_path}/x.db"))
    assert isinstance(found, kind)
    assert words in str(found)
    reader.close()


def test_a_server_without_room_says_so(tmp_path):
    error = psycopg.errors.DiskFull('could not extend file "base/5/1259": No space left on device')
    found = translate(error, Address.parse("postgresql://palio@db/palio"))
    assert isinstance(found, Unavailable)
    assert is_away(error)
    assert "no space left on the disk of the database's server" in str(found)
