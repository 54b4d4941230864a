"""Go: counts against what is proven, fights whose end every player knows, and every reason to reject a move."""

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.boards.go import PASS, board_of
from palio_rules.errors import BadOption, BadPosition, IllegalMove, MalformedMove
from palio_rules.game import Outcome
from palio_rules.games.go import Go, GoOptions
from palio_rules.games.go_position import BLACK, WHITE, placed

RULES = Go()


def start(**settings):
    return RULES.start(GoOptions(**settings))


def at(rows, **settings):
    """A position of rows from the top, "XO." as the text board has them."""
    text = "/".join(rows.split())
    turn = settings.pop("turn", "b")
    return RULES.read_state(f"{text} {turn}", GoOptions(size=len(rows.split()), **settings))


def play(state, moves):
    for move in moves.split():
        state.check(move)
        state = state.play(move)
    return state


def refusal(state, move):
    with pytest.raises(IllegalMove) as error:
        state.check(move)
    assert move not in state.legal_moves()
    return error.value.code, str(error.value)


# --- what is proven ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 57), (3, 12675)])
def test_as_many_boards_are_legal_as_tromp_and_farneback_counted(size, count):
    """OEIS A094777."""
    found = 0
    for cells in product(".XO", repeat=size * size):
        rows = "/".join("".join(cells[at : at + size]) for at in range(0, size * size, size))
        try:
            RULES.read_state(f"{rows} b")
        except BadPosition:
            continue
        found += 1
    assert found == count


def test_every_legal_board_of_two_by_two_is_reached_by_play():
    seen, waiting = {(0, 0)}, [placed(2)]
    for state in waiting:
        for turn, move in product((BLACK, WHITE), state.board.bits):
            here = placed(2, state.black, state.white, turn, suicide=True)
            if move in here.legal_moves():
                after = here.play(move)
                if (after.black, after.white) not in seen:
                    seen.add((after.black, after.white))
                    waiting.append(after)
    assert len(seen) == 57


# --- the rules, played another way ------------------------------------------------------------------------------------


class Plain:
    """Tromp and Taylor's rules on a dictionary of points, one stone at a time: another opinion."""

    def __init__(self, size, *, suicide):
        self.cells = {(x, y): "." for x in range(size) for y in range(size)}
        self.size, self.suicide, self.boards, self.to_move = size, suicide, [], "X"
        self.remember()

    def remember(self):
        self.boards.append("".join(self.cells.values()))

    def near(self, point):
        x, y = point
        return [each for each in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)) if each in self.cells]

    def reaches(self, point, colour):
        """Return True if a path of points like `point` leads to one of `colour`."""
        seen, waiting = {point}, [point]
        while waiting:
            for each in self.near(waiting.pop()):
                if self.cells[each] == colour:
                    return True
                if self.cells[each] == self.cells[point] and each not in seen:
                    seen.add(each)
                    waiting.append(each)
        return False

    def clear(self, colour):
        dead = [point for point, cell in self.cells.items() if cell == colour and not self.reaches(point, ".")]
        for point in dead:
            self.cells[point] = "."
        return len(dead)

    def after(self, point):
        """Play; return whether it was legal. An illegal move leaves everything unchanged."""
        before = dict(self.cells)
        own, enemy = self.to_move, "XO".replace(self.to_move, "")
        legal = self.cells[point] == "."
        if legal:
            self.cells[point] = own
            self.clear(enemy)
            legal = (not self.clear(own) or self.suicide) and "".join(self.cells.values()) not in self.boards
        if not legal:
            self.cells = before
            return False
        return True

    def legal(self):
        found = []
        for y, x in product(range(self.size), repeat=2):
            before = dict(self.cells)
            if self.after((x, y)):
                found.append((x, y))
                self.cells = before
        return found

    def play(self, point):
        if point is not None:
            assert self.after(point)
        self.remember()
        self.to_move = "XO".replace(self.to_move, "")

    def margin(self, komi):
        points = {"X": 0, "O": 0}
        for point, cell in self.cells.items():
            near = [colour for colour in "XO" if cell == colour or (cell == "." and self.reaches(point, colour))]
            if len(near) == 1:
                points[near[0]] += 1
        return points["X"] - points["O"] - komi


