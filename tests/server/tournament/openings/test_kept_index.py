"""The index of a large book is kept in the user's cache, and used only for the same book, unchanged."""

import os

import pytest

from palio_rules.errors import BadOption
from palio_server.tournament.openings import kept_index, places
from palio_server.tournament.openings.book_files import BookFile

TEXT = "# title\n" + "".join(f"b{2 + number % 5}-b3\n" for number in range(3000))
EARLIER = 10  # seconds, so long ago that the book has settled


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The folder of the indexes; all books count as large, and as old."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_index, "LEAST_BYTES", 100)
    monkeypatch.setattr(kept_index, "SETTLED_S", 0.0)
    return tmp_path / "cache" / "palio" / "books"


@pytest.fixture
def counted(monkeypatch):
    """Each block that is counted."""
    blocks = []
    count = places.Places._count
    monkeypatch.setattr(places.Places, "_count", lambda self, begin: blocks.append(begin) or count(self, begin))
    return blocks


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.txt"
    path.write_text(TEXT)
    return path


def opened(path, game="breakthrough", form=None):
    """Return what the book has: its openings, the last one, and the digest."""
    found = BookFile(path, form, game).places
    return len(found), found.entries, found.entry(len(found) - 1), found.digest


def test_the_second_time_nothing_is_counted_and_all_is_the_same(cache, counted, book):
    first = opened(book)
    assert counted
    counted.clear()
    assert opened(book) == first
    assert counted == []
    assert first[:2] == (3000, 3001)
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda book: book.write_text(TEXT + "c2-c3\n"),
        lambda book: book.write_text(TEXT.replace("# title", "a2-a3  ")),  # of the same size
        lambda book: os.utime(book, (1, 1)),
        lambda book: (book.rename(book.with_name("old")), book.write_text(TEXT.replace("# title", "#  title"))),
    ],
)
def test_a_book_that_has_changed_is_counted_again_and_replaces_its_index(cache, counted, book, change):
    opened(book)
    change(book)
    counted.clear()
    found = opened(book)
    assert counted
    assert len(list(cache.iterdir())) == 1
    for kept in cache.iterdir():
        kept.unlink()
    assert opened(book) == found


def test_the_same_size_and_times_do_not_hide_a_change(cache, counted, book):
    opened(book)
    before = book.stat()
    book.write_text(TEXT.replace("# title", "a2-a3  "))
    os.utime(book, ns=(before.st_atime_ns, before.st_mtime_ns))
    counted.clear()
    assert opened(book)[0] == 3001
    assert counted


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:5] + bytes([data[5] ^ 1]) + data[6:],
        lambda data: b"\x91" * 200_000,
        lambda data: data + b"x",
    ],
)
def test_a_torn_or_foreign_index_is_made_again(cache, counted, book, spoil):
    first = opened(book)
    (kept,) = cache.iterdir()
    good = kept.read_bytes()
    kept.write_bytes(spoil(good))
    counted.clear()
    assert opened(book) == first
    assert counted
    assert kept.read_bytes() == good


def test_the_index_of_another_book_is_not_used_in_its_place(cache, counted, book, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text(TEXT + "a2-a3\n")
    opened(other)
    (foreign,) = cache.iterdir()
    opened(book)
    (own,) = set(cache.iterdir()) - {foreign}
    own.write_bytes(foreign.read_bytes())
    assert opened(book)[0] == 3000


def test_another_game_or_format_has_an_index_of_its_own(cache, counted, book):
    opened(book)
    opened(book, "dominoes")
    opened(book, "chess", "epd")
    assert len(list(cache.iterdir())) == 3


def test_without_a_cache_to_write_to_a_book_is_opened_as_ever(cache, book, monkeypatch):
    first = opened(book)
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert opened(book) == first


def test_a_book_that_is_small_or_has_just_been_written_leaves_nothing(cache, book, monkeypatch):
    monkeypatch.setattr(kept_index, "SETTLED_S", 3600.0)
    opened(book)
    monkeypatch.setattr(kept_index, "SETTLED_S", 0.0)
    monkeypatch.setattr(kept_index, "LEAST_BYTES", len(TEXT) + 1)
    opened(book)
    assert not cache.exists()


def test_the_indexes_that_were_used_last_stay(cache, book, tmp_path, monkeypatch):
    monkeypatch.setattr(kept_index, "MOST_KEPT", 2)
    opened(book)
    (first,) = cache.iterdir()
    os.utime(first, (1, 1))
    opened(book)  # it is used, so it is new again
    for number in range(2):
        other = tmp_path / f"{number}.txt"
        other.write_text(TEXT)
        for kept in cache.iterdir():
            os.utime(kept, (EARLIER + (kept == first), EARLIER + (kept == first)))
        opened(other)
    assert first in cache.iterdir()
    assert len(list(cache.iterdir())) == 2


def test_a_book_that_was_cut_off_is_still_told(cache, book):
    opened(book)
    found = BookFile(book, None, "breakthrough")
    os.truncate(book, 100)
    with pytest.raises(BadOption, match="has changed while it was in use"):
        found.line(2000, None)
