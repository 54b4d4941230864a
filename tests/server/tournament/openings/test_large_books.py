"""Large books are opened by the places of their openings: drawn as small ones are, checked when they are played."""

import gzip
import lzma
import os
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_rules.instances.effort import Effort, within
from palio_server.tournament.openings import OpeningsChoice, openings_of, parse_openings, places
from palio_server.tournament.openings.book import MOST_CHECKED, permuted


def position(number):
    black, white = (format(number, "012b")[at : at + 6].replace("0", ".") for at in (0, 6))
    return f"BBBBBB/{black.replace('1', 'B')}/....../....../{white.replace('1', 'W')}/WWWWWW black"


def fen(number):
    black, white = ("".join(pawn if number >> bit & 1 else "1" for bit in bits) for pawn, bits in PAWNS)
    return f"rnbqkbnr/{black}/8/8/8/8/{white}/RNBQKBNR w KQkq -"


PAWNS = (("p", range(8, 16)), ("P", range(8)))


def text_line(number):
    blanks, remark, more = "  " * (number % 7 == 0), "  # a remark" * (number % 5 == 0), "#\r\n \t\r\n"
    return f"{blanks}{position(number)}{remark}\r\n{more * (number % 11 == 0)}"


TEXT = "\ufeff# title\r\n\r\n" + "".join(map(text_line, range(1500)))
EPD = "".join(f'{fen(n)} hmvc 0; eco "B2{n % 10}"; id "x # y";\n' for n in range(1500)).rstrip("\n")
PGN = "\n".join(f'[Event "{n}"]\n[FEN "{fen(n)} 0 1"]\n\n1. Nf3 {{best\n(}} Nf6 2. Ng1 1-0\n' for n in range(1200))
BOOKS = {"a.txt": ("breakthrough", TEXT), "a.epd": ("chess", EPD), "a.pgn": ("chess", PGN)}


@pytest.fixture
def write(tmp_path):
    def file(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return file


def source(path, words="", game="breakthrough", seed=7):
    return openings_of(parse_openings(f"file={path}{words}"), game, {}, seed)


def drawn(found, most, step=1):
    return [(each.moves, each.position, each.eco) for each in map(found.opening, range(0, most, step))]


@pytest.mark.parametrize(
    ("name", "words", "recorded"),
    [
        ("a.txt", "", "e553a729baeea17c"),
        ("a.txt", ",order=random", "2896649b9bc1b031"),
        ("a.txt", ",order=random,start=900", "4afaac774ce38275"),
        ("a.epd", ",order=random", "b7b202825b83a0ed"),
        ("a.epd", ",start=900", "b1e79ec582e1b169"),
        ("a.pgn", ",order=random", "d88d0d6cf3b2990d"),
        ("a.pgn", ",plies=1", "6e7978beb50b1e95"),
    ],
)
def test_a_book_is_drawn_from_as_it_was_when_books_were_read_whole(write, name, words, recorded):
    game, text = BOOKS[name]
    found = source(write(name, text), words, game)
    assert sha256(repr(drawn(found, 2 * found.size, step=17)).encode()).hexdigest()[:16] == recorded


@pytest.mark.parametrize(("name", "game"), [("a.txt", "breakthrough"), ("a.epd", "chess"), ("a.pgn", "chess")])
def test_only_openings_that_are_played_are_read_by_the_rules(write, name, game):
    effort = Effort()
    with within(effort):
        found = source(write(name, BOOKS[name][1]), ",order=random", game)
        drawn(found, 12)
    assert effort.spent == 12


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_packed_one_is_drawn_from_as_it_is_unpacked(write, ending, pack):
    plain, packed = write("a.epd", EPD), write(f"a.epd{ending}", pack(EPD.encode()))
    assert drawn(source(packed, game="chess"), 20) == drawn(source(plain, game="chess"), 20)


def test_an_event_keeps_the_digest_of_a_large_book_and_refuses_one_that_has_changed(write):
    path = write("a.txt", TEXT)
    kept = msgspec.json.encode(parse_openings(f"file={path},order=random").kept("breakthrough"))
    assert len(kept) < len(str(path)) + 200
    again = msgspec.json.decode(kept, type=OpeningsChoice)
    first = drawn(openings_of(again, "breakthrough", {}, 7), 5)
    os.utime(path, (1, 1))  # a copy with the same bytes is the same book
    assert drawn(openings_of(again, "breakthrough", {}, 7), 5) == first
    write("a.txt", TEXT.replace("remark", "Remark"))
    with pytest.raises(BadOption, match=r"a.txt has changed since the tournament began; put the file back"):
        openings_of(again, "breakthrough", {}, 7)
    path.unlink()
    with pytest.raises(BadOption, match=r"a.txt cannot be read: No such file"):
        openings_of(again, "breakthrough", {}, 7)


def test_a_book_that_changes_while_it_is_in_use_is_told(write):
    found = source(path := write("a.txt", TEXT))
    os.truncate(path, 100)
    with pytest.raises(BadOption, match="has changed while it was in use"):
        found.opening(700)


def test_a_line_that_is_no_opening_is_refused_before_play_and_passed_over_later(write):
    lines = [position(number) for number in range(MOST_CHECKED + 200)]
    lines[150] = lines[MOST_CHECKED + 100] = "nonsense"
    found = source(path := write("a.txt", "\n".join(lines)))
    assert found.check(150) == ()
    with pytest.raises(BadOption, match=rf"^{path} line 151: .*nonsense"):
        found.check(151)
    assert found.opening(MOST_CHECKED + 100) == found.opening(MOST_CHECKED + 101)


def test_games_that_do_not_begin_with_their_event_are_told(write):
    second = PGN.index("[Event", 1)
    merged = PGN[:second] + PGN[second:].replace('[Event "1"]\n', "")
    with pytest.raises(BadOption, match=r"a.pgn game 1: here are 2 games; begin each with its tag Event"):
        source(write("a.pgn", merged), game="chess").check(1)


PIECES = st.sampled_from([b"\n", b"\r\n", b"#", b" ", b"a", b"longer than a block", b"\n[Event ", b"\xef\xbb\xbf"])


@pytest.mark.parametrize("mark", [places.LINE, places.GAME])
@given(pieces=st.lists(PIECES, max_size=30), block=st.integers(1, 20))
def test_places_are_those_of_the_file_read_whole(mark, pieces, block):
    data = b"".join(pieces)
    file = os.memfd_create("book")
    os.write(file, data)
    counts = bool if mark == places.GAME else book_line
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(places, "BLOCK", block)
        found = places.Places(file, mark, counts, 1000, "it")
        texts = [found.entry(index) for index in range(len(found))]
    _, *whole = (b"\n" + data.removeprefix(b"\xef\xbb\xbf")).split(mark)
    if mark == places.LINE and whole[-1] == b"":
        whole.pop()
    assert found.entries == len(whole)
    wanted = [(number, text.strip()) for number, text in enumerate(whole, 1) if mark == places.GAME or counts(text)]
    assert [(number, text.removeprefix(mark[1:]).strip()) for number, text in texts] == wanted


def book_line(text):
    return bool(text.strip()) and not text.strip().startswith(b"#")


@given(size=st.integers(1, 3000), seed=st.text(max_size=5))
def test_a_calculated_order_has_every_number_once(size, seed):
    assert sorted(permuted(place, size, seed) for place in range(size)) == list(range(size))
