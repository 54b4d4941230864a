"""PGN as programs write it, and as hostile people might: every game is read, or its fault named with its line."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.records import pgn
from palio_rules.records.pgn import PgnFault, PgnGame, PgnReader, decoded, read_pgn

ROSTER = """[Event "Cup"]
[Site "?"]
[Date "2026.11.27"]
[Round "1"]
[White "ann"]
[Black "bob"]
[Result "1-0"]

"""


def read(text, *, strict=False):
    return list(read_pgn(text.split("\n"), strict=strict))


def moves(game):
    return [move.text for move in game.moves]


def only(text, *, strict=False):
    [found] = read(text, strict=strict)
    return found


@pytest.mark.parametrize(
    ("movetext", "expected"),
    [
        ("1. e4 e5 2. Nf3 1-0", ["e4", "e5", "Nf3"]),
        ("1.e4 e5 2.Nf3 1-0", ["e4", "e5", "Nf3"]),
        ("1 e4 e5 2 Nf3 1-0", ["e4", "e5", "Nf3"]),
        ("1. e4 1... e5 2.Nf3 1-0", ["e4", "e5", "Nf3"]),
        ("1. e4! e5?? 2. Nf3!? $14 $1 1-0", ["e4", "e5", "Nf3"]),
        ("1. e4 += e5 2. Nf3 +- 1-0", ["e4", "e5", "Nf3"]),
        ("1. e4 (1. d4 d5 (1... Nf6 {a ) in it} 2. c4) 2. c4) e5 2. Nf3 1-0", ["e4", "e5", "Nf3"]),
        ("1. e4 ; to the end of the line 1. d4\n1... e5 2. Nf3 1-0", ["e4", "e5", "Nf3"]),
        ("1. e4\n% of another program 1. d4\n1... e5 2. Nf3 1-0", ["e4", "e5", "Nf3"]),
        ("1. e4 <reserved> e5 2. Nf3 1-0", ["e4", "e5", "Nf3"]),
        ("1. O-O 0-0-0 2. e8=Q+ exd6e.p. 3. exd3 e.p. 1-0", ["O-O", "0-0-0", "e8=Q+", "exd6", "exd3"]),
        ("1. b5-b4 c2xd3 1-0", ["b5-b4", "c2xd3"]),
        ("1. e4 -- 2. Z0 1-0", ["e4", "--", "Z0"]),
        ("1. e4 e5", ["e4", "e5"]),
    ],
)
def test_the_moves_of_the_game_itself_are_read(movetext, expected):
    game = only(ROSTER + movetext)
    assert (moves(game), game.result) == (expected, "1-0")


def test_comments_belong_to_the_move_before_them_in_one_line():
    text = "{before} 1. e4 {one [%clk\n0:01:00]} {two} ; three\n1... e5 (1... c5 {no}) {four\n\n  {five} 2. d4 *"
    game = only(f'[Event "x"]\n\n{text}')
    assert game.comment == "before"
    assert [move.comment for move in game.moves] == ["one [%clk 0:01:00] two three", "four {five", ""]


def test_tags_with_everything_that_programs_do_to_them():
    game = only(
        '\ufeff[Event "a \\"b\\" \\\\ c"] [Site "x"]\r\n[White "Joe "the" Cat"]\r\n; a remark\r\n\r\n1. e4 *\r\n'
    )
    assert game.tags == {"Event": 'a "b" \\ c', "Site": "x", "White": 'Joe "the" Cat'}
    assert moves(game) == ["e4"]


def test_line_ends_of_old_macs():
    assert moves(only('[Event "x"]\r\r1. e4 e5 *\r')) == ["e4", "e5"]


@pytest.mark.parametrize(("line", "text"), [("Müller".encode(), "Müller"), ("Müller".encode("latin-1"), "Müller")])
def test_both_encodings_are_read(line, text):
    assert decoded(line) == text


def test_a_line_that_begins_with_a_bracket_within_a_comment_is_no_tag():
    assert len(read(ROSTER + "1. e4 {a\n[%clk 0:01:00] [Site " + '"x"]} e5 1-0')) == 1
    assert len(read(ROSTER + '1. e4 {a\n[Site "x"]} e5 1-0')) == 1


def test_games_without_a_result_or_tags_end_where_the_next_one_begins():
    found = read(
        '[Event "1"]\n\n1. e4\n\n[Event "2"]\n[Result "0-1"]\n\n1. d4\n[Event "3"]\n\n1. c4 *\n1. f4 f5 1/2 1. g4 ½-½'
    )
    assert [(moves(game), game.result) for game in found] == [
        (["e4"], "*"), (["d4"], "0-1"), (["c4"], "*"), (["f4", "f5"], "1/2-1/2"), (["g4"], "1/2-1/2"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("1. e4 &", 1, "here comes a move, a comment or a result, got '&'"),
        ("[Event x]\n\n1. e4", 1, "here comes a move"),
        ('[Event "x"]\n[Site y]\n\n1. e4', 2, "a tag is written [Name \"value\"], got '[Site y]'"),
        ("1. e4\n(1. d4\n", 2, "the variation that begins here is not closed; add a )"),
        ("1. e4 ) e5", 1, "a variation is closed that was not opened; remove the )"),
        ("1. e4\n{and so on\n\n", 2, "the comment that begins here is not closed; add a }"),
        ('[Result "0-1"]\n\n1. e4 1-0', 3, "the game ends in 1-0, its tag Result says '0-1'; correct one"),
    ],
)
def test_a_fault_has_its_line_and_a_remedy_and_the_next_game_is_read(text, line, sentence):
    fault, game = read(f'{text}\n[Event "next"]\n\n1. d4 *')
    assert isinstance(fault, PgnFault)
    assert fault.line == line
    assert fault.sentence.startswith(sentence)
    assert moves(game) == ["d4"]


def test_after_a_fault_in_a_comment_only_a_new_game_is_read():
    found = read(f'{ROSTER}1. e4 & {{a\n[Site "x"]}} e5 *\n1. d4 *\n\n[Site "next"]\n\n1. c4 *')
    assert [type(each) for each in found] == [PgnFault, PgnGame]
    assert moves(found[1]) == ["c4"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (ROSTER.replace('[Round "1"]\n', "") + "1. e4 1-0", "the tag [Round ...] is missing"),
        (ROSTER + "1. e4", "the game has no result behind its moves; add 1-0, 0-1, 1/2-1/2 or *"),
        (ROSTER + "1. e4 *", "the game ends in *, its tag Result says '1-0'; correct one"),
        (ROSTER + "1. e4 e5 3. Nf3 1-0", "the number of the next move is 2, got 3."),
        (ROSTER.replace("1-0", "1/2-1/2") + "1. e4 1/2", "a draw is written 1/2-1/2, got '1/2'"),
        ('[Site "x"]\n' + ROSTER + "1. e4 1-0", "the tag Site is given twice"),
        (ROSTER.replace("Cup", 'C"u"p') + "1. e4 1-0", 'a tag is written [Name "value"]'),
        (ROSTER + "1. e2-e4 1-0", "a move is written in short notation, as in Nf3, e4 or a8=Q, got 'e2-e4'"),
        (ROSTER + "1. Ng1-f3 1-0", "a move is written in short notation"),
        (ROSTER + "1. e2e4 1-0", "a move is written in short notation"),
        (ROSTER + "1. Pe4 1-0", "a move is written in short notation"),
        (ROSTER + "1. bxa8=q 1-0", "a move is written in short notation"),
    ],
)
def test_a_strict_reader_refuses_what_a_tolerant_one_repairs(text, sentence):
    assert isinstance(only(text), PgnGame)
    fault = only(text, strict=True)
    assert isinstance(fault, PgnFault)
    assert fault.sentence.startswith(sentence)


def test_a_strict_reader_reads_what_the_standard_allows():
    text = ROSTER + "1. e4 {a} 1... e5 $1 (1... c5) 2. Nf3 ; b\n1-0"
    assert moves(only(text, strict=True)) == ["e4", "e5", "Nf3"]
    with_fen = ROSTER.replace("\n\n", '\n[SetUp "1"]\n[FEN "x"]\n\n')
    assert moves(only(f"{with_fen}7... Kd7 8. Ke2 1-0", strict=True)) == ["Kd7", "Ke2"]


def test_the_size_of_a_game_is_bounded(monkeypatch):
    monkeypatch.setattr(pgn, "LONGEST_GAME", 4000)
    monkeypatch.setattr(pgn, "MOST_MOVES", 10)
    for text, words in [
        ("{" + "a\n" * 2000, "the game is longer than"),
        ("e4 " * 11, "the game has more than 10 moves; no match has"),
        ("".join(f'[T{number} "x"]\n' for number in range(201)), "the game has more than 200 tags"),
    ]:
        found = read(f'{text}\n\n[Event "next"]\n\n1. d4 *')
        assert found[0].sentence.startswith(words)
        assert moves(found[-1]) == ["d4"]


def test_deep_variations_need_no_stack():
    deep = 100_000
    assert moves(only(f"1. e4 {'(' * deep} 1. d4 {')' * deep} e5 *")) == ["e4", "e5"]


def test_one_game_at_a_time_is_in_memory():
    game = ROSTER + "1. e4 {%s} e5 1-0\n\n" % ("x" * 10_000)
    lines = (line for _ in range(2000) for line in game.split("\n"))
    tracemalloc.start()
    assert sum(1 for _ in read_pgn(lines)) == 2000
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


def test_a_reader_knows_whether_it_is_within_a_game():
    reader = PgnReader()
    states = []
    for number, line in enumerate(["", '[Event "x"]', "", "1. e4 {a", "b}", "*", ""], 1):
        list(reader.take(line, number))
        states.append((reader.is_open, reader.in_comment))
    outside, inside, comment = (False, False), (True, False), (True, True)
    assert states == [outside, inside, inside, comment, inside, outside, outside]


WORDS = ["1.", "e4", "{", "}", "(", ")", "[", "]", '[Event "x"]', '[FEN "x"]', '"', "\\", ";", "%", "\n", "\n\n", "\r",
         "1-0", "*", "--", "$1", "!?", "<", ">", "½-½", "0-1", "\x00", "e.p.", "1..."]  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=5)), max_size=60).map(" ".join)


@settings(max_examples=300)
@given(texts, st.booleans())
def test_no_text_is_too_odd(text, strict):
    found = read(text, strict=strict)
    assert all(isinstance(each, PgnGame | PgnFault) for each in found)
    lines = text.count("\n") + 1
    assert all(1 <= each.line <= lines for each in found)


@settings(max_examples=100)
@given(texts)
def test_what_stands_before_a_game_does_not_change_it(text):
    found = read(f'{text}\n\n[Event "last"]\n\n1. d4 d5 *')
    inside = [each for each in found if isinstance(each, PgnGame) and each.tags.get("Event") == "last"]
    assert len(inside) == 1
    assert moves(inside[0])[-2:] == ["d4", "d5"]
