"""Similar submissions: copies in disguise are found, independent solutions and the handout's skeleton are not."""

from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from palio_server.courses.similar import RUN, SURE, Token, hashes, similar_pairs, tokens, winnowed
from palio_server.courses.similar_page import marks, similar_html

SKELETON = dedent('''
    """The handout."""
    class DominoesGame(object):
        """Required."""
        def __init__(self, board):
            """Keep the board, rows and columns."""
            self.board = board
            self.rows = len(board)
            self.cols = len(board[0])

        def get_board(self):
            """Return the board as it is."""
            return [list(row) for row in self.board]

        def reset(self):
            """Make every square free again."""
            for row in range(self.rows):
                for col in range(self.cols):
                    self.board[row][col] = False
''')
FIRST = dedent("""
        def is_legal_move(self, row, col, vertical):
            if row < 0 or col < 0 or row >= self.rows or col >= self.cols:
                return False
            other_row, other_col = (row + 1, col) if vertical else (row, col + 1)
            if other_row >= self.rows or other_col >= self.cols:
                return False
            return not self.board[row][col] and not self.board[other_row][other_col]

        def legal_moves(self, vertical):
            for row in range(self.rows):
                for col in range(self.cols):
                    if self.is_legal_move(row, col, vertical):
                        yield row, col

        def get_best_move(self, vertical, limit):
            best, best_value, leaves = None, float("-inf"), 0
            for move in self.legal_moves(vertical):
                child = self.copy()
                child.perform_move(move[0], move[1], vertical)
                value, seen = child.minimum(not vertical, limit - 1, best_value, float("inf"))
                leaves += seen
                if value > best_value:
                    best, best_value = move, value
            return best, best_value, leaves
""").replace("\n", "\n    ")
DISGUISED = dedent('''
        # searches with pruning
        def get_best_move(self, v, depth):
            """My own search."""
            answer, top, count = None, float("-inf"), 0   # start
            for m in self.legal_moves(v):
                nxt = self.copy()
                nxt.perform_move(m[0], m[1], v)
                result, visited = nxt.minimum(not v, depth - 1, top, float("inf"))
                count += visited
                if result > top:
                    answer, top = m, result
            return answer, top, count

        def is_legal_move(self, a, b, v):
            if a < 0 or b < 0 or a >= self.rows or b >= self.cols:
                return False
            c, d = (a + 1, b) if v else (a, b + 1)
            # outside
            if c >= self.rows or d >= self.cols:
                return False
            return not self.board[a][b] and not self.board[c][d]

        def legal_moves(self, v):
            for a in range(self.rows):
                for b in range(self.cols):
                    if self.is_legal_move(a, b, v):
                        yield a, b
''').replace("\n", "\n    ")
OTHER = dedent("""
        def squares(self, r, c, vertical):
            return {(r, c), (r + 1, c)} if vertical else {(r, c), (r, c + 1)}

        def is_legal_move(self, row, col, vertical):
            wanted = self.squares(row, col, vertical)
            inside = all(0 <= r < self.rows and 0 <= c < self.cols for r, c in wanted)
            return inside and not any(self.board[r][c] for r, c in wanted)

        def legal_moves(self, vertical):
            places = itertools.product(range(self.rows), range(self.cols))
            return [place for place in places if self.is_legal_move(*place, vertical)]

        def successors(self, vertical):
            return ((move, self.after(move, vertical)) for move in self.legal_moves(vertical))

        def get_best_move(self, vertical, limit):
            self.leaves = 0
            scored = [(-state.search(limit - 1, -math.inf, math.inf, not vertical), move)
                      for move, state in self.successors(vertical)]
            value, move = max(scored, key=operator.itemgetter(0))
            return move, value, self.leaves
""").replace("\n", "\n    ")


def made(**texts):
    return {name: {"adversarial_search.py": (SKELETON + text).encode()} for name, text in texts.items()}