def named(state, point):
    return PASS if point is None else state.board.names[state.board.bit(point[1], point[0])]


def compare(size, seed, *, suicide, every):
    """Play a random game by both rules; compare the legal moves at each `every`th ply, and the score at the end."""
    choose = random.Random(seed)
    state, plain = start(size=size, suicide=suicide), Plain(size, suicide=suicide)
    while state.to_move is not None:
        moves = list(state.legal_moves())
        if len(state.moves) % every == 0:
            assert moves == [*(named(state, point) for point in plain.legal()), PASS]
        move = choose.choice(moves[:-1]) if len(moves) > 1 and choose.random() < 0.97 else PASS
        row, col = (0, 0) if move == PASS else state.board.cell(state.board.bits[move])
        plain.play(None if move == PASS else (col, row))
        state = state.play(move)
        assert "".join(state.rows()) == "".join(plain.cells[x, y] for y, x in product(range(size), repeat=2))
    assert state.margin() == plain.margin(state.komi)
    return state


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(size=st.integers(1, 5), seed=st.integers(0, 2**32), suicide=st.booleans())
def test_each_move_of_a_random_game_is_legal_by_other_rules_too(size, seed, suicide):
    compare(size, seed, suicide=suicide, every=1)


@pytest.mark.parametrize("size", [7, 9])
def test_random_games_end_with_the_score_of_other_rules(size):
    reasons = {compare(size, seed, suicide=False, every=40).outcome().reason for seed in range(20)}
    assert reasons <= {"score", "max-plies"}


# --- fights -----------------------------------------------------------------------------------------------------------

SHAPE = ".XO. XO.O .XO. ...."  # of a ko: Black takes at C3
TAKEN_BY_BLACK, TAKEN_BY_WHITE = (".XO.", "XO.O", ".XO.", "...."), (".XO.", "X.XO", ".XO.", "....")
TRIPLE = " ".join(f"{row}........" for row in (*TAKEN_BY_BLACK, *TAKEN_BY_WHITE, *TAKEN_BY_BLACK))


def test_a_stone_without_liberties_is_taken():
    state = play(start(size=5), "A1 A2 E5 B1")
    assert state.find("X") == [(0, 4)]
    assert state.captures == (0, 1)


def test_a_group_is_taken_as_a_whole():
    state = play(at("XXX.. OOX.. .OX.. XX... ....."), "A3")
    assert state.rows()[:3] == ["XXX..", "..X..", "X.X.."]
    assert state.captures == (3, 0)


def test_two_groups_are_taken_by_one_stone():
    state = play(at(".OX OX. X.."), "A3")
    assert state.rows() == ["X.X", ".X.", "X.."]
    assert state.captures == (2, 0)


def test_a_suicide_is_refused_unless_an_option_allows_it():
    assert refusal(at(".OX OX. X..", turn="w"), "A3") == (
        "suicide",
        "A3 is suicide: the group of 3 stones would have no liberty",
    )
    state = play(at(".OX OX. X..", turn="w", suicide=True), "A3")
    assert state.rows() == ["..X", ".X.", "X.."]
    assert state.captures == (3, 0)


def test_a_suicide_of_a_single_stone_would_leave_the_board_unchanged():
    assert refusal(at(".X. X.. ...", turn="w"), "A3")[1] == "A3 is suicide: a stone there would have no liberty"
    assert refusal(at(".X. X.. ...", turn="w", suicide=True), "A3") == (
        "superko",
        "A3 would leave the board unchanged (positional superko)",
    )


def test_a_ko_is_not_taken_back_at_once_but_later():
    state = play(at(SHAPE), "C3")
    assert state.rows()[1] == "X.XO"
    assert state.ko == state.board.bits["B3"]
    assert refusal(state, "B3") == ("superko", "B3 would repeat the position at the start (positional superko)")
    assert play(state, "A1 D1 B3").rows()[1] == "XO.O"


def test_a_repeated_position_is_named_by_the_move_that_led_to_it():
    state = play(at(SHAPE), "A1 D1 C3")
    assert refusal(state, "B3")[1] == "B3 would repeat the position after move 2 (positional superko)"


