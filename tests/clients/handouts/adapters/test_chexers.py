"""COMP30024's players: `Player(colour)` with `action` and `update`, from a file or a package, hears of everything."""

import random
import re

import pytest

from palio_clients.sdk.failures import BadBot, PlayerFailed
from palio_clients.sdk.loader import load
from palio_rules.errors import Rejection

PLAYER = """
    import random

    STARTS = {"red": [(-3, 0), (-3, 1), (-3, 2), (-3, 3)], "green": [(0, -3), (1, -3), (2, -3), (3, -3)],
              "blue": [(3, 0), (2, 1), (1, 2), (0, 3)]}
    EXITS = {"red": lambda q, r: q == 3, "green": lambda q, r: r == 3, "blue": lambda q, r: q + r == -3}
    HEXES = {(q, r) for q in range(-3, 4) for r in range(-3, 4) if abs(q + r) <= 3}

    print("loading")

    class Player:
        def __init__(self, colour):
            print("I am", colour)
            self.colour = colour
            self.board = {where: name for name, start in STARTS.items() for where in start}
            self.choose = random.Random(colour)

        def possible(self, colour):
            found = []
            for (q, r) in [where for where, name in self.board.items() if name == colour]:
                for dq, dr in [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]:
                    near, far = (q + dq, r + dr), (q + 2 * dq, r + 2 * dr)
                    if near in HEXES and near not in self.board:
                        found.append(("MOVE", ((q, r), near)))
                    elif near in self.board and far in HEXES and far not in self.board:
                        found.append(("JUMP", ((q, r), far)))
                if EXITS[colour](q, r):
                    found.append(("EXIT", (q, r)))
            return found or [("PASS", None)]

        def action(self):
            return self.choose.choice(self.possible(self.colour))

        def update(self, colour, action):
            assert action in self.possible(colour), action
            with open(self.colour, "a") as heard:
                print(colour, action, file=heard)
            kind, where = action
            if kind == "EXIT":
                del self.board[where]
            elif kind != "PASS":
                src, dst = where
                self.board[dst] = self.board.pop(src)
                if kind == "JUMP":
                    self.board[(src[0] + dst[0]) // 2, (src[1] + dst[1]) // 2] = colour
"""
SPEC = "handout:chexers:player.py"


def player(action="return ('PASS', None)", update="pass"):
    return "\n".join(
        [
            "class Player:",
            "    def __init__(self, colour): pass",
            f"    def action(self): {action}",
            f"    def update(self, colour, action): {update}",
        ]
    )


@pytest.fixture
def transcript(tmp_path):
    """What a player has heard, line by line."""
    return lambda colour: (tmp_path / colour).read_text().splitlines()


async def test_every_player_hears_of_every_action_in_exact_tuples_its_own_included(write, table, transcript, capfd):
    write("player.py", PLAYER)
    game = table("chexers", max_turns=8)
    scores = await game.play(SPEC, SPEC, SPEC)
    assert sum(scores) == pytest.approx(1)
    for each in game.players:
        await each.close()  # whatever was still to be heard has been
    played = [spoken(number % 3, move) for number, move in enumerate(game.moves)]
    assert len(played) == 24
    assert transcript("red") == transcript("green") == transcript("blue") == played
    assert not game.reports  # what it printed did not reach the protocol
    assert "I am blue" in capfd.readouterr().err


async def test_nothing_is_heard_of_a_side_that_is_out(write, table, transcript):
    write("player.py", PLAYER)
    game = table("chexers")
    players = [await game.sit(SPEC, seat) for seat in range(3)]
    game.state = game.rules.forfeit(game.state, 1)
    for seat in (0, 2, 0):
        move = await game.ask(players[seat])
        game.moves.append(move)
        game.state = game.state.play(move)
        await game.tell(seat, move)
    assert game.state.to_move == 2
    await game.ask(players[2])
    assert [line.split()[0] for line in transcript("blue")] == ["red", "blue", "red"]


def spoken(seat, move):
    return f"{('red', 'green', 'blue')[seat]} {tuple(move)}"


