"""How games and bots go on: classes are read from a file that is not run, settings from what is installed."""

from types import SimpleNamespace

import pytest

from palio_rules.completing import bot_spec, classes_in, game_seat, game_setting, game_spec, named_bot_spec

SOURCE = """
raise SystemExit("it has been run")
class Heaps: ...
class Nim(Game[Heaps, int]): ...
class Misere(Nim): ...
class Other(palio_rules.Game): ...
class Mine(Bot): ...
class Better(AlphaBetaBot): ...
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def after(*words):
    """A click context behind these words."""
    root = SimpleNamespace(obj=words)
    return SimpleNamespace(find_root=lambda: root)


def texts(found):
    return [item if isinstance(item, str) else f"<{item.type}>" for item in found]


def test_the_classes_of_a_file(here):
    assert classes_in(here / "mine.py", "Game") == ["Nim", "Misere", "Other"]
    assert classes_in(here / "mine.py", "Bot") == ["Mine", "Better"]


@pytest.mark.parametrize("source", ["class Nim(", "\0", "x = 1"])
def test_a_file_that_cannot_be_read_has_no_classes(here, source):
    (here / "mine.py").write_text(source)
    assert classes_in(here / "mine.py", "Game") == []
    assert classes_in(here / "nowhere.py", "Game") == []


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("break", ["breakthrough"]),
        ("openspiel", ["openspiel:"]),
        ("breakthrough:", ["breakthrough:rows=", "breakthrough:cols=", "breakthrough:first="]),
        ("breakthrough:rows=8,", ["breakthrough:rows=8,cols=", "breakthrough:rows=8,first="]),
        ("nowhere:", []),
        ("./mine.py:", ["./mine.py:Nim", "./mine.py:Misere", "./mine.py:Other"]),
        ("./mine.py:Mi", ["./mine.py:Misere"]),
        ("./mine.py", ["<file>"]),
        ("./m", ["<file>"]),
    ],
)
def test_a_game(typed, found):
    assert texts(game_spec(None, None, typed)) == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("alpha", ["alpha_beta"]),
        ("hand", ["handout:"]),
        ("random:", ["random:seed="]),
        ("./mine.py:", ["./mine.py:Mine", "./mine.py:Better"]),
        ("./m", ["<file>"]),
        ("nowhere:x", []),
        ("old=rand", ["<file>"]),  # no name may be given here
    ],
)
def test_a_bot(typed, found):
    assert texts(bot_spec(None, None, typed)) == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("old=rand", ["old=random"]),
        ("old=./m", ["old=./mine.py"]),
        ("old=./mine.py:M", ["old=./mine.py:Mine"]),
        ("old=random:", ["old=random:seed="]),
        ("rand", ["random"]),
        ("random:se", ["random:seed="]),
    ],
)
def test_a_bot_that_may_have_a_name(typed, found):
    assert texts(named_bot_spec(None, None, typed)) == found


def test_settings_and_seats_are_those_of_the_game_before():
    assert game_setting(after("run", "dominoes:rows=4", "-o"), None, "r") == ["rows="]
    assert game_seat(after("play", "dominoes"), None, "") == ["vertical", "horizontal"]


def test_without_a_game_there_are_none():
    assert game_setting(after("run", "./mine.py"), None, "") == []
    assert game_seat(after(), None, "") == []
