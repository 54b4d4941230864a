"""TRF files are read in every spelling that is usual; what cannot be read is told with line, column and remedy."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_server.tournament.cards import Card, Cell
from palio_server.tournament.trf import TrfError, imported, read_trf, write_trf
from palio_server.tournament.trf.rounds import boards_of, check_rounds, pair_next

GAMES = {
    1: ("   4 w 1", "   2 b ="),
    2: ("   5 b 0", "   1 w ="),
    3: ("0000 - U", "0000 - H"),
    4: ("   1 b 0", "   5 b +"),
    5: ("   2 w 1", "   4 w -"),
}
POINTS = {1: 1.5, 2: 0.5, 3: 1.5, 4: 1.0, 5: 1.0}


def row(number: int, cells=(), points: float | None = None) -> str:
    made = POINTS[number] if points is None else points
    name = f"Player {number}"
    return f"001 {number:4}      {name:<33} {2000 - number:4}{'':28}{made:4.1f} {number:4}  {'  '.join(cells)}"


def text(*extra: str, **changed) -> str:
    rows = {
        number: row(number, changed.get(f"cells{number}", GAMES[number]), changed.get(f"points{number}"))
        for number in GAMES
    }
    return "\n".join(["012 Open of Siena", "XXR 4", *extra, *rows.values(), ""])


def test_a_file_is_read_as_players_and_cells():
    file = read_trf(text("XXC black1"))
    assert (file.name, file.rounds, file.initial, file.played) == ("Open of Siena", 4, "black", 2)
    first = file.players[0]
    assert (first.number, first.name, first.rating, first.points, first.rank) == (1, "Player 1", 1999, 1.5, 1)
    assert first.cells == (Cell(1, "played", 1.0, (4,), (1.0,), "white"), Cell(2, "played", 0.5, (2,), (0.5,), "black"))
    assert file.players[3].cells[1] == Cell(2, "forfeit", 1.0, (5,), (1.0,))
    assert file.players[2].cells == (Cell(1, "pairing-bye", 1.0), Cell(2, "half-bye", 0.5))


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-8-sig"])
def test_any_line_end_and_either_encoding_will_do(line_end, encoding):
    given_ = text().replace("Player 2", "Rémi Üb2").replace("\n", line_end)
    file = read_trf(given_.encode(encoding))
    assert file.played == 2
    assert file.players[1].name.startswith("Rémi Ü")


@pytest.mark.parametrize(
    ("line", "rounds", "initial"),
    [("152 B", 4, "black"), ("152 W", 4, "white"), ("142 7", 7, "white"), ("", 4, "white")],
)
def test_rounds_and_the_initial_colour_have_two_spellings_or_are_inferred(line, rounds, initial):
    file = read_trf(text(line))
    assert (file.rounds, file.initial) == (rounds, initial)


def test_byes_of_the_next_round_are_respected_and_may_be_in_the_points():
    for points in (1.5, 2.0):
        file = read_trf(text(cells1=(*GAMES[1], "0000 - H"), points1=points))
        assert file.played == 2
        numbers = {number for board in boards_of(pair_next(file)) for number in board}
        assert numbers == {2, 3, 4, 5}
    listed = read_trf(text("240 H   3    2    5"))
    assert {number for board in boards_of(pair_next(listed)) for number in board} - {0} == {1, 3, 4}


def test_byes_may_be_granted_for_several_rounds_to_come():
    for points in (1.5, 2.0, 2.5):
        file = read_trf(text(cells1=(*GAMES[1], "0000 - H", "     - H"), points1=points))
        assert file.played == 2
        assert {number for board in boards_of(pair_next(file)) for number in board} == {2, 3, 4, 5}


def test_who_is_absent_next_may_stand_in_one_line():
    file = read_trf(text("XXZ 2 5"))
    assert {number for board in boards_of(pair_next(file)) for number in board} - {0} == {1, 3, 4}
    with pytest.raises(TrfError, match="XXZ is followed by starting numbers only"):
        read_trf(text("XXZ 2 b"))


def test_letters_may_be_large_or_small():
    large, small = text("XXC WHITE1", cells1=("   4 W 1", "   2 B =")), text(cells3=("0000 - u", "0000 - h"))
    assert read_trf(large).cards() == read_trf(small).cards() == read_trf(text()).cards()


def test_who_must_not_meet_is_kept_apart():
    free = boards_of(pair_next(read_trf(text())))
    white, black = free[0]
    apart = boards_of(pair_next(read_trf(text(f"XXP {white} {black}"))))
    assert {white, black} not in [set(board) for board in apart]
    assert boards_of(pair_next(read_trf(text(f"260   3   4 {white:4} {black:4}")))) == apart


def test_points_of_a_virtual_score_and_of_other_systems_are_read():
    assert read_trf(text("XXA    1  1.0  0.5")).virtual == {1: [1.0, 0.5]}
    assert read_trf(text("250       1.0   1   2    1    2")).virtual == {1: [1.0, 1.0], 2: [1.0, 1.0]}
    other = read_trf(text("BBW  3.0", "BBD  1.0", points1=4.0, points2=1.0, points3=4.0, points4=3.0, points5=3.0))
    assert other.system.win == 3.0
    listed = read_trf(text("162  W 1.0    D 0.5    L 0.0    A 0.0    P 1.0    X 0.5"))
    assert listed.system == replace(read_trf(text()).system, bye=1.0)
    absences = read_trf(text("162  A 0.2", cells3=("0000 - Z", "0000 - Z"), points3=0.4, points5=1.2))
    assert (absences.system.absent, absences.system.forfeit) == (0.2, 0.2)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        (text(points2=3.0), r"open.trf, line 4, column 81: 3 points, but the results of 2 add up to 0.5; correct"),
        (text(cells1=("   4 x 1", "   2 b =")), r"line 3, column 97: round 1: 'x' is no colour; write w, b or -"),
        (text(cells1=("   4 w ?", "   2 b =")), r"line 3, column 99: round 1: '\?' is no result"),
        (text(cells1=("  1o w 1", "   2 b =")), r"line 3, column 92: round 1: '1o' is no starting number"),
        (text(cells1=("   9 w 1", "   2 b =")), r"line 3, column 92: there is no player 9; add its 001 line"),
        (text(cells1=("   1 w 1", "   2 b =")), r"line 3, column 92: round 1: number 1 meets itself"),
        (text(cells1=("   4 b 1", "   2 b =")), r"column 97: 1 and 4 both have black in round 1"),
        (text(cells1=("   5 w 1", "   2 b =")), r"column 92: round 1 of 1 contradicts that of 5 \(line 7\)"),
        (text(cells4=("   1 b 1", "   5 b +")), r"column 99: 1 and 4 have more than one point of round 1 together"),
        (text("XXC wite1"), r"line 3, column 5: 'wite1' is no initial colour; did you mean 'white1'"),
        (text("XXR seven"), r"line 3, column 4: 'seven' is not the number of rounds; write a whole number from 1"),
        (text("152 green"), r"line 3, column 5: 'GREEN' is no initial colour; write W or B"),
        (text("192 FIDE_DUBOV"), r"only the Dutch system is paired here"),
        (text("013 Team"), r"teams are not supported"),
        (text("001    2"), r"line 3, column 9: the line ends before the points"),
        (text() + row(2, GAMES[2]), r"the starting number 2 is there twice"),
        ("012 nobody", r"there is no player; a TRF file has a line that begins with 001"),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_the_remedy(given_, message):
    with pytest.raises(TrfError, match=message):
        read_trf(given_, "open.trf")


def test_what_the_next_round_needs_is_told():
    without = text().replace("XXR 4\n", "")
    with pytest.raises(TrfError, match="add a line such as XXR 9"):
        pair_next(read_trf(without))
    with pytest.raises(TrfError, match="all 2 rounds are paired"):
        pair_next(read_trf(without.replace("012", "XXR 2\n012")))
    with pytest.raises(TrfError, match="add a line XXC white1 or XXC black1"):
        pair_next(read_trf("\n".join(["XXR 3", row(1, (), 0.0), row(2, (), 0.0)])))


def test_an_import_has_entries_and_rounds():
    found = imported(read_trf(text()))
    assert [entry.bot for entry in found.entries] == [f"Player {number}" for number in range(1, 6)]
    assert found.planned == 4
    assert [(each.plan.bots, each.plan.kind, each.scores, each.fought) for each in found.rounds[1]] == [
        (("Player 2", "Player 1"), "played", (0.5, 0.5), True),
        (("Player 5", "Player 4"), "played", (0.0, 1.0), False),
        (("Player 3",), "half-bye", None, True),
    ]
    assert found.entries[2].byes == {2}
    twins = text().replace("Player 2", "Player 1")
    with pytest.raises(TrfError, match="two players are called 'Player 1'"):
        imported(read_trf(twins))


def _cards(draws) -> list[Card]:
    """Rounds of a few players, who meet in the order of `draws`."""
    cells = {number: [] for number in range(1, 7)}
    for round_, (order, results) in enumerate(draws, 1):
        for pair, result in zip(zip(order[::2], order[1::2], strict=True), results, strict=True):
            for place, number in enumerate(pair):
                ahead = result if place == 0 else 1.0 - result
                colour = ("white", "black")[place]
                cells[number].append(Cell(round_, "played", ahead, (pair[1 - place],), (ahead,), colour))
    return [Card(number, f"P{number}", 1500.0, tuple(cells[number])) for number in cells]


rounds_ = st.tuples(st.permutations(range(1, 7)), st.tuples(*[st.sampled_from((0.0, 0.5, 1.0))] * 3))


@settings(max_examples=50)
@given(st.lists(rounds_, min_size=1, max_size=6))
def test_what_is_written_is_read_again(draws):
    cards = _cards(draws)
    assert read_trf(write_trf("again", cards, 9, "white")).cards() == cards


def test_a_round_that_is_in_the_file_is_compared_with_ours():
    one, other = check_rounds(read_trf(text()))
    assert one.theirs == {(1, 4), (5, 2), (3, 0)}
    assert not one.same
    assert other.round == 2