@pytest.mark.first(1)
@pytest.mark.parametrize("lost", [0, 1, 2, 4])
async def test_what_was_missed_is_reported_before_the_next_turn(write, table, transcript, lost):
    """An opening is not told, and nothing is while the connection is lost; nor is anything told twice."""
    write("player.py", PLAYER)
    game = table("chexers")
    choose = random.Random(lost)

    def play():
        seat, move = game.state.to_move, choose.choice(list(game.state.legal_moves()))
        game.state = game.state.play(move)
        game.moves.append(move)
        return seat, move

    played = [play() for _ in range(7)]  # the opening
    green = await game.sit(SPEC, 1)
    for _ in range(4):
        await game.ask(green)
        played += [play() for _ in range(3)]  # its own move, to which another was preferred, and two more
        for seat, move in played[-3 + lost :] if lost < 3 else []:
            await game.tell(seat, move)
    await game.ask(green)
    assert transcript("green") == [spoken(seat, move) for seat, move in played]


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("name", "settings"),
    [("ExamplePlayer", ""), ("Player", ""), ("Team42", ":player=Team42"), ("make", ":player=make")],
)
async def test_a_class_may_have_another_name(write, table, name, settings):
    text = PLAYER.replace("class Player:", f"class {name}:") if name != "make" else f"{PLAYER}\n    make = Player\n"
    write("player.py", text)
    game = table("chexers")
    assert (await game.ask(await game.sit(f"{SPEC}{settings}"))).kind in ("MOVE", "JUMP")


PACKAGE = {
    "alice/team/__init__.py": "from .player import Player\n",
    "alice/team/player.py": "from team.rules import first\nfrom .told import Told\n\n"
    "class Player(Told):\n    def action(self):\n        return first(self.colour)\n",
    "alice/team/told.py": "class Told:\n    def __init__(self, colour):\n        self.colour = colour\n\n"
    "    def update(self, colour, action): pass\n",
    "alice/team/rules.py": "def first(colour):\n    return ('MOVE', ((-3, 0), (-2, 0)))\n",
}


@pytest.mark.first(1)
@pytest.mark.parametrize("spec", ["alice/team/__init__.py", "alice/team", "alice/team/"])
async def test_a_package_plays_and_imports_its_own_modules(write, table, spec):
    for name, text in PACKAGE.items():
        write(name, text)
    game = table("chexers")
    assert await game.ask(await game.sit(f"handout:chexers:{spec}")) == ("MOVE", ((-3, 0), (-2, 0)))
    assert load(f"handout:chexers:{spec}").name == "alice-team"


@pytest.mark.first(1)
@pytest.mark.parametrize("folder", ["random", "team.v2", "my team", "search"])
async def test_a_package_may_be_called_anything(write, table, folder):
    for name, text in PACKAGE.items():
        write(name.replace("alice/team", folder), text.replace("from team.rules", "from .rules"))
    game = table("chexers")
    assert await game.ask(await game.sit(f"handout:chexers:{folder}"))


def test_a_folder_that_is_no_package_is_reported(write):
    write("team/agent.py", PLAYER)  # not the handout's name
    with pytest.raises(BadBot, match=r"there is no file 'team/__init__\.py'.* handout:chexers:team/agent\.py"):
        load("handout:chexers:team")


# --- broken ones ------------------------------------------------------------------------------------------------------


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("return ('MOVE', (-3, 0), (-2, 0))", "a move is"),
        ("return ('MOVE', ((-3, 0), (-1, 0)))", "not next to"),
        ("return ('JUMP', ((-3, 0), (-1, 0)))", "is empty"),
        ("return ('MOVE', ((0, -3), (0, -2)))", "no piece of red"),
        ("return ('EXIT', (-3, 0))", "exits where q = 3"),
        ("return ('PASS', None)", "can pass only when"),
        ("return ('move', ((-3, 0), (-2, 0)))", "a move is"),
        ("return ('MOVE', ((-3.0, 0), (-2, 0)))", "a move is"),
        ("return None", "got None"),
    ],
)
async def test_an_action_that_is_none_is_the_referees_to_reject(write, table, action, message):
    write("player.py", player(action))
    game = table("chexers")
    with pytest.raises(Rejection, match=message):
        await game.ask(await game.sit(SPEC))


async def test_lists_and_numbers_of_numpy_are_an_action_all_the_same(write, table):
    write("player.py", player("import numpy; return ['MOVE', numpy.array([[-3, 0], [-2, 0]])]"))
    game = table("chexers")
    assert await game.ask(await game.sit(SPEC)) == ("MOVE", ((-3, 0), (-2, 0)))


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("text", "message"),
    [(player("return 1 / 0"), r"(?s)^Traceback.*ZeroDivisionError"), (player("return input()"), "EOFError")],
)
async def test_a_player_that_cannot_play_is_a_clean_loss(write, table, text, message):
    write("player.py", text)
    game = table("chexers")
    with pytest.raises(PlayerFailed) as caught:
        await game.ask(await game.sit(SPEC))
    assert re.search(message, str(caught.value)), caught.value


async def test_an_exception_in_update_is_a_clean_loss_at_the_next_turn(write, table):
    write("player.py", player("return ('MOVE', ((-3, 0), (-2, 0)))", "return self.board"))
    game = table("chexers")
    entrant = await game.sit(SPEC)
    move = await game.ask(entrant)
    await game.tell(0, move)
    with pytest.raises(PlayerFailed, match="has no attribute 'board'"):
        await game.ask(entrant)
