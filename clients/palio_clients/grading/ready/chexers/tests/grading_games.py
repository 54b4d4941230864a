"""Games of a student's `Player` against two opponents that are drawn by a seed, by the course's rules."""

import random
from functools import cache

from palio_clients.handouts.courses import entered
from palio_clients.handouts.coursework import plain
from palio_rules.boards.chexers import COLOURS, HEXES, LETTERS, jumped
from palio_rules.registry import game

NAMES = ("Player", "ExamplePlayer")


@cache
def loaded(submission):
    """The student's file or package as a module, entered as for a match."""
    return entered(submission, "chexers")


def player_of(submission, colour):
    """The student's player, made as the course's referee makes it."""
    module = loaded(submission)
    kind = next((getattr(module, name) for name in NAMES if hasattr(module, name)), None)
    assert kind is not None, f"player.py has neither {' nor '.join(NAMES)}"
    return kind(colour)


def play(player, colour, seed, turns, *, converts):
    """Play so many turns of the player, or to the end; fail at its first action that the rules forbid.

    Every action is told to the player by `update`, its own included. With `converts` opponents jump over its pieces
    whenever they can.
    """
    rules, own, choose = game("chexers"), COLOURS.index(colour), random.Random(seed)
    position = rules.start(rules.parse_options({}))
    while turns and (seat := position.to_move) is not None:
        if seat == own:
            action = rules.read_move(position, plain(player.action()))
            turns -= 1
        else:
            action = choose.choice(_wanted(position, own) if converts else list(position.legal_moves()))
        position = position.play(action)
        player.update(COLOURS[seat], (action.kind, action.where))


def _wanted(position, own):
    """The actions that convert a piece of `own`; all of them if there is none."""
    actions = list(position.legal_moves())
    taking = [each for each in actions if each.kind == "JUMP" and position[HEXES[jumped(each)]] == LETTERS[own]]
    return taking or actions
