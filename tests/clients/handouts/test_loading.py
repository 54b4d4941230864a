"""A file in nested packages is loaded as one of their modules, and its author reads from where."""

import shutil

import pytest

from palio_clients.handouts.courses import COURSES
from palio_clients.handouts.entrant import coursework
from palio_clients.sdk.failures import PlayerFailed

PLAYER = """
    {imports}

    class Player:
        def __init__(self, colour):
            assert Board.__module__ == "player.board"

        def action(self):
            return ("MOVE", ((-3, 0), (-2, 0)))

        def update(self, colour, action):
            pass
"""


@pytest.mark.parametrize(
    ("spec", "file", "imports"),
    [
        ("player/greedy", "player/greedy/__init__.py", "from player.board import Board"),
        ("player/greedy", "player/greedy/__init__.py", "from ..board import Board; import weights"),
        ("player/greedy/agent.py", "player/greedy/agent.py", "from player.board import Board; import weights"),
        ("player/greedy/agent.py", "player/greedy/agent.py", "from ..board import Board; from .weights import W"),
        ("player", "player/__init__.py", "from player.board import Board; from player.greedy.weights import W"),
        ("player", "player/__init__.py", "from .board import Board; from board import Board as Same"),
    ],
)
@pytest.mark.parametrize("inits", [True, False])
@pytest.mark.first(4)
async def test_nested_packages_import_each_other_absolutely_and_relatively(
    write, table, tmp_path, capfd, spec, file, imports, inits
):
    if inits:
        write("player/__init__.py", "")
        write("player/greedy/__init__.py", "")
    write("player/board.py", "class Board: pass\n")
    write("player/greedy/weights.py", "W = 1\n")
    write(file, PLAYER.format(imports=imports))
    game = table("chexers")
    await game.ask(await game.sit(f"handout:chexers:{spec}"))
    told = capfd.readouterr().err
    if spec == "player":
        assert "is imported as" not in told
    else:
        assert f"is imported as {spec.removesuffix('.py').replace('/', '.')}, from {tmp_path}" in told


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
        await game.sit("handout:chexers:player/greedy")
