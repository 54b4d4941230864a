"""COMP30024's solvers: `python search.py board.json` runs as a program, and what it prints is played or lost."""

import json
import re
import sys

import pytest

from palio_clients.handouts.adapters.chexers_solo import ChexersSoloCoursework
from palio_clients.handouts.coursework import Unfit
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import PlayerFailed
from palio_rules.game import Outcome
from palio_rules.games.chexers_solo import ChexersSolo

BOARD = "..../...../....../....r../....#r/...../...."  # red [[1, 0], [2, 1]] and a block on [1, 1]
ACTIONS = [
    "MOVE from (2, 1) to (3, 0).",
    "EXIT from (3, 0).",
    "MOVE from (1, 0) to (2, 0).",
    "MOVE from (2, 0) to (3, 0).",
    "EXIT from (3, 0).",
]
SPEC = "handout:chexers_solo:search.py"

PROGRAM = """
    import json
    import sys

    from helper import answer

    def main():
        with open(sys.argv[1]) as file:
            data = json.load(file)
        print("# solving", json.dumps(data))
        print()
        print(answer(data))
        print("# done")

    if __name__ == "__main__":
        main()
"""


def saying(*lines):
    return f"print({chr(10).join(lines)!r})"


async def race(game):
    """Ask for actions until the puzzle is over, as the only entrant."""
    entrant = await game.sit(SPEC)
    while game.state.to_move is not None:
        game.moves.append(await game.ask(entrant))
        game.state = game.state.play(game.moves[-1])
        await game.tell(0, game.moves[-1])
    return game.state.outcome()


@pytest.fixture
def puzzle(table):
    return lambda **options: table("chexers_solo", **({"board": BOARD} | options))


async def test_a_program_is_given_the_board_as_a_file_and_its_actions_are_played(write, puzzle, capfd):
    write("search.py", PROGRAM)
    write("helper.py", f"def answer(data):\n    return {chr(10).join(ACTIONS)!r}\n")
    game = puzzle()
    assert await race(game) == Outcome("solved", (1.0,))
    assert game.rules.cost(game.state) == 5
    assert game.infos[0].depth == 5
    given = re.search(r"# solving (.*)", capfd.readouterr().err)[1]
    assert json.loads(given) == {"colour": "red", "pieces": [[1, 0], [2, 1]], "blocks": [[1, 1]]}
    assert not game.reports


async def test_our_own_program_is_a_solver_like_any_other_and_takes_no_action_too_many(table, handout_folder):
    game = table("chexers_solo", pieces=2, blocks=8, actions=9, colour="blue")
    entrant = await game.sit(f"handout:chexers_solo:{handout_folder('chexers/search.py')}")
    for _ in range(9):
        game.moves.append(await game.ask(entrant))
        game.state = game.state.play(game.moves[-1])
    assert game.state.outcome() == Outcome("solved", (1.0,))


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "text",
    [
        saying(*ACTIONS),
        "import sys\nsys.stdout.buffer.write(b'# \\xff\\n')\n" + saying(*ACTIONS) + "\nsys.exit()",
        saying("", "  # indented", *(f"{line} \r" for line in ACTIONS), "#"),
        "class Node: pass\nimport pickle, utils\npickle.dumps(Node())\n" + saying(*ACTIONS),
    ],
)
async def test_a_program_may_be_written_in_any_way_that_runs(write, puzzle, text):
    write("search.py", text)
    assert (await race(puzzle())).reason == "solved"


@pytest.fixture
def solved(write, tmp_path, monkeypatch):
    """Asks the adapter itself what it does with a program, in this process."""
    monkeypatch.setattr("sys.argv", [])
    monkeypatch.setattr("sys.path", sys.path[:])

    def solved(text, **options):
        rules = ChexersSolo()
        adapter = ChexersSoloCoursework()
        adapter.path, adapter.handout = write("search.py", text), tmp_path
        adapter.root = tmp_path
        return adapter.choose(rules.start(rules.parse_options({"board": BOARD} | options)), Clock())

    return solved


def test_the_first_action_is_what_the_first_line_says(solved):
    assert solved(saying(*ACTIONS)) == ("MOVE", ((2, 1), (3, 0)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"^search\.py printed 0 actions, after which 2 pieces have not left the board$"),
        (saying(*ACTIONS[:4]), r"^search\.py printed 4 actions, after which 1 piece has not left the board$"),
        (saying(*ACTIONS, ACTIONS[4]), r"^search\.py printed line 6, 'EXIT from \(3, 0\)\.': the game is over$"),
        (saying("# x", *ACTIONS[1:]), r"^search\.py printed line 2, 'EXIT from \(3, 0\)\.': \(3, 0\) is empty$"),
        (saying("MOVE from (1, 0) to (3, 0)."), r"printed line 1, .*: \(3, 0\) is not next to \(1, 0\)$"),
        (saying("JUMP from (1, 0) to (-2, 3)."), r"printed line 1, .*not two hexes in a straight line"),
        (saying("MOVE from (9, 9) to (3, 0)."), r"printed line 1, .*is off the board"),
        (saying(ACTIONS[0][:-1]), r"printed line 1, .*an action is written MOVE from \(q, r\) to \(q, r\)\., "),
        (saying(ACTIONS[0].replace(", ", ",")), "an action is written"),
        (saying("PASS."), "an action is written"),
        (saying("move from (2, 1) to (3, 0)."), "an action is written"),
        (saying("explored 12 nodes", *ACTIONS), r"printed line 1, 'explored 12 nodes': .*other line begins with #"),
        (saying(*ACTIONS) + "\nexit(3)", r"^search\.py exited with status 3$"),
        ("import sys\nsys.exit('no board')", r"^search\.py exited saying no board$"),
        ("while True: print('# busy' * 999)", r"^search\.py prints more than 1000000 bytes$"),
    ],
)
def test_a_wrong_or_a_missing_line_is_reported_in_a_sentence_before_the_first_action(solved, text, message):
    with pytest.raises(Unfit, match=message):
        solved(text)


def test_more_actions_than_the_race_allows_are_reported_in_a_sentence(solved):
    with pytest.raises(Unfit, match=r"printed line 5, .*: the game is over"):
        solved(saying(*ACTIONS), max_actions=4)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (saying(*ACTIONS[:4]), r"^search\.py printed 4 actions, after which 1 piece has not left the board$"),
        ("1 / 0", r'(?s)^Traceback \(most recent call last\):\n  File "[^"]*search\.py", line 1.*ZeroDivisionError'),
        ("import os\nos._exit(3)", r"^search\.py exited with status 3 in mid-match"),
        ("__import__('nowhere')", "No module named 'nowhere'"),
    ],
)
async def test_a_program_that_fails_is_a_clean_loss(write, puzzle, text, message):
    write("search.py", text)
    game = puzzle()
    with pytest.raises(PlayerFailed) as caught:
        await race(game)
    assert re.search(message, str(caught.value)), caught.value
    assert "palio_clients" not in str(caught.value)
    assert game.moves == []
    assert not game.reports
