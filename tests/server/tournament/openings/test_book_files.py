"""Books of other programs: EPD, PGN and FEN, packed or not; what is damaged, hostile or mistyped is refused by name."""

import bz2
import gzip
import io
import zipfile

import pytest

from palio_rules.errors import BadOption
from palio_rules.records.record import Setup
from palio_rules.registry import game
from palio_server.tournament.openings import Opening, book_files, openings_of, parse_openings
from palio_server.tournament.openings.book_files import format_of

SICILIAN = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
FRENCH = "rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
EPD = f"""# from UHO
{SICILIAN[:-3]}hmvc 0; fmvn 2; id "a; b";
{FRENCH[:-4]}
{FRENCH.replace("0 2", "3 9")}
{SICILIAN[:-3]}
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 c0 "an en passant square that no pawn can enter";
"""
PGN = f"""[Event "x"]
[ECO "B20"]

1. e4 {{best}} c5 (1... e5) 2. Nf3 d6 1/2-1/2

[Event "y"]
[SetUp "1"]
[FEN "{SICILIAN}"]

2. c3 d5 *
"""


@pytest.fixture
def book(tmp_path):
    """Writes a file, and returns its book as the starting positions in FEN."""

    def read(name, data, words="", *, of="chess"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        found = openings_of(parse_openings(f"file={path}{words}"), of, {}, 1)
        return [start(found.opening(number), of) for number in range(found.size)]

    return read


def start(opening, of="chess"):
    setup = Setup(of, ("a", "b"), **opening.fields())
    return " ".join(game(of).format_state(setup.start()).split(" ")[:6])


def zipped(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return data.getvalue()


def test_epd_has_the_counters_in_its_operations_or_none_or_those_of_a_fen(book):
    assert book("a.epd", EPD) == [
        SICILIAN, FRENCH.replace("0 2", "0 1"), FRENCH.replace("0 2", "3 9"),
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    ]  # fmt: skip


def test_fens_a_line_need_no_format(book):
    assert book("a.txt", f"{SICILIAN}\n{FRENCH[:-4]}\n") == [SICILIAN, FRENCH.replace("0 2", "0 1")]


def test_pgn_has_a_game_for_each_opening_from_its_position(book):
    assert book("a.pgn", PGN) == [
        "rnbqkbnr/pp2pppp/3p4/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3",
        "rnbqkbnr/pp2pppp/8/2pp4/4P3/2P5/PP1P1PPP/RNBQKBNR w KQkq - 0 3",
    ]
    assert book("a.pgn", PGN, ",plies=2")[0] == SICILIAN
    assert book("a.pgn", PGN, ",start=2,plies=1")[0].startswith("rnbqkbnr/pp1ppppp/8/2p5/4P3/2P5/")


def test_moves_may_follow_a_position_in_a_text_of_any_game(book):
    position = "BBBBBB/B.BBBB/.B..../..W.../WW.WWW/WWWWWW black"
    [found] = book("a.txt", f"{position} moves a5-a4 a2-a3", of="breakthrough")
    assert found != position
    assert book("a.txt", f"{position} moves a5-a4", ",plies=1", of="breakthrough") != [found]


@pytest.mark.parametrize(
    ("ending", "packed"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".zip", lambda data: zipped(x_pgn=data))]
)
def test_each_may_be_packed(book, ending, packed):
    assert book(f"a.pgn{ending}", packed(PGN.encode())) == book("a.pgn", PGN)
    assert book(f"a{ending}", packed(PGN.encode()), ",format=pgn") == book("a.pgn", PGN)


def test_the_name_in_an_archive_says_what_it_is(book):
    assert book("8moves.zip", zipped(a_epd=EPD)) == book("a.epd", EPD)


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.epd", "epd"), ("A.PGN", "pgn"), ("a.epd.gz", "epd"), ("a.v2.pgn.zip", "pgn"), ("a", "text"), ("a.gz", "text")],
)
def test_a_format_is_known_by_the_ending(name, form):
    assert format_of(name) == form


