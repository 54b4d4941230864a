"""Files in the forms of other terms play whole games, and one that has no known form is told its line."""

import re

import pytest

from palio_clients.sdk.failures import PlayerFailed

PS2_2025 = """
    from enum import Enum

    class Player(Enum):
        BLACK = "black"
        WHITE = "white"

    INF, WIN = 90129012, 21092109

    def successor(route):
        return [route[:i] + route[i + 1 :] + [route[i]] for i in range(len(route))]

    def hill_climbing(cities, distances, successor, evaluation_func):
        return max(successor(list(range(cities))), key=lambda route: evaluation_func(cities, distances, route))

    def transition(state, action):
        board, player = state
        (r, c), (i, j) = action
        after = [list(row) for row in board]
        after[r][c], after[i][j] = "_", "B" if player is Player.BLACK else "W"
        return after, player

    def minimax(board, depth, max_depth, current_player):
        assert isinstance(current_player, Player)
        own, step = ("B", 1) if current_player is Player.BLACK else ("W", -1)
        for r, row in enumerate(board):
            for c, cell in enumerate(row):
                for j in (c - 1, c, c + 1):
                    if cell == own and 0 <= r + step < len(board) and 0 <= j < len(row):
                        to = board[r + step][j]
                        if to == "_" or (to != own and j != c):
                            assert transition((board, current_player), ((r, c), (r + step, j)))
                            return 0, ((r, c), (r + step, j))

    def minimax_alpha_beta(board, depth, max_depth, alpha, beta, current_player):
        assert (alpha, beta) == (-INF, INF)
        return minimax(board, depth, max_depth, current_player)
"""

PS2_2023 = """
    import utils

    def generate_valid_moves(board):
        return [((r, c), (r + 1, c + s)) for r in range(len(board)) for c in range(len(board[0])) for s in (-1, 0, 1)
                if utils.is_valid_move(board, src=(r, c), dst=(r + 1, c + s))]

    def minimax(board, depth, max_depth, is_black):
        return negamax(board, depth, max_depth)

    def negamax(board, depth, max_depth):
        if depth == max_depth or utils.is_game_over(board=board):
            return -utils.WIN if utils.is_game_over(board) else 0, utils.MOVE_NONE
        best = -utils.INF, utils.MOVE_NONE
        for src, dst in generate_valid_moves(board):
            after = utils.state_change(board=board, src=src, dst=dst, in_place=False)
            score = -negamax(utils.invert_board(board=after, in_place=False), depth + 1, max_depth)[0]
            best = max(best, (score, (src, dst)))
        return best

    def minimax_alpha_beta(board, depth, max_depth, alpha, beta, is_black):
        return negamax(board, depth, max_depth)

    def negamax_alpha_beta(board, depth, max_depth, alpha, beta):
        return negamax(board, depth, max_depth)

    def hill_climbing(cities, distances):
        return list(range(cities))
"""


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("text", "search"),
    [(PS2_2025, each) for each in ("minimax", "minimax_alpha_beta")]
    + [(PS2_2023, each) for each in ("minimax", "minimax_alpha_beta", "negamax", "negamax_alpha_beta")],
)
async def test_the_searches_of_a_term_play_both_colours(write, table, capfd, text, search):
    write("ps2.py", text)
    spec = f"handout:breakthrough:ps2.py:search={search},limit=2"
    assert sorted(await table("breakthrough", rows=4, cols=3).play(spec, spec)) == [0.0, 1.0]
    assert f"of CS2109S {'2025/26' if text is PS2_2025 else '2023/24'}" in capfd.readouterr().err


@pytest.mark.parametrize("text", [PS2_2025, PS2_2023])
async def test_a_climb_of_a_term_hands_in_a_route(write, table, text):
    write("ps2.py", text)
    game = table("tsp", size=5)
    assert sorted(await game.ask(await game.sit("handout:tsp:ps2.py:repeats=1"))) == list(range(5))


async def test_another_number_of_arguments_names_the_line_and_the_signatures_that_are_wanted(write, table):
    write("ps2.py", "\n\ndef minimax(board, depth): pass\n")
    with pytest.raises(PlayerFailed) as caught:
        await table("breakthrough").sit("handout:breakthrough:ps2.py")
    assert re.search(
        r"^ps2\.py, line 3: minimax\(board, depth\) takes .* "
        r"minimax\(board, depth, max_depth, current_player, generate_valid_moves\) of CS2109S 2024/25",
        str(caught.value),
    )


GAME_3 = """
    class Player:
        def __init__(self, policy_fnc):
            self.policy_fnc = policy_fnc

        def policy(self, decode_state):
            pass

    class {graded}(Player):
        def __init__(self, gsp, player_idx, search_depth=4):
            super().__init__(gsp.get_actions)
            self.gsp, self.player_idx = gsp, player_idx

        def policy(self, decode_state):
            state = tuple(row * 7 + col for col, row in decode_state), self.player_idx
            return min(self.policy_fnc(state)), 0

    class Careless({graded}):
        def policy(self, decode_state):
            raise RuntimeError("the wrong one")
"""


async def test_the_graded_player_of_assignment_3_plays_wherever_it_stands(write, table):
    write("mine.py", GAME_3.format(graded="AdversarialSearchPlayer"))
    game = table("end_of_the_track", max_plies=4)
    await game.play("handout:end_of_the_track:mine.py", "handout:end_of_the_track:mine.py")
    assert len(game.moves) == 4


async def test_without_it_several_players_are_all_named(write, table):
    write("mine.py", GAME_3.format(graded="Careful"))
    with pytest.raises(PlayerFailed, match=r"2 players .*; choose one: player=Careful or player=Careless"):
        await table("end_of_the_track").sit("handout:end_of_the_track:mine.py")
