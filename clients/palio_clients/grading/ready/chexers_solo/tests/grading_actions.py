"""Runs of a student's `search.py`, and the check of the actions that it prints."""

import json
import sys

from palio_clients.handouts.chexers.utils import read_action
from palio_rules.boards.chexers import BLOCK, COLOURS, EMPTY, INDEX, LETTERS, check_action, moved


def printed(student, board):
    """The actions that `python search.py board.json` prints; lines that begin with # say what they like."""
    ran = student.run(sys.executable, "search.py", student.file("board.json", json.dumps(board)))
    assert ran.status == 0, f"search.py ended with status {ran.status}: {ran.stderr.strip()[-400:]}"
    lines = [line.strip() for line in ran.stdout.splitlines()]
    return [read_action(line) for line in lines if line and not line.startswith("#")]


def check_actions(actions, board):
    """Fail unless the actions take every piece off the board, each by the rules."""
    colour = COLOURS.index(board["colour"])
    cells = [EMPTY] * len(INDEX)
    for key, content in (("blocks", BLOCK), ("pieces", LETTERS[colour])):
        for q, r in board[key]:
            cells[INDEX[q, r]] = content
    text = "".join(cells)
    for action in actions:
        check_action(text, colour, action)
        text = moved(text, action, convert=False)
    assert LETTERS[colour] not in text, "a piece is left on the board"