def test_a_snapback_takes_back_at_once():
    state = play(at(".... OOO. XXO. ..O.", turn="w"), "A1 B1")
    assert state.ko == 0
    assert play(state, "A1").captures == (1, 3)


def test_sending_two_and_returning_one_would_repeat_the_position():
    """With the other side to move: situational superko would allow it."""
    state = play(at(".O.O XXOO .... ....", turn="w"), "A4 C4")
    assert state.rows()[0] == "..XO"
    assert refusal(state, "B4")[1] == "B4 would repeat the position at the start (positional superko)"


def test_a_triple_ko_does_not_go_round():
    state = play(at(TRIPLE), "C11 B7 C3 B11 C7")
    assert state.ko == state.board.bits["B7"]
    assert refusal(state, "B3")[1] == "B3 would repeat the position at the start (positional superko)"
    assert play(state, "L1 A1 B3").rows()[9] == "XO.O........"


# --- the end ----------------------------------------------------------------------------------------------------------

EVEN = " ".join([*["........."] * 3, "XXXXXXXXX", "XXXXXXXXO", "OOOOOOOOO", *["........."] * 3])  # 44 to 37 points


@pytest.mark.parametrize(
    ("komi", "scores", "words", "sentence"),
    [
        ("usual", (0.5, 0.5), "draw", "Both have as many points"),
        (6.5, (1.0, 0.0), "black wins by 0.5", "Black wins by 0.5 points"),
        (8, (0.0, 1.0), "white wins by 1", "White wins by 1 point"),
        (9, (0.0, 1.0), "white wins by 2", "White wins by 2 points"),
    ],
)
def test_the_komi_decides_and_the_usual_one_of_seven_can_draw(komi, scores, words, sentence):
    state = play(at(EVEN, komi=komi), "pass pass")
    assert state.outcome() == Outcome("score", scores)
    assert state.outcome().detail == sentence
    assert state.status() == words
    assert RULES.gestures.count(state) == words


def test_points_that_reach_both_sides_are_nobodys():
    assert at("X..O X..O X..O X..O", komi=0).margin() == 0
    assert at("X..O X..O X..O XX.O", komi=0).margin() == 1
    assert start(size=5, komi=0).margin() == 0


def test_a_single_stone_owns_an_empty_board():
    assert play(start(size=9), "E5").margin() == 81 - 7


def test_one_pass_does_not_end_the_game():
    state = play(start(), "pass")
    assert state.to_move == WHITE
    assert play(state, "E5 pass").to_move == WHITE


def test_after_three_plies_for_each_point_the_board_is_scored_as_it_is():
    choose, state = random.Random(5), start(size=4)
    while state.to_move is not None:
        moves = state.legal_moves()
        state = state.play(choose.choice(moves[:-1]) if len(moves) > 1 else PASS)
        if state.passes == 2:
            state = start(size=4)
    assert len(state.moves) == 48
    assert state.outcome().reason == "max-plies"
    assert refusal(state, PASS) == ("game-over", "the game is over")


# --- options, moves and positions in writing --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "stones", "points"),
    [
        (19, 2, "D4 Q16"),
        (19, 3, "D4 D16 Q16"),
        (19, 5, "D4 D16 K10 Q4 Q16"),
        (19, 6, "D4 D10 D16 Q4 Q10 Q16"),
        (19, 7, "D4 D10 D16 K10 Q4 Q10 Q16"),
        (19, 8, "D4 D10 D16 K4 K16 Q4 Q10 Q16"),
        (13, 9, "D10 D4 D7 G10 G4 G7 K10 K4 K7"),
        (12, 4, "D4 D9 J4 J9"),
        (9, 9, "C3 C5 C7 E3 E5 E7 G3 G5 G7"),
        (8, 4, "C3 C6 F3 F6"),
        (7, 4, "C3 C5 E3 E5"),
    ],
)
def test_handicap_stones_lie_where_gtp_and_gnu_go_place_them(size, stones, points):
    state = start(size=size, handicap=stones)
    assert {state.board.names[bit] for bit in state.board.points(state.black)} == set(points.split())
    assert (state.to_move, state.komi, state.white) == (WHITE, 0.5, 0)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"handicap": 1}, "handicap=1 is no stone"),
        ({"size": 8, "handicap": 5}, "handicap=5 has no places on a board of 8x8; say handicap=0 to 4"),
        ({"size": 5, "handicap": 2}, "say handicap=0, or a board of 7x7 or more"),
    ],
)
def test_a_handicap_that_has_no_places_is_refused_with_the_remedy(settings, sentence):
    with pytest.raises(BadOption, match=sentence):
        start(**settings)


