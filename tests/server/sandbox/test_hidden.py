"""Files that no bot may read in its own folder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from palio_rules.errors import BadOption
from palio_server.sandbox import binds
from palio_server.sandbox.binds import DATABASE, KEY, UNREADABLE, HiddenFileSearch, missed


def test_a_folder_that_is_too_full_to_be_looked_at_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(binds, "MOST", 3)
    for number in range(4):
        (tmp_path / str(number)).touch()
    with pytest.raises(BadOption, match=r"holds more than 3 files, .* move the program into a folder of its own"):
        HiddenFileSearch().look(tmp_path)


def test_a_file_is_looked_at_again_when_it_has_changed_and_one_that_is_named_is_shown(tmp_path: Path):
    file = tmp_path / "notes"
    for text, kind in ((b"a", None), (b"SQLite format 3\0", DATABASE), (b"-----BEGIN PRIVATE KEY-----\nx", KEY)):
        file.write_bytes(text)
        search = HiddenFileSearch()
        search.look(tmp_path)
        assert search.kinds.get(file) is kind
    named = HiddenFileSearch(frozenset((file,)))
    named.look(tmp_path)
    assert named.kinds == {}


def test_a_file_that_is_removed_while_its_folder_is_searched_stays_hidden_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """SQLite removes `-wal` and `-shm` when the last connection closes, and makes them again with the next one."""
    (tmp_path / "mine.py").touch()
    gone = tmp_path / "results.db-shm"
    gone.touch()
    scandir = os.scandir

    @contextmanager
    def listed_before(folder: str) -> Iterator[list["os.DirEntry[str]"]]:
        with scandir(folder) as entries:
            listed = list(entries)
        gone.unlink(missing_ok=True)
        yield listed

    monkeypatch.setattr(os, "scandir", listed_before)
    found = binds.binds([tmp_path / "mine.py"], [tmp_path / "results.db"])
    assert dict(found.hidden) == {gone: UNREADABLE}
    assert [each for each in found.readable if each.is_relative_to(tmp_path)] == [tmp_path / "mine.py"]


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        ("cannot load book.sqlite.", ["book.sqlite"]),
        ("java.io.FileNotFoundException: data/server.key (No such file or directory)", ["server.key"]),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/bots/token'", ["token"]),
        ("sqlite3.OperationalError: unable to open database file", ["book.sqlite", "server.key", "token"]),
        ("Error: ENOENT: no such file, open 'other.txt'", ["book.sqlite", "server.key", "token"]),
        ("SyntaxError: unexpected token", []),
        ("ValueError: notebook.sqlite, book.sqlite.bak and my-book.sqlite are read", []),
        ("", []),
    ],
)
def test_a_bot_that_failed_is_told_of_the_files_that_it_names_or_else_of_those_that_it_may_have_missed(
    tmp_path: Path, stderr: str, expected: list[str]
):
    (tmp_path / "pg").mkdir()
    (tmp_path / ".notes").touch()
    for name, text in (("book.sqlite", b"SQLite format 3\0"), ("server.key", b"x"), ("token", b"x")):
        (tmp_path / name).write_bytes(text)
    (tmp_path / "pg" / "PG_VERSION").touch()
    search = HiddenFileSearch()
    search.look(tmp_path)
    assert len(search.kinds) == 5
    assert sorted(path.name for path in missed(stderr, search.kinds)) == expected
