"""Books: each line is an opening that the rules allow, or is refused with its number and the reason."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_rules.records.record import Setup
from palio_rules.registry import game
from palio_server.tournament.openings import Book, Opening, RandomOpenings

POSITION = "BBBBBB/B.BBBB/.B..../..W.../WW.WWW/WWWWWW black"
GAMES = ["breakthrough", "chexers", "dominoes", "end_of_the_track"]


def read(*lines, name="my.book", options=None, of="breakthrough", **more):
    return Book.read(lines, of, options or {}, name=name, **more)


def all_of(book, first=0):
    return [book.opening(first + number) for number in range(book.size)]


def test_comments_and_empty_lines_say_nothing():
    book = read("# title", "", "  b5-b4 c2-c3  # from the course", "#", "c5-c4")
    assert all_of(book) == [Opening(([[1, 1], [2, 1]], [[4, 2], [3, 2]])), Opening(([[1, 2], [2, 2]],))]
    assert book.remarks == ()


def test_a_position_is_where_a_match_begins():
    [opening] = all_of(read(f"{POSITION}  # after two plies"))
    assert opening == Opening(position=POSITION)
    setup = Setup("breakthrough", ("ann", "bob"), **opening.fields())
    assert setup.rules().format_state(setup.start()) == POSITION


@pytest.mark.parametrize("order", ["sequential", "random"])
def test_a_book_may_begin_later_and_goes_round(order):
    lines = ["a5-a4", "b5-b4", "c5-c4"]
    whole, later = (read(*lines, order=order, start=start) for start in (1, 3))
    assert all_of(later) == all_of(whole, first=2)


def test_chess_has_fens_of_any_form_and_moves_in_san():
    fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"  # no pawn can capture there
    book = read(fen, "e4 c5 Nf3", "8/8/8/4k3/8/8/4P3/4K3 w - -", of="chess")
    assert all_of(book)[:2] == [Opening(position=fen), Opening(("e2e4", "c7c5", "g1f3"))]
    setup = Setup("chess", ("ann", "bob"), **book.opening(0).fields())
    assert setup.rules().format_state(setup.start()) == fen.replace("e3", "-")
    with pytest.raises(BadOption, match=r"my.book line 1: .*castling rights of chess960; say variant=chess960"):
        read("4k3/8/8/8/8/8/8/1RK4R w HB - 0 1", of="chess")
    assert read("4k3/8/8/8/8/8/8/1RK4R w KQ - 0 1", of="chess", options={"variant": "chess960"}).size == 1


def test_a_filled_corner_of_a_board_is_no_comment():
    [opening] = all_of(
        read("##....../#......./......../......../......../......../......../........ vertical", of="dominoes")
    )
    assert opening.position.startswith("##")


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=settings().max_examples // 5)
@given(plies=st.integers(0, 5), seed=st.integers(0, 2**32))
def test_every_opening_can_be_written_as_moves_or_as_a_position(name, plies, seed):
    rules = game(name)
    state = start = rules.start(rules.parse_options({}))
    words, opening = [], RandomOpenings(rules, start, plies, seed).opening(0)
    for value in opening.moves:
        move = rules.read_move(state, value)
        words.append(rules.notation(state, move))
        state = state.play(move)
    lines = [rules.format_state(state), *([" ".join(words)] if words else [])]
    for line in lines:
        [found] = all_of(read(line, of=name))
        assert Setup(name, ("a", "b", "c"), **found.fields()).start() == state
    assert read(*lines, of=name).size == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("b5-b4 b4-b3", "move 2, 'b4-b3': b4 is your opponent's piece"),
        ("b5-b4 nonsense", "move 2, 'nonsense': a move is written b5-b4, or b5xc4 for a capture"),
        ("nonsense", "move 1, 'nonsense': a move is written b5-b4"),
        ("BBB/BBB black", "it is neither moves .* nor a position .*4 to 8 rows"),
        (
            "BBB/BBB/.../WWW/WWW black",
            "the position has 5 rows and 3 columns, the options give 6 and 6; let them agree",
        ),
        ("B...../....../....../....../....../B..... black", r"the game is over there \(reached-far-row\); take it out"),
    ],
)
def test_what_is_no_opening_is_refused_with_its_line_and_the_reason(line, reason):
    with pytest.raises(BadOption, match=f"^my.book line 3: {reason}"):
        read("# a comment", "c5-c4", line)


def test_moves_that_end_the_game_are_refused():
    with pytest.raises(BadOption, match=r"line 1: the game is over there"):
        read("a2v b2h", of="dominoes", options={"rows": 2, "cols": 3})


@pytest.mark.parametrize("lines", [(), ("# nothing", "")])
def test_a_book_without_openings_is_refused(lines):
    with pytest.raises(BadOption, match=r"my\.book has no openings; give one a line"):
        read(*lines)


def test_openings_that_lead_to_the_same_position_are_told_and_left_out():
    book = read("b5-b4 c2-c3 d5-d4", "c5-c4", "d5-d4 c2-c3 b5-b4", "c5-c4")
    assert book.size == 2
    told = "my.book: line 3 repeats line 1, line 4 repeats line 2; repeated openings are left out"
    assert book.remarks == (told,)


def test_many_repetitions_are_counted():
    [told] = read(*["c5-c4"] * 9).remarks
    assert told.endswith("line 6 repeats line 1, and so on, 8 in all; repeated openings are left out")


def test_plies_cut_what_is_given_as_moves():
    book = read("b5-b4 c2-c3 d5-d4", POSITION, plies=1)
    assert all_of(book) == [Opening(([[1, 1], [2, 1]],)), Opening(position=POSITION)]


LINES = ["b5-b4", "c5-c4", "d5-d4", "e5-e4", "f5-f4", "a5-a4", "b5-a4", "b5-c4"]


def test_in_sequence_they_come_round_again():
    book = read(*LINES[:3])
    assert [book.opening(number) for number in range(7)] == [*all_of(book), *all_of(book), book.opening(0)]


@given(seed=st.integers(0, 2**32), turn=st.integers(0, 50))
def test_in_random_order_each_pass_has_every_opening_once(seed, turn):
    book = read(*LINES, order="random", seed=seed)
    once = all_of(book, turn * book.size)
    assert sorted(map(str, once)) == sorted(map(str, all_of(read(*LINES))))
    assert once == all_of(read(*LINES, order="random", seed=seed), turn * book.size)


def test_passes_and_seeds_have_orders_of_their_own():
    book, other = (read(*LINES, order="random", seed=seed) for seed in (1, 2))
    assert all_of(book) != all_of(book, book.size)
    assert all_of(book) != all_of(other)


def test_more_encounters_than_openings_are_told():
    book = read(*LINES)
    assert book.check(8) == ()
    assert book.check(9) == ("my.book has 8 openings for 9 encounters: they come round again",)