@pytest.mark.parametrize(
    ("move", "code", "sentence"),
    [
        ("C3", "occupied", "C3: white has a stone there"),
        ("E5", "occupied", "E5: black has a stone there"),
        ("J9", "off-board", "'J9' is no point of the 5x5 board"),
    ],
)
def test_a_move_is_refused_with_the_reason(move, code, sentence):
    assert refusal(play(start(size=5), "E5 C3"), move) == (code, sentence)


@pytest.mark.parametrize("text", ["I5", "i5", "A0", "A20", "U3", "C03", "C3 ", "passe", "resign", "\u017f3", "", "3C"])
def test_what_is_no_point_is_refused(text):
    with pytest.raises(MalformedMove, match="a move is written C3, or pass, got "):
        RULES.move_from_wire(text)


def test_small_letters_are_read():
    assert [RULES.move_from_wire(text) for text in ("c3", "t19", "PASS", "Pass")] == ["C3", "T19", PASS, PASS]


@pytest.mark.parametrize(
    ("settings", "moves", "text"),
    [
        ({}, "", "9/9/9/9/9/9/9/9/9 b 0 0 0 7"),
        ({}, "G7 E5", "9/9/6X2/9/4O4/9/9/9/9 b 0 0 0 7 after G7 E5"),
        ({"size": 3, "suicide": True}, "B2 pass", "3/1X1/3 b 1 0 0 7.5 suicide after B2 pass"),
        ({"size": 7, "handicap": 2}, "A1", "7/7/4X2/7/2X4/7/O6 b 0 0 0 0.5 after A1 from 7/7/4X2/7/2X4/7/7 w 0 0 0"),
    ],
)
def test_a_position_is_written_with_its_rules_and_the_moves_so_far(settings, moves, text):
    state = play(start(**settings), moves)
    assert RULES.format_state(state) == text
    assert RULES.parse_state(text) == state
    assert RULES.way(RULES.parse_state(text)) == (start(**settings), state.moves)


def test_a_position_with_moves_forbids_what_they_forbid():
    text = RULES.format_state(play(at(SHAPE), "C3"))
    assert refusal(RULES.parse_state(text), "B3")[0] == "superko"
    bare = RULES.read_state("1XO1/X1XO/1XO1/4 w", GoOptions(size=4))
    assert "B3" in bare.legal_moves()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("3/3/2 b 0 0 0 7", "row 1 has 2 points, and the board 3 rows"),
        ("3/2Z/3 b 0 0 0 7", "row 2: 'Z' is neither X nor O, nor a number of empty points"),
        ("3/.../3 b 0 0 0 7", "the position is written '3/3/3 b 0 0 0 7'"),
        ("XO1/O2/3 b 0 0 0 7", "the group of 1 at A3 has no liberty"),
        ("1 b 0 0 0 7 after A1", "A1 is suicide"),
        ("3/3/3 b 0 0 0 7 after B2", "the moves lead to '3/1X1/3 w 0 0 0', the position is '3/3/3 b 0 0 0'"),
        ("3/3/3 b 0 0 0 7.2", "a position is rows, side to move"),
        ("3/3/3 b 3 0 0 7", "a position is rows, side to move"),
        ("20" + "/20" * 19 + " b 0 0 0 7", "a board has at most 19 rows, got 20"),
        ("9" * 9000, "a position has at most 8,000 characters, got 9,000"),
    ],
)
def test_a_text_that_is_no_position_is_refused_with_the_place(text, sentence):
    with pytest.raises(BadPosition) as error:
        RULES.parse_state(text)
    assert sentence in str(error.value)


