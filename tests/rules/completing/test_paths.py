"""Files behind something else: folders go on, hidden files are asked for, programs can be executed."""

import pytest

from palio_rules.completing import a_file, files, has_suffix, is_program, paths, programs


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    for name in ("a.py", "a b.py", "notes.txt", ".hidden", "deep/c.py"):
        (tmp_path / name).touch()
    for name in ("engine", "two words", "deep/other"):
        (tmp_path / name).touch(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", ["a b.py", "a.py", "deep/", "engine", "notes.txt", "two words"]),
        ("a", ["a b.py", "a.py"]),
        ("./n", ["./notes.txt"]),
        ("deep/", ["deep/c.py", "deep/other"]),
        (".", [".hidden"]),
        ("nowhere/", []),
        ("a.py/", []),
    ],
)
def test_what_begins_so(typed, found):
    assert paths(typed) == found


def test_an_absolute_path(folder):
    assert paths(f"{folder}/no") == [f"{folder}/notes.txt"]


def test_what_stands_before_stays():
    assert paths("./a.", "exec:") == ["exec:./a.py"]


def test_only_what_fits_and_folders():
    assert paths("", fits=has_suffix(".py")) == ["a b.py", "a.py", "deep/"]
    assert paths("", fits=is_program) == ["deep/", "engine"]  # blanks would make two words of it


def test_a_name_that_would_draw_on_the_terminal_is_left_out(folder):
    (folder / "a\x1b[2J").touch()
    (folder / "a\nb").touch()
    assert paths("a") == ["a b.py", "a.py"]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", ["./deep/", "./engine"]),
        ("./e", ["./engine"]),
        ("./deep/", ["./deep/other"]),
        ("e", []),  # it would be looked for in PATH
        ("./engine n", ["./engine notes.txt"]),
        ("./engine -x deep/c", ["./engine -x deep/c.py"]),
    ],
)
def test_a_command(typed, found):
    assert programs(typed) == found


def test_a_file_alone_is_the_shells_business():
    assert [(item.value, item.type) for item in a_file(None, None, "~/a")] == [("~/a", "file")]


def test_several_files_with_commas():
    assert files(None, None, "x.pem,no") == ["x.pem,notes.txt"]
    assert [item.type for item in files(None, None, "no")] == ["file"]