GIVEN = {"skeleton.py": SKELETON.encode()}


def test_a_copy_with_other_names_order_and_comments_is_found_and_its_lines_are_marked():
    found = made(ann=FIRST, bob=DISGUISED, eve=OTHER)
    [pair] = similar_pairs(found, GIVEN)
    assert (pair.first, pair.second) == ("ann", "bob")
    assert min(pair.shares) > 0.8
    mine, theirs = (found[name]["adversarial_search.py"].decode().splitlines() for name in ("ann", "bob"))
    marked = {mine[line - 1].strip() for _, line in marks(pair.blocks, 0)}
    assert "leaves += seen" in marked
    assert "class DominoesGame(object):" not in marked
    assert "count += visited" in {theirs[line - 1].strip() for _, line in marks(pair.blocks, 1)}


def test_independent_solutions_are_not_found_even_with_the_same_skeleton():
    assert similar_pairs(made(ann=FIRST, eve=OTHER), GIVEN) == []
    assert similar_pairs(made(ann="", eve=""), GIVEN) == []


def test_without_the_skeleton_what_the_whole_class_has_is_no_hint():
    lone = {f"s{number}": OTHER.replace("squares", f"cells_{number}") if number == 0 else "" for number in range(8)}
    assert similar_pairs(made(**lone), {}) == []


def test_members_of_a_team_are_not_compared_with_each_other():
    found = made(ann=FIRST, bob=DISGUISED)
    assert similar_pairs(found, GIVEN, {"ann": "owls", "bob": "owls"}) == []
    assert len(similar_pairs(found, GIVEN, {"ann": "owls", "bob": "larks"})) == 1
    assert len(similar_pairs(found, GIVEN, {"ann": "", "bob": ""})) == 1


def test_other_languages_are_compared_and_broken_files_harm_nothing():
    java = (
        "class Bot { int f(int a, int b) { return a * b + 3; } /* x */ "
        "void g() { for (int i = 0; i < 9; i++) h(i, 2); } }\n"
    )
    renamed = java.replace("f(", "mine(").replace(" a", " x").replace("b ", "y ").replace("/* x */", "// other\n")
    files = {
        "ann": {"Bot.java": java.encode() * 3},
        "bob": {"Bot.java": renamed.encode() * 3},
        "eve": {"x.py": b"def (\n  '''"},
    }
    [pair] = similar_pairs(files, {})
    assert (pair.first, pair.second) == ("ann", "bob")


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_no_file_stops_the_comparison(one, two):
    similar_pairs({"a": {"a.py": one, "b.c": two}, "b": {"a.py": two, "b.c": one}}, {"a.py": one})


@given(
    st.lists(st.sampled_from("abcdef"), max_size=80),
    st.lists(st.sampled_from("abcdef"), min_size=SURE, max_size=60),
    st.data(),
)
def test_a_shared_run_that_is_long_enough_always_shares_a_fingerprint(before, run, data):
    after = data.draw(st.lists(st.sampled_from("abcdef"), max_size=80))
    one = winnowed(hashes([Token(each, "", 1) for each in (*before, *run, *after)]))
    two = winnowed(hashes([Token(each, "", 1) for each in (*after, *run, *before)]))
    assert one.keys() & two.keys()


def test_short_texts_have_no_fingerprint():
    assert winnowed(hashes([Token("a", "", 1)] * (RUN - 1))) == {}
    assert tokens({"a.py": b"# only a comment\n"}) == []


def test_the_page_shows_both_and_lets_no_source_become_markup():
    found = made(ann=FIRST + "\n    x = '<script>'\n", bob=DISGUISED)
    page = similar_html("AI <101>", similar_pairs(found, GIVEN), {"ann": "Ann & Co", "bob": "Bob"}, found)
    for text in ("AI &lt;101&gt;", "Ann &amp; Co and Bob", "never a verdict"):
        assert text in page
    assert "<script>" not in page
    assert page.count('class="b0"') >= 2
