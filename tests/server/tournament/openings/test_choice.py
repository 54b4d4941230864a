"""The values of `--openings`, and the messages for invalid ones."""

import msgspec
import pytest

from palio_rules.errors import BadOption
from palio_server.tournament.openings import Book, Opening, OpeningsChoice, RandomOpenings, openings_of, parse_openings


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("0", OpeningsChoice()),
        ("4", OpeningsChoice(random=4)),
        ("book", OpeningsChoice(shipped=True)),
        ("book,order=random", OpeningsChoice(shipped=True, order="random")),
        ("file=a.txt", OpeningsChoice(file="a.txt")),
        ("book,start=7", OpeningsChoice(shipped=True, start=7)),
        ("file=a.gz,format=epd,policy=round", OpeningsChoice(file="a.gz", format="epd")),
        ("file=my books/a,b.txt,plies=3,order=sequential", OpeningsChoice(file="my books/a,b.txt", plies=3)),
    ],
)
def test_a_choice_is_read(text, choice):
    assert parse_openings(text) == choice


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("-1", "'-1' is out of range; give 0 to 100 plies"),
        ("101", "'101' is out of range"),
        ("", "'' cannot be read; give a number of random plies, book, or file=BOOK"),
        ("boook", "'boook' cannot be read"),
        ("file=", "'file=' cannot be read"),
        ("fiel=x", "has no setting 'fiel'; did you mean 'file'"),
        ("file=x,oder=random", "has no setting 'oder'; did you mean 'order'"),
        ("file=x,order=rando", "order='rando' is none; did you mean 'random'"),
        ("file=x,plies=0", "plies='0' is out of range; give 1 to 100"),
        ("file=x,start=0", "start='0' is no number of an opening; give 1 to 1,000,000"),
        ("file=x,format=pdf", "format='pdf' is none; did you mean 'epd'"),
        ("file=x,policy=encounter", "policy='encounter': all pairs of a round play one opening; leave it out"),
        ("file=x,fromat=pgn", "has no setting 'fromat'; did you mean 'format'"),
        ("book,format=pgn", "format= is for file=BOOK"),
        ("file=x,plies=two", "plies='two' is out of range"),
        ("file=x,plies=2,plies=3", "gives plies twice"),
        ("./my.epd", "'./my.epd' cannot be read; write file=./my.epd$"),
        ("openings.pgn,order=random", "cannot be read; write file=openings.pgn$"),
        ("bok", "'bok' cannot be read; did you mean 'book'"),
        ("order=random", "names no book, or two"),
        ("book,file=x", "names no book, or two"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_remedy(text, reason):
    with pytest.raises(BadOption, match=f"^--openings .*{reason}"):
        parse_openings(text)


def test_a_number_draws_random_openings():
    source = openings_of(parse_openings("2"), "breakthrough", {}, 7)
    assert isinstance(source, RandomOpenings)
    assert len(source.opening(3).moves) == 2


def test_a_file_is_read_and_can_be_kept_with_the_event(tmp_path):
    path = tmp_path / "my.book"
    path.write_text("\ufeffc5-c4 # first\r\nd5-d4\r\n", "utf-8")
    choice = parse_openings(f"file={path},order=random").kept("breakthrough")
    path.unlink()
    kept = msgspec.json.decode(msgspec.json.encode(choice), type=OpeningsChoice)
    source = openings_of(kept, "breakthrough", {}, 7)
    assert isinstance(source, Book)
    found = sorted((source.opening(0), source.opening(1)), key=str)
    assert found == [Opening(([[1, 2], [2, 2]],)), Opening(([[1, 3], [2, 3]],))]


def test_the_wrong_line_of_a_file_is_named(tmp_path):
    path = tmp_path / "my.book"
    path.write_text("c5-c4\nc5-c2\n")
    with pytest.raises(BadOption, match=r"my\.book line 2: move 1, 'c5-c2': "):
        openings_of(parse_openings(f"file={path}"), "breakthrough", {}, 7)


def test_what_is_no_file_of_text_is_refused(tmp_path):
    with pytest.raises(BadOption, match=r"absent cannot be read: No such file"):
        parse_openings(f"file={tmp_path}/absent").read("breakthrough")
    (tmp_path / "bytes").write_bytes(b"c5-c4\n\xff\xfe")
    with pytest.raises(BadOption, match=r"bytes line 2: is no text in UTF-8"):
        parse_openings(f"file={tmp_path}/bytes").read("breakthrough")


def test_a_race_has_no_openings():
    with pytest.raises(BadOption, match="tsp is a race and has no openings"):
        openings_of(parse_openings("book"), "tsp", {}, 1)
    assert openings_of(parse_openings("0"), "tsp", {}, 1).opening(5) == Opening()
