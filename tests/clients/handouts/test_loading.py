"""A student's files are entered from the folder that a SPEC names, as a package where they import each other as one."""

import shutil

import pytest

from palio_clients.handouts.courses import COURSES
from palio_clients.handouts.entering import entry_of
from palio_clients.handouts.entrant import coursework
from palio_clients.sdk.failures import BadBot, PlayerFailed

PLAYER = """
    {imports}

    class Player:
        def __init__(self, colour):
            assert Board.__module__.endswith("board")

        def action(self):
            return ("MOVE", ((-3, 0), (-2, 0)))

        def update(self, colour, action):
            pass
"""
NAMED = "from team.board import Board"  # `team` is the name of the package in its author's folder


@pytest.mark.parametrize(
    ("files", "plays"),
    [
        (["player.py", "bob.py"], "player.py"),
        (["__init__.py", "player.py"], "__init__.py"),
        (["team/__init__.py", "team/player.py", "report.txt"], "team/__init__.py"),
        (["team/__init__.py", "team/player.py", "referee/__init__.py"], "team/__init__.py"),
        (["player.py", "team/__init__.py"], "player.py"),
        (["one/__init__.py", "two/__init__.py"], ""),
        (["bob.py"], ""),
    ],
)
def test_a_folders_names_say_which_file_plays(write, tmp_path, files, plays):
    for name in files:
        write(f"in/{name}", "import z")
    found = entry_of(tmp_path / "in", "player.py")
    assert (found and found.file) == (tmp_path / "in" / plays if plays else None)
    write("in/__init__.py", '"""Nothing is defined here."""')
    if "player.py" in files:
        assert entry_of(tmp_path / "in", "player.py").file == tmp_path / "in/player.py"


@pytest.mark.parametrize(
    ("spec", "file", "imports"),
    [
        ("player:file=greedy", "player/greedy/__init__.py", "from player.board import Board"),
        ("player:file=greedy", "player/greedy/__init__.py", "from ..board import Board; import weights"),
        ("player:file=greedy/agent.py", "player/greedy/agent.py", "from player.board import Board; import weights"),
        ("player:file=greedy/agent.py", "player/greedy/agent.py", "from ..board import Board; from .weights import W"),
        (".:file=player/greedy", "player/greedy/__init__.py", "from player.board import Board; import player.greedy"),
        ("player", "player/__init__.py", "from player.board import Board; from player.greedy.weights import W"),
        ("player", "player/__init__.py", "from .board import Board; from board import Board as Same"),
        ("player", "player/__init__.py", NAMED),
        ("player", "player/__init__.py", "import team.board; Board = team.board.Board"),
        ("player/agent.py", "player/agent.py", "from .board import Board"),
        ("player/agent.py", "player/agent.py", "from team import board; Board = board.Board"),
        ("player/agent.py", "player/agent.py", "from board import Board"),
        ("player/a.b.py", "player/a.b.py", "from .board import Board"),
    ],
)
@pytest.mark.parametrize("inits", [True, False])
@pytest.mark.first(7)
async def test_files_import_each_other_absolutely_and_relatively(write, table, spec, file, imports, inits):
    if inits:
        write("player/__init__.py", "")
        write("player/greedy/__init__.py", "")
    write("player/board.py", "class Board: pass\n")
    write("player/greedy/weights.py", "W = 1\n")
    write(file, PLAYER.format(imports=imports))
    game = table("chexers")
    await game.ask(await game.sit(f"handout:chexers:{spec}"))


@pytest.mark.parametrize(
    ("imports", "where"),
    [("from player.board import Board", "load"), ("from ..board import Board", "sit"), ("import board", "")],
)
async def test_a_file_that_needs_a_higher_folder_is_told_the_spec_to_type(write, table, tmp_path, imports, where):
    write("player/board.py", "class Board: pass\n")
    write("player/greedy/__init__.py", PLAYER.format(imports=imports))
    with pytest.raises((BadBot, PlayerFailed)) as caught:
        await table("chexers").sit("handout:chexers:player/greedy")
    assert ("handout:chexers:" in str(caught.value)) is bool(where)
    if where:
        spec = f"handout:chexers:{tmp_path}/player:file=greedy"
        assert str(caught.value).endswith(f"name the package: {spec}")
        game = table("chexers")
        await game.ask(await game.sit(spec))


@pytest.mark.parametrize("below", ["../bob", "/etc/passwd", "nowhere", "greedy/nowhere.py"])
def test_a_file_below_a_folder_is_in_it(write, below):
    write("player/greedy/__init__.py", "")
    write("bob/__init__.py", "")
    with pytest.raises(BadBot, match=r"leads out of player|there is no file or package '.*nowhere.*' in player"):
        coursework(f"chexers:player:file={below}")


@pytest.mark.parametrize(
    ("course", "files"), [("end_of_the_track", "game.py search.py"), ("rush_hour", "rh.py board.py")]
)
def test_a_folder_of_several_files_stands_for_the_one_that_the_handout_names(tmp_path, course, files):
    shutil.copytree(COURSES[course].path, tmp_path / "hw")
    for file in (tmp_path / "hw").glob("*"):
        if file.name not in files.split() and file.suffix == ".py":
            file.unlink()
    file = next(name for name in files.split() if name == COURSES[course].file)
    assert coursework(f"{course}:{tmp_path}/hw").name == coursework(f"{course}:{tmp_path}/hw/{file}").name


async def test_an_exception_in_a_package_above_is_its_authors(write, table):
    write("player/__init__.py", "1 / 0\n")
    write("player/board.py", "")
    write("player/greedy/__init__.py", "from player.board import Player\n")
    game = table("chexers")
    with pytest.raises(PlayerFailed, match=r'player/__init__\.py", line 1(.|\n)*ZeroDivisionError'):
        await game.sit("handout:chexers:player:file=greedy")
