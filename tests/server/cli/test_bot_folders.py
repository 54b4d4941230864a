"""A folder in the place of a bot means its files; what is no bot is said, and two files never share a name."""

import pytest

from palio_rules.errors import BadOption
from palio_server.cli.bot_folders import bots_of, contents
from palio_server.cli.run_options import RunOptions
from palio_server.cli.run_plan import new_plan


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    return write


def specs(*texts):
    return [(bot.name, bot.text) for bot in bots_of(texts)[0]]


def test_a_folder_is_its_python_files_by_name(folder):
    folder("subs/cy.py", "subs/ann.py", "subs/bob.py", "subs/notes.txt", "subs/.hidden.py", "subs/__pycache__/ann.pyc")
    expected = [("ann", "subs/ann.py"), ("bob", "subs/bob.py"), ("cy", "subs/cy.py")]
    assert specs("subs/") == specs("subs") == expected
    assert specs("./subs")[0] == ("ann", "./subs/ann.py")
    assert specs("random", "subs/@network", "random")[:2] == [("random", "random"), ("ann", "subs/ann.py@network")]
    assert specs("subs/:depth=2")[0] == ("ann", "subs/ann.py:depth=2")


def test_the_plan_keeps_the_files_so_that_a_resumed_tournament_has_the_same_bots(folder):
    folder("subs/ann.py", "subs/bob.py", "subs/_tools.py")
    plan = new_plan(RunOptions(), "dominoes", {}, ["subs/", "random"])
    assert plan.settings["bots"] == [["ann", "subs/ann.py"], ["bob", "subs/bob.py"], ["random", "random"]]
    assert "subs/: not entered: _tools.py (tests, or names that begin with _)" in plan.hints


def test_tests_and_private_files_are_not_entered_and_folders_are_named(folder):
    folder("subs/ann.py", "subs/test_ann.py", "subs/ann_test.py", "subs/conftest.py", "subs/_u.py", "subs/more/bob.py")
    bots, remarks = bots_of(["subs/"])
    assert [bot.name for bot in bots] == ["ann"]
    assert remarks == [
        "subs/: not entered: _u.py, ann_test.py, conftest.py, test_ann.py (tests, or names that begin with _)",
        "subs/: folders in it are not entered; to enter their files, name them: subs/more",
    ]


def test_a_link_out_of_a_folder_of_strangers_is_not_entered_and_named(folder, tmp_path):
    folder("subs/ann.py", "staff/__init__.py")
    (tmp_path / "subs/eve").symlink_to("../staff")
    (tmp_path / "subs/kim.py").symlink_to("/etc/hostname")
    (tmp_path / "subs/same.py").symlink_to("ann.py")
    (tmp_path / "subs/loop.py").symlink_to("loop.py")
    bots, remarks = bots_of(["handout:chexers:subs/"])
    assert "ann" in [bot.name for bot in bots]
    assert not {"eve", "kim"} & {bot.name for bot in bots}
    assert remarks == ["subs/: not entered: eve, kim.py (links out of the folder); copy the files"]


def test_a_folder_without_python_in_it_is_data_and_not_mentioned(folder):
    folder("subs/ann.py", "subs/weights/ann.npz")
    assert bots_of(["subs/"])[1] == []


@pytest.mark.parametrize(
    ("files", "texts", "sentence"),
    [
        (["subs/a.txt"], ["subs/"], r"the folder 'subs/' has no bots, .*; put the bots' files into it"),
        (["subs/test_a.py"], ["subs/"], r"has no bots, .*; it has test_a\.py; put"),
        (["subs/ann/bot.py", "subs/bob/bot.py"], ["subs"], r"name the folders in it: subs/ann subs/bob"),
        (["a/bot.py", "b/bot.py"], ["a/", "b/"], r"a/bot\.py and b/bot\.py would both be called 'bot'; rename"),
        (["a/my bot.py", "a/my-bot.py"], ["a/"], r"a/my bot\.py and a/my-bot\.py would both be called 'my-bot'"),
        (["a/bot.py"], ["mine=a/"], r"'mine=a/' gives one name to a folder of bots; write a/"),
        (["a/bot.py"], ["random", "sub/"], r"there is no folder 'sub/'; check the path \(here is /"),
        (["a/bot.py"], ["mine=sub/@network", "random"], r"there is no folder 'sub/'; check the path"),
        (["a/random.py"], ["random", "a/"], "two bots are called 'random'; give one of them another name"),
    ],
)
def test_what_is_no_folder_of_bots_is_said_in_a_sentence(folder, files, texts, sentence):
    folder(*files)
    with pytest.raises(BadOption, match=sentence):
        bots_of(texts)


def test_the_forms_of_courses_may_be_notebooks_and_packages(folder):
    folder("subs/ann.py", "subs/bob.ipynb", "subs/team/__init__.py", "subs/team/board.py")
    expected = [(name, f"handout:chexers:subs/{file}:player=P")
                for name, file in (("ann", "ann.py"), ("bob", "bob.ipynb"), ("team", "team"))]  # fmt: skip
    assert specs("handout:chexers:subs/:player=P") == expected


@pytest.mark.parametrize("file", ["__init__.py", "rh", "main.cpp"])
def test_a_students_package_or_program_stays_one_bot(folder, file):
    folder(f"hw/{file}", "hw/other.py")
    assert [text for _, text in specs("handout:rush_hour:hw")] == ["handout:rush_hour:hw"]


def test_a_folder_with_a_name_is_one_submission_of_a_course(folder):
    folder("hw/game.py", "hw/search.py")
    assert specs("ann=handout:end_of_the_track:hw") == [("ann", "handout:end_of_the_track:hw")]


def test_an_installed_bot_comes_before_a_folder_of_its_name(folder):
    folder("random/ann.py")
    assert specs("random") == [("random", "random")]
    assert specs("random/") == [("ann", "random/ann.py")]


def test_a_folder_that_cannot_be_read_is_said():
    with pytest.raises(BadOption, match="the folder '/nowhere' cannot be read: No such file"):
        contents("/nowhere")