@pytest.mark.parametrize(
    ("name", "data", "words", "sentence"),
    [
        ("a.epd", SICILIAN + "\nrnbq w - -\n", "", r"a.epd line 2: .*field"),
        ("a.epd", b"\xff\n", "", "a.epd line 1: is no text in UTF-8"),
        ("a.pgn", PGN.replace("d6", "d9"), "", "a.pgn game 1: move 4, 'd9': "),
        ("a.pgn", PGN.replace("c3", "&"), "", "a.pgn line 10: here comes a move"),
        ("a.pgn", PGN.replace("c3", "--"), "", r"a.pgn game 2: a move is passed \(--\), which the rules forbid"),
        ("a.pgn", '[Event "x"]\n\n*\n', "", "a.pgn game 1 from line 1 on has no moves; remove it"),
        ("a.pgn", "1. f3 e5 2. g4 Qh4# 0-1", "", r"game 1: the game is over there \(checkmate\); give plies=N"),
        ("a.pgn", PGN.replace(SICILIAN, "8/8"), "", "a.pgn game 2: .*FEN"),
        ("a.pgn", "", "", "a.pgn has no openings; give one a line"),
        ("a.pgn", PGN, ",start=3", "start=3: .*a.pgn has only 2 openings"),
        ("a.pgn.gz", gzip.compress(PGN.encode())[:-12], "", "packed, and cut off or damaged .*; pack it again"),
        ("a.pgn.gz", b"not packed", "", "a.pgn.gz is packed, and cut off or damaged"),
        ("a.pgn.bz2", bz2.compress(PGN.encode())[:-12], "", "packed, and cut off or damaged"),
        ("a.bz2", b"not packed", "", "a.bz2 cannot be read: "),
        ("a.zip", b"not packed", "", "a.zip is packed, and cut off or damaged"),
        ("a.zip", zipped(), "", r"a.zip has 0 files \(none\)"),
        ("a.zip", zipped(a_pgn=PGN, b_pgn=PGN), "", r"a.zip has 2 files \('a.pgn', 'b.pgn'\); unpack it, and name one"),
    ],
)  # fmt: skip
def test_what_is_no_book_is_refused_with_its_place(book, name, data, words, sentence):
    with pytest.raises(BadOption, match=sentence):
        book(name, data, words)


@pytest.mark.parametrize("ending", ["txt.gz", "epd.bz2", "pgn.zip"])
def test_a_bomb_is_stopped(book, ending, monkeypatch):
    monkeypatch.setattr(book_files, "MOST_BYTES", 10_000)
    monkeypatch.setattr(book_files, "MOST_UNPACKED", 20_000)
    monkeypatch.setattr(book_files, "LONGEST_LINE", 5000)
    packed = {"gz": gzip.compress, "bz2": bz2.compress, "zip": lambda data: zipped(a_pgn=data)}[ending[-3:].strip(".")]
    for data in (b"\n" * 30_000, b"e4 " * 30_000, PGN.encode() * 1000):
        with pytest.raises(BadOption, match=r"has more than|has a line of more than"):
            book(f"a.{ending}", packed(data))


def test_the_number_of_openings_is_bounded(book, monkeypatch):
    monkeypatch.setattr(book_files, "MOST_OPENINGS", 1)
    with pytest.raises(BadOption, match="has more than 1 lines or games; give a smaller book"):
        book("a.pgn", PGN)


def test_the_codes_of_openings_come_from_pgn_epd_and_text(tmp_path):
    epd = f'{SICILIAN[:-3]}eco "B20";\n{FRENCH}\n'
    for name, data, codes in [
        ("a.pgn", PGN, ["B20", ""]),
        ("a.epd", epd, ["B20", ""]),
        ("a.txt", "e4 c5  # ECO B20\ne4 e5 # B20", ["B20", ""]),
    ]:
        (tmp_path / name).write_text(data)
        book = openings_of(parse_openings(f"file={tmp_path / name}"), "chess", {}, 1)
        assert [book.opening(number).eco for number in range(2)] == codes
        assert [book.opening(number).fields().get("eco", "") for number in range(2)] == codes


def test_an_opening_has_the_name_that_its_book_gives_it(tmp_path):
    tags = '[Event "x"]\n[ECO "B20"]\n[Opening "Sicilian \\"Open\\""]\n[Variation "Main # line"]\n\n1. e4 c5 *\n'
    for file, data, name in [
        ("a.pgn", tags, "Sicilian 'Open': Main # line"),
        ("a.epd", f'{SICILIAN[:-3]}id "Sicilian"; eco "B20";\n', "Sicilian"),
        ("b.epd", f'{SICILIAN[:-3]}c0 "Sicilian";\n', "Sicilian"),
        ("a.txt", 'e4 c5  # ECO B20 "Sicilian"\n', "Sicilian"),
        ("b.txt", "e4 c5  # ECO B20 a good one\n", ""),
    ]:
        (tmp_path / file).write_text(data)
        opening = openings_of(parse_openings(f"file={tmp_path / file}"), "chess", {}, 1).opening(0)
        assert opening.fields().get("opening_name", "") == name


def test_lines_of_a_file_can_be_kept_and_used_without_it(tmp_path):
    path = tmp_path / "a.pgn"
    path.write_text(PGN)
    choice = parse_openings(f"file={path},plies=1").kept("chess")
    path.unlink()
    assert openings_of(choice, "chess", {}, 1).opening(0) == Opening(("e2e4",), eco="B20")
    assert openings_of(choice, "chess", {}, 1).opening(1) == Opening(("c2c3",), SICILIAN)
