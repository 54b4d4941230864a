"""A student's program finds its files as it did in its course, and leaves nothing behind but what it meant to."""

import tempfile

import pytest

from palio_clients.handouts.entering import Entry
from palio_clients.handouts.executable import MOST, keep, link_folder

READER = """
    import json, os

    def read(name):
        with open(name) as file:
            return json.load(file)

    {reads}

    class Player:
        def __init__(self, colour):
            self.colour = colour

        def action(self):
            with open("heard.txt", "a") as heard:
                print(self.colour, file=heard)
            with open("weights.json", "w") as weights:
                json.dump([2], weights)
            return ("MOVE", ((-3, 0), (-2, 0)))

        def update(self, colour, action):
            pass
"""


@pytest.fixture
def scratch(tmp_path):
    found = tmp_path / "scratch"
    found.mkdir()
    return found


@pytest.mark.parametrize(
    ("spec", "file", "names"),
    [
        ("team", "team/__init__.py", ["team/states.json", "states.json", "data/more.json"]),
        ("team/player.py", "team/player.py", ["team/states.json", "states.json"]),
        (".:file=team", "team/__init__.py", ["team/states.json", "states.json", "above.json", "../above.json"]),
    ],
)
async def test_it_opens_its_files_from_beside_itself_and_from_the_folders_up_to_the_one_in_its_spec(
    write, table, tmp_path, scratch, monkeypatch, spec, file, names
):
    folder = (tmp_path / file).parent
    write(file, READER.format(reads="; ".join(f"read({name!r})" for name in names)))
    write(f"{folder}/states.json", "[1]")
    write(f"{folder}/data/more.json", "[1]")
    write(f"{folder}/weights.json", "[1]")
    write(f"{folder.parent}/above.json", "[1]")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    game = table("chexers")
    player = await game.sit(f"handout:chexers:{tmp_path}/{spec}")
    await game.ask(player)
    assert (folder / "heard.txt").read_text() == "red\n"
    assert (folder / "weights.json").read_text() == "[2]"
    await player.close()
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert list(scratch.iterdir()) == []


def test_what_lies_nearer_comes_first_and_nothing_above_the_specs_folder(write, scratch):
    write("course/team/a.txt", "near")
    write("course/a.txt", "far")
    write("course/grades.csv", "secret")
    file = write("course/team/__init__.py", "")
    folder = link_folder(scratch, Entry(file.parents[1], file))
    assert (folder / "a.txt").read_text() == "near"
    assert (folder / "team/a.txt").read_text() == "near"
    assert (folder / "course/a.txt").read_text() == "far"
    assert (folder / "../a.txt").read_text() == "far"
    assert (folder / "../team/a.txt").read_text() == "near"
    (scratch / "alone").mkdir()
    folder = link_folder(scratch / "alone", Entry(file.parent, file))
    assert sorted(path.name for path in (scratch / "alone").rglob("*")) == ["__init__.py", "a.txt", "team", "team"]


def test_of_a_full_folder_only_the_way_to_the_file_is_linked(write, scratch, monkeypatch):
    monkeypatch.setattr("palio_clients.handouts.executable.MOST", 1)
    file = write("course/team/__init__.py", "")
    write("course/other.txt", "")
    folder = link_folder(scratch, Entry(file.parents[1], file))
    assert sorted(path.name for path in folder.iterdir()) == ["__init__.py", "course", "team"]
    assert MOST > 1


def test_what_it_has_made_is_kept_unless_something_is_there(write, scratch):
    file = write("course/hw4.py", "")
    write("course/mine.txt", "mine")
    scratch = link_folder(scratch, Entry(file.parent, file))
    (scratch / "mine.txt").unlink()
    (scratch / "mine.txt").write_text("other")
    (scratch / "out").mkdir()
    (scratch / "out/log").write_text("1")
    (scratch / "__pycache__").mkdir()
    keep(scratch, file)
    assert (file.parent / "mine.txt").read_text() == "mine"
    assert (file.parent / "out/log").read_text() == "1"
    assert not (file.parent / "__pycache__").exists()


async def test_where_no_links_can_be_made_it_runs_beside_itself(write, table, monkeypatch):
    def refused(folder, entry):
        raise OSError

    monkeypatch.setattr("palio_clients.handouts.entrant.link_folder", refused)
    write("team.py", READER.format(reads="read('states.json')"))
    write("states.json", "[1]")
    game = table("chexers")
    await game.ask(await game.sit("handout:chexers:team.py"))