def test_a_typed_position_has_the_rules_of_the_match_and_its_size():
    state = RULES.read_state("3/1X1/3 w", GoOptions(size=3, komi=2.5, suicide=True))
    assert (state.komi, state.suicide, state.to_move) == (2.5, True, WHITE)
    assert RULES.read_state("9/9/9/9/9/9/9/9/9 w").komi == 7


def test_two_stones_that_were_taken_leave_no_ko():
    """Black's stone has only the place of one of them as a liberty; White takes it back at once."""
    after = play(at("..... ..... ..... XXO.. OO.O.", komi=0.5), "C1")
    assert after.captures == (2, 0)
    assert after == at("..... ..... ..... XXO.. ..XO.", turn="w", komi=0.5)
    again = play(after, "B1")
    assert again.captures == (2, 1)
    one = play(at("..... ..... .XO.. XO.O. .XO..", komi=0.5), "C2")
    assert one != at("..... ..... .XO.. X.XO. .XO..", turn="w", komi=0.5)  # where White may play at B2


@pytest.mark.parametrize(
    ("settings", "komi"),
    [
        ({"handicap": 4}, 0.5),
        ({"handicap": 4, "compensation": "N"}, 4.5),
        ({"handicap": 4, "compensation": "N-1"}, 3.5),
        ({"handicap": 2, "komi": 6.5}, 6.5),
        ({"handicap": 2, "komi": -6.25, "compensation": "N"}, -4.25),
        ({"compensation": "N-1"}, 7.0),
        ({"compensation": "N", "komi": 3.75}, 3.75),
    ],
)
def test_white_gets_the_komi_and_what_is_agreed_on_for_handicap_stones(settings, komi):
    first = start(**settings)
    assert first.komi == komi
    over = play(first, "pass pass")
    assert over.margin() == (81 if settings.get("handicap") else 0) - komi
    assert RULES.parse_state(RULES.format_state(over)) == over
    with pytest.raises(BadPosition, match="the position has 3 rows, and the match 9; say size=3"):
        RULES.read_state("3/1X1/3 w", GoOptions())


def test_the_longest_game_on_the_largest_board_still_fits_into_a_message():
    rows = "/".join(["XO" * 9 + "X"] * 19)
    fields = f"{rows} w 2 9999 9999"
    text = f"{fields} -399.5 suicide after {' '.join(['T19'] * board_of(19).longest)} from {fields}"
    assert len(text) < 8000


# --- the picture ------------------------------------------------------------------------------------------------------


def test_a_scene_has_stones_and_hoshi_and_after_the_end_what_is_surrounded():
    state = play(at("X..O X..O X..O XX.O", komi=0.5), "pass")
    scene = RULES.scene(state)
    assert {mark.shape for mark in scene.marks} == {"stone"}
    assert (scene.board, scene.last, scene.tallies) == ("lines", (), ("0 taken", "0 taken"))
    ended = RULES.scene(play(at(EVEN), "pass pass"))
    owned = {seat: sum(mark.shape == "area" and mark.seat == seat for mark in ended.marks) for seat in (BLACK, WHITE)}
    assert owned == {BLACK: 27, WHITE: 27}
    assert ended.tallies == ("44 points", "44 points")
    assert ended.dots == ((2, 2), (2, 4), (2, 6), (4, 2), (4, 4), (4, 6), (6, 2), (6, 4), (6, 6))


def test_the_last_stone_is_marked_until_a_pass():
    state = play(start(size=5), "E5")
    assert RULES.scene(state).last == ((0, 4),)
    assert RULES.scene(play(state, "pass")).last == ()
    assert RULES.scene(state).dots == ((2, 2),)


def test_a_move_tells_what_it_takes_or_loses():
    hand = RULES.gestures
    assert hand.effect(at(".OX OX. X.."), "A3") == ", takes 2 stones"
    assert hand.effect(at(".OX OX. X..", turn="w", suicide=True), "A3") == ", loses 3 stones"
    assert hand.effect(start(), "E5") == hand.effect(start(), PASS) == ""
    assert hand.count(play(at(SHAPE), "C3 pass")) == (
        "Black has taken 1 stone, White 0 stones, komi 7.5; the last move was a pass"
    )
