"""Bots' files on their way: what travels, what does not, and that it comes out as it went in."""

import os
import sys
import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_rules.registry import adopt
from palio_server.addons.cluster import parcels, wire
from palio_server.addons.cluster.parcels import File, Parcels, missing, unpack, unpacked_bot, unpacked_game
from palio_server.addons.cluster.wire import TravellingGame
from palio_server.processes import Entrant


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of bots, in which we are."""
    folder = tmp_path / "home"
    (folder / "data").mkdir(parents=True)
    (folder / "mine.py").write_text("import helper\n")
    (folder / "helper.py").write_text("")
    (folder / "data" / "book.bin").write_bytes(bytes(range(256)))
    (folder / "engine").write_text("#!/bin/sh\n")
    (folder / "engine").chmod(0o755)
    monkeypatch.chdir(folder)
    return folder


def there(entrant: Entrant, folder: Path, hidden: tuple[Path, ...] = ()) -> Entrant:
    """The bot at a worker that has unpacked its parcel in `folder`."""
    found = Parcels([entrant], "dominoes", hidden)
    for digest, body in found.bodies.items():
        unpack(digest, body, folder)
    return unpacked_bot(found.bots[0], folder)


def test_a_file_brings_its_folder_and_is_started_there(home: Path, tmp_path: Path):
    found = there(Entrant("mine", "./mine.py:depth=2"), tmp_path / "worker")
    file, _, settings = found.spec.partition(":")
    assert settings == "depth=2"
    assert Path(file).is_relative_to(tmp_path / "worker")
    assert Path(file).read_text() == "import helper\n"
    assert Path(found.folder) == Path(file).parent
    assert (Path(found.folder) / "data" / "book.bin").read_bytes() == bytes(range(256))
    assert not os.access(file, os.X_OK)


def test_a_program_stays_executable_and_its_arguments_lead_to_its_files(home: Path, tmp_path: Path):
    found = there(Entrant("eng", "exec:./engine --book=data/book.bin --fast", network=True), tmp_path / "worker")
    program, book, fast = found.spec.removeprefix("exec:").split()
    assert (os.access(program, os.X_OK), found.network, fast) == (True, True, "--fast")
    assert Path(book.removeprefix("--book=")).read_bytes() == bytes(range(256))


def test_coursework_and_packages_travel_too(home: Path, tmp_path: Path):
    (home / "pkg").mkdir()
    (home / "pkg" / "__init__.py").touch()
    assert Path(there(Entrant("hw", "handout:dominoes:./mine.py"), tmp_path / "w").spec.split(":")[2]).is_file()
    package = there(Entrant("pkg", "pkg.bot:Bot"), tmp_path / "w")
    assert package.spec == "pkg.bot:Bot"
    assert (Path(package.folder) / "pkg" / "__init__.py").is_file()


@pytest.mark.parametrize(("spec", "folder"), [("player:file=greedy", "player"), ("player/greedy", "greedy")])
def test_of_coursework_the_folder_in_its_spec_travels_under_its_name(
    home: Path, tmp_path: Path, spec: str, folder: str
):
    (home / "player" / "greedy").mkdir(parents=True)
    (home / "player" / "board.py").touch()
    (home / "player" / "greedy" / "__init__.py").write_text("from player.board import Board\n")
    (home / "player" / "greedy" / "states.json").write_text("[]")
    _, _, path, *settings = there(Entrant("hw", f"handout:chexers:{spec}"), tmp_path / "w").spec.split(":")
    assert (Path(path).name, settings) == (folder, ["file=greedy"] if folder == "player" else [])
    there_too = {each.relative_to(path).as_posix() for each in Path(path).rglob("*") if each.is_file()}
    own = {"__init__.py", "states.json"}
    assert there_too == (own if folder == "greedy" else {"board.py", *(f"greedy/{name}" for name in own)})


def test_an_installed_interpreter_stays_where_it_is(home: Path, tmp_path: Path):
    found = there(Entrant("eng", f"exec:{sys.executable} engine"), tmp_path / "worker")
    assert found.spec.split()[0] == f"exec:{sys.executable}"


def test_bots_that_ship_have_no_files(home: Path):
    found = Parcels([Entrant("random", "random"), Entrant("ab", "alpha_beta:depth=2")], "dominoes")
    assert (found.bodies, [bot.spec for bot in found.bots]) == ({}, ["random", "alpha_beta:depth=2"])


def test_two_bots_of_one_folder_are_one_parcel(home: Path):
    found = Parcels([Entrant("a", "./mine.py"), Entrant("b", "./mine.py:depth=1")], "dominoes")
    assert len(found.bodies) == 1
    assert found.bots[0].parcel == found.bots[1].parcel


def test_databases_keys_caches_and_hidden_folders_stay(home: Path, tmp_path: Path):
    for name in ("palio.db", "palio.db-wal", ".env", "id_rsa", "cache.pyc", "results.sqlite"):
        (home / name).touch()
    for name in (".git", "__pycache__", ".venv"):
        (home / name).mkdir()
        (home / name / "file").touch()
    found = there(Entrant("mine", "./mine.py"), tmp_path / "worker", (home / "results.sqlite",))
    assert sorted(path.name for path in Path(found.folder).iterdir()) == ["data", "engine", "helper.py", "mine.py"]


def test_a_virtual_environment_stays_whatever_its_name_and_a_folder_named_venv_travels(home: Path, tmp_path: Path):
    for name in ("my-python", "data/deep", "venv"):
        (home / name).mkdir(parents=True)
        (home / name / "file").touch()
    for name in ("my-python", "data/deep"):
        (home / name / "pyvenv.cfg").touch()
    folder = Path(there(Entrant("mine", "./mine.py"), tmp_path / "worker").folder)
    assert (folder / "venv" / "file").exists()
    assert not (folder / "my-python").exists()
    assert not (folder / "data" / "deep").exists()


def test_a_link_within_the_folder_is_one_there_and_one_that_leads_out_is_refused(home: Path, tmp_path: Path):
    (home / "book").symlink_to("data/book.bin")
    found = there(Entrant("mine", "./mine.py"), tmp_path / "worker")
    assert (Path(found.folder) / "book").read_bytes() == bytes(range(256))
    (home / "secret").symlink_to("/etc/passwd")
    with pytest.raises(BadOption, match="secret leads out of its folder, to /etc/passwd; copy it there"):
        Parcels([Entrant("mine", "./mine.py")], "dominoes")


def test_what_is_too_much_is_refused_with_the_remedy(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parcels, "MOST_FILES", 3)
    with pytest.raises(BadOption, match="holds more than 3 files; put the bot in a folder of its own"):
        Parcels([Entrant("mine", "./mine.py")], "dominoes")
    monkeypatch.undo()
    monkeypatch.chdir(home)
    (home / "weights").touch()
    os.truncate(home / "weights", parcels.MOST_BYTES + 1)
    with pytest.raises(BadOption, match="holds more than 64 MiB"):
        Parcels([Entrant("mine", "./mine.py")], "dominoes")


def test_a_parcel_is_unpacked_once_and_only_what_it_says_it_is(home: Path, tmp_path: Path):
    [(digest, body)] = Parcels([Entrant("mine", "./mine.py")], "dominoes").bodies.items()
    assert missing([digest], tmp_path) == [digest]
    unpack(digest, body, tmp_path)
    (tmp_path / digest / "0" / "mark").touch()
    unpack(digest, body, tmp_path)
    assert (tmp_path / digest / "0" / "mark").exists()
    assert missing([digest], tmp_path) == []
    for wrong in ("0" * 64, "../../etc", digest[:12]):
        with pytest.raises(ValueError, match="a parcel came that is not"):
            unpack(wrong, body, tmp_path)


@pytest.mark.parametrize(
    "file", [File("../out"), File("/etc/out"), File("0/in", link="../../out"), File("0/in", link="/etc/passwd")]
)
def test_nothing_is_unpacked_outside_a_parcel(tmp_path: Path, file: File):
    import hashlib

    body = zlib.compress(msgspec.msgpack.encode([file]))
    with pytest.raises(ValueError, match=r"outside itself|out of itself"):
        unpack(hashlib.sha256(body).hexdigest(), body, tmp_path / "worker")
    assert not (tmp_path / "out").exists()


names = st.from_regex(r"[a-z]{1,6}(\.(py|txt))?", fullmatch=True)


@settings(max_examples=15)
@given(tree=st.dictionaries(names, st.tuples(st.binary(max_size=200), st.booleans()), max_size=8))
def test_any_folder_comes_out_as_it_went_in(tree, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("bot")
    tree = {name: file for name, file in tree.items() if name not in parcels.LEFT_OUT} | {"me.py": (b"", False)}
    for name, (data, executable) in tree.items():
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o755 if executable else 0o644)
    found = there(Entrant("me", f"{folder}/me.py"), tmp_path_factory.mktemp("worker"))
    files = {path.name: (path.read_bytes(), os.access(path, os.X_OK)) for path in Path(found.folder).iterdir()}
    assert files == tree


NIM = Path(__file__).parents[3] / "plugin" / "palio_nim.py"


@pytest.mark.usefixtures("own_games")
def test_a_game_of_a_file_travels_with_its_folder_and_is_found_there(home: Path, tmp_path: Path):
    (home / "mygame.py").write_bytes(NIM.read_bytes())
    (home / ".env").touch()
    name = adopt("./mygame.py:Nim").name
    found = Parcels([Entrant("mine", "./mine.py")], name)
    assert found.game.parcel == found.bots[0].parcel, "one folder is one parcel"
    assert str(home) not in found.game.typed
    for digest, body in found.bodies.items():
        unpack(digest, body, tmp_path / "worker")
    file, _, class_name = unpacked_game(found.game, tmp_path / "worker").partition(":")
    assert (Path(file).read_bytes(), class_name) == (NIM.read_bytes(), "Nim")
    assert Path(file).is_relative_to(tmp_path / "worker")
    assert (Path(file).parent / "helper.py").exists()
    assert not (Path(file).parent / ".env").exists()


@pytest.mark.usefixtures("own_games")
def test_a_game_that_is_too_much_is_refused_with_the_remedy(home: Path, monkeypatch: pytest.MonkeyPatch):
    (home / "mygame.py").write_bytes(NIM.read_bytes())
    name = adopt("./mygame.py:Nim").name
    monkeypatch.setattr(parcels, "MOST_FILES", 3)
    with pytest.raises(BadOption, match=r"the game nim cannot travel: .* 3 files; put the game in a folder of its own"):
        Parcels([], name)


def test_an_installed_game_has_no_parcel():
    found = Parcels([], "dominoes")
    assert (found.game, found.bodies) == (TravellingGame("dominoes", "dominoes"), {})
    assert unpacked_game(found.game, Path("/nowhere")) == "dominoes"


def test_of_a_models_key_only_the_names_of_variables_travel(home: Path, monkeypatch):
    monkeypatch.setenv("PALIO_LLM_KEY", "sk-a-key-that-nobody-sees-0123")
    found = Parcels([Entrant("tiny", "llm:https://h/v1,model=tiny"), Entrant("other", "random")], "dominoes")
    assert [bot.keys for bot in found.bots] == [("PALIO_LLM_KEY", "OPENAI_API_KEY"), ()]
    assert b"sk-a-key" not in wire.encode(found.bots)
