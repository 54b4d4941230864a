"""CS2109S: a student's file plays Breakthrough by its `PlayerAI` or its search."""

import pytest
from student_files import PLAYER_AI, PS2

from palio_clients.sdk.failures import BadBot, PlayerFailed
from palio_clients.sdk.loader import load


async def test_a_player_ai_always_plays_black(write, table):
    """Both play "the first pawn straight ahead": for White that is the last row, and the same column."""
    write("alice/template.py", PLAYER_AI)
    game = table("breakthrough")
    spec = "handout:breakthrough:alice/template.py"
    await game.play(spec, spec)
    assert game.moves[:2] == [((1, 0), (2, 0)), ((4, 0), (3, 0))]
    assert not game.reports


@pytest.mark.first(1)
@pytest.mark.parametrize("search", ["", ":search=minimax", ":search=minimax_alpha_beta,limit=1"])
async def test_a_search_of_problem_set_2_plays_both_colours(write, table, search):
    write("ps2.py", PS2)
    game = table("breakthrough", rows=4, cols=3)
    spec = f"handout:tsp_and_breakthrough:ps2.py{search or ':limit=2'}"
    scores = await game.play(spec, spec)
    assert sorted(scores) == [0.0, 1.0]
    assert game.infos[0].depth == (1 if "limit=1" in search else 3 if search else 2)


async def test_a_search_without_a_move_generator_is_given_the_handouts(write, table):
    write("ps2.py", PS2[: PS2.index("    def generate_valid_moves")] + PS2[PS2.index("    def minimax(") :])
    game = table("breakthrough", rows=4, cols=3)
    await game.ask(await game.sit("handout:breakthrough:ps2.py:limit=1"))


async def test_a_students_own_breakthrough_module_comes_before_ours(write, table):
    write("breakthrough.py", "raise RuntimeError('my own')")
    write("ps2.py", "import breakthrough\n\nclass PlayerAI:\n    def make_move(self, board): pass\n")
    with pytest.raises(PlayerFailed, match="RuntimeError: my own"):
        await table("breakthrough").sit("handout:breakthrough:ps2.py")


TWO = """
    class Reckless:
        def make_move(self, board):
            raise RuntimeError("the wrong one")

    class Careful:
        def make_move(self, board):
            return next(((r, c), (r + 1, c)) for r in (1, 2, 3) for c in range(6)
                        if board[r][c] == "B" and board[r + 1][c] == "_")

    Best = Careful
"""


async def test_the_player_that_the_spec_names_plays(write, table):
    write("mine.py", TWO)
    for name in ("Careful", "Best"):
        game = table("breakthrough")
        assert await game.ask(await game.sit(f"handout:breakthrough:mine.py:player={name}")) == ((1, 0), (2, 0))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("", "mine.py has 2 players; choose one: player=Reckless or player=Careful$"),
        (":player=Carefull", r"mine.py has no Carefull\(\); keep"),
        (":player=Best,search=minimax", "search and player are given; give one of them"),
    ],
)
def test_a_player_that_is_not_certain_is_asked_for_before_play(write, settings, message):
    write("mine.py", TWO)
    with pytest.raises(BadBot, match=message):
        load(f"handout:breakthrough:mine.py{settings}")


async def test_a_template_of_earlier_terms_finds_its_utils(write, table):
    write(
        "template.py",
        """
        import utils

        class PlayerAI:
            def make_move(self, board):
                after = utils.invert_board(board, in_place=False)
                assert utils.invert_board(after) == board
                return utils.generate_rand_move(board)

        if __name__ == "__main__":
            utils.play(PlayerAI(), PlayerAI(), utils.generate_init_state())
        """,
    )
    game = table("breakthrough")
    assert sum(await game.play("handout:breakthrough:template.py", "handout:breakthrough:template.py")) == 1
