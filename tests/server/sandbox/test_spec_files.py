"""The files that a SPEC names, and the check if the program is untrusted."""

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.sandbox.binds import Binds, binds
from palio_server.sandbox.spec_files import SpecFiles, files_of, is_shipped, is_untrusted, naming


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("mine.py", "book.bin", "sub/engine", "pack/bots.py", "hw/main.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_keeps_its_class_and_settings(folder: Path):
    found = files_of("./mine.py:Mine:depth=3")
    assert found.spec == f"{folder}/mine.py:Mine:depth=3"
    assert found.files == (folder / "mine.py",)
    assert found.folder == folder


def test_a_bots_settings_name_files_too(folder: Path):
    (folder / "book.sqlite").touch()
    found = files_of("./mine.py:Mine:book=book.sqlite,other=sub/engine,depth=3")
    assert found.spec == f"{folder}/mine.py:Mine:book={folder}/book.sqlite,other={folder}/sub/engine,depth=3"
    assert found.files == (folder / "mine.py", folder / "book.sqlite", folder / "sub/engine")
    assert found.folder == folder
    assert files_of("./mine.py:book=book.sqlite").spec == f"{folder}/mine.py:book={folder}/book.sqlite"
    packed = files_of("pack.bots:Mine:book=book.sqlite")
    assert packed.spec == f"pack.bots:Mine:book={folder}/book.sqlite"
    assert packed.files == (folder / "pack", folder / "book.sqlite")


@pytest.mark.parametrize("value", ["fast", "0.9", "7", "gone.sqlite", "x" * 5000])
def test_a_setting_that_is_a_word_or_a_number_stays_so_whatever_files_there_are(folder: Path, value: str):
    for name in ("fast", "0.9", "7"):
        (folder / name).touch()
    found = files_of(f"./mine.py:mode={value}")
    assert found == SpecFiles(f"{folder}/mine.py:mode={value}", (folder / "mine.py",))


@pytest.mark.parametrize(
    ("spec", "asked"),
    [
        ("./mine.py", "FILE.py:SETTING=b.db"),
        ("pack.bots:Mine", "FILE.py:SETTING=b.db"),
        ("exec:./engine", "exec:PROGRAM b.db"),
        ("ugi:./engine", "ugi:ENGINE option.NAME=b.db"),
        ("policy:./mine.py", "policy:FILE.py:SETTING=b.db"),
        ("handout:dominoes:hw.py", "a SPEC of coursework cannot name a hidden file"),
    ],
)
def test_each_kind_of_spec_has_a_way_to_ask_for_a_hidden_file(spec: str, asked: str):
    assert asked in naming(spec, "b.db")


def test_a_file_of_a_course_keeps_its_course_and_settings(folder: Path):
    found = files_of("handout:dominoes:hw/main.py:depth=2")
    assert found.spec == f"handout:dominoes:{folder}/hw/main.py:depth=2"
    assert found.folder == folder / "hw"


STRANGERS = ("__init__.py", "player.py", "book.ipynb", "sub/deep.py", "pyproject.toml", ".venv/pyvenv.cfg", "data.py")
IMPORTS = st.lists(
    st.builds(
        "{} {}{} import {}".format,
        st.sampled_from(["if 0: from", "from", "def f():\n from", "try:\n from"]),
        st.integers(0, 7).map("".ljust).map(lambda dots: dots.replace(" ", ".")),
        st.sampled_from(["z", "bob", "tests.test_hidden", "alice.player", "term.bob.player", "staff"]),
        st.sampled_from(["*", "z", "player"]),
    ),
    max_size=4,
).map("\n".join)
OTHERS = st.sampled_from(
    [
        "#!/staff/bin/python\nhome = ..\n",
        '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "from ..z import z\\nimport bob"}]}',
        "[tool.setuptools]\npackages = ['..']\n",
        "home = ../staff/bin\ninclude-system-site-packages = true\n",
    ]
)


@pytest.mark.parametrize(
    "spec",
    [
        *("handout:chexers:alice", "handout:chexers:alice/player.py", "handout:chexers:alice/__init__.py"),
        *("handout:chexers:alice/book.ipynb", "handout:chexers:alice:file=sub/deep.py", "handout:tsp:alice:repeats=3"),
        *("./alice/player.py", "policy:./alice/player.py", "exec:python3 alice/player.py"),
    ],
)
@given(text=IMPORTS | OTHERS)
@settings(max_examples=30, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_shown_is_decided_by_the_spec_whatever_a_strangers_files_say(folder: Path, spec: str, text: str):
    for name in ("bob/__init__.py", "bob/player.py", "grades.csv", "tests/test_hidden.py", "staff/bin/python", "z.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch(0o755)

    def shown(text: str) -> tuple[SpecFiles, Binds]:
        for name in STRANGERS:
            (folder / "alice" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "alice" / name).write_text(text)
        found = files_of(spec)
        return found, binds(found.files, programs=found.programs)

    assert shown(text) == shown("")
    _, found = shown(text)
    of_the_course = [each for each in found.readable if each.is_relative_to(folder)]
    assert of_the_course
    assert all(each.is_relative_to(folder / "alice") for each in of_the_course)


@pytest.mark.parametrize("command", ["gtp:engine --mode gtp", "uci:engine", "exec:engine --fast"])
def test_an_installed_engine_needs_no_look_through_the_folder_in_which_it_is_started(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
):
    monkeypatch.setattr("palio_server.sandbox.binds.MOST", 3)  # more files are here
    monkeypatch.setattr("shutil.which", lambda word: f"/usr/games/{word}")
    found = files_of(command)
    assert (found.files, found.folder) == ((), None)
    assert is_untrusted(command)
    assert not any(each.is_relative_to(folder) for each in binds(found.files, programs=found.programs).readable)
    with pytest.raises(BadOption, match="too many to find what no bot may read"):
        binds(files_of("exec:python3 -m mine").files)  # Python's modules may be here


def test_a_folder_that_is_called_like_a_folder_of_programs_opens_none_around_it(folder: Path):
    for name in ("subs/shims/bot", "subs/bob/secret.txt"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).touch(0o755)
    found = files_of("exec:subs/shims/bot")
    shown = binds(found.files, programs=found.programs).readable
    assert [each for each in shown if each.is_relative_to(folder)] == [folder / "subs/shims/bot"]


def test_a_package_is_looked_for_where_it_lies(folder: Path):
    found = files_of("pack.bots:Mine")
    assert (found.spec, found.files) == ("pack.bots:Mine", (folder / "pack",))
    assert found.variables == {"PYTHONPATH": str(folder)}


@pytest.mark.parametrize(
    ("command", "written", "files"),
    [
        ("sub/engine --fast", "{0}/sub/engine --fast", ["sub/engine"]),
        ("python3 mine.py", "python3 {0}/mine.py", ["mine.py"]),
        ("python3 mine.py --book=book.bin", "python3 {0}/mine.py --book={0}/book.bin", ["mine.py", "book.bin"]),
        ("sub/engine book.bin 7", "{0}/sub/engine {0}/book.bin 7", ["sub/engine", "book.bin"]),
        ("java -cp ./sub:./pack Main", "java -cp {0}/sub:{0}/pack Main", ["sub", "pack"]),
        ("python3 -m pack.bots", "python3 -m pack.bots", ["."]),
        ("sh -c 'cd sub && ./engine'", "sh -c 'cd sub && ./engine'", ["."]),
    ],
)
def test_a_commands_paths_are_written_out_and_one_without_any_is_about_this_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, written: str, files: list[str]
):
    monkeypatch.setattr("shutil.which", lambda word: str(Path(word).absolute()) if "/" in word else f"/usr/bin/{word}")
    found = files_of(f"exec:{command}")
    assert found.spec == f"exec:{written.format(folder)}"
    assert list(found.files) == [folder / each for each in files]
    assert set(found.programs) <= set(found.files)


def test_an_engines_own_words_may_stand_before_its_program_and_name_files(folder: Path):
    found = files_of("ugi:option.Hash=64 option.EvalFile=book.bin go.depth=3 ./sub/engine --fast")
    assert found.spec == f"ugi:{folder}/sub/engine --fast option.Hash=64 option.EvalFile={folder}/book.bin go.depth=3"
    assert found.files == (folder / "sub/engine", folder / "book.bin")
    found = files_of("uci:./sub/engine,book=book.bin,bookdepth=8")
    assert found.spec == f"uci:{folder}/sub/engine own.book={folder}/book.bin own.bookdepth=8"
    assert found.files == (folder / "sub/engine", folder / "book.bin")


def test_our_own_engine_is_confined_for_the_bot_that_it_is_made_of(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")
    found = files_of("ugi:palio ugi ./mine.py:depth=3 --game dominoes")
    assert found.spec == f"ugi:palio ugi {folder}/mine.py:depth=3 --game dominoes"
    assert found.files == (folder / "mine.py",)
    assert is_untrusted("ugi:palio ugi random --game dominoes")


def test_an_interpreter_in_a_venv_is_no_bot_but_comes_along(folder: Path):
    venv = folder / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "lib").mkdir()
    (venv / "pyvenv.cfg").touch()
    (venv / "bin" / "python").symlink_to(sys.executable)
    found = files_of(f"exec:{venv}/bin/python mine.py")
    assert found.files == (folder / "mine.py",)
    assert {venv / "bin", venv / "lib", venv / "pyvenv.cfg"} <= set(found.programs)


def test_a_script_comes_with_what_its_first_line_names(folder: Path, monkeypatch: pytest.MonkeyPatch):
    node = folder / "sub" / "node" / "bin" / "node"
    node.parent.mkdir(parents=True)
    node.write_bytes(b"\x7fELF")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", f"{node.parent}:/usr/bin:/bin")
    (folder / "sub" / "engine").write_text("#!/usr/bin/env -S node\n")
    assert files_of("exec:./sub/engine").programs[-1] == node.parent


@pytest.mark.parametrize("line", ["{0}", "/usr/bin/env -S {0}", "/usr/bin/env tool", "{1}"])
def test_a_first_line_opens_nobody_elses_folder(folder: Path, monkeypatch: pytest.MonkeyPatch, line: str):
    tool = folder / "victim" / "bin" / "tool"
    tool.parent.mkdir(parents=True)
    tool.write_bytes(b"\x7fELF")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    (folder / "sub" / "python3").symlink_to(tool)
    (folder / "sub" / "engine").write_text(f"#!{line.format(tool, folder / 'sub' / 'python3')}\n")
    found = files_of("exec:./sub/engine")
    assert found.programs == ()
    assert f"is run by {tool}, which is neither the system's, nor Palio's" in found.refused


@pytest.mark.parametrize(
    "spec",
    [
        *("random", "alpha_beta:depth=2", "nonesuch.py", "exec:nonesuch", "handout:x:nonesuch.py"),
        *("ugi:nonesuch", "llm:http://h,model=m"),
    ],
)
def test_bots_of_palio_and_those_that_are_not_there_need_no_sandbox(spec: str):
    assert not is_untrusted(spec)


@pytest.mark.parametrize(
    "spec",
    [
        *("./mine.py", "mine.py:depth=2", "exec:./sub/engine", "pack.bots:Mine", "a@b", "nonesuch"),
        *("ugi:./sub/engine", "ugi:option.Hash=1 ./sub/engine", "ugi:go.depth=1 python3 mine.py"),
    ],
)
def test_all_others_do(spec: str):
    assert is_untrusted(spec)


def test_a_name_that_only_looks_like_a_shipped_one_is_a_strangers():
    assert is_shipped("greedy")
    assert not is_shipped("greedy2")


def test_a_policy_keeps_its_class_and_finds_its_weights(folder: Path):
    found = files_of("policy:./mine.py:Mine:path=book.bin,seed=3")
    assert found.spec == f"policy:{folder}/mine.py:Mine:path={folder}/book.bin,seed=3"
    assert found.files == (folder / "mine.py", folder / "book.bin")
    assert files_of("policy:mine.py:seed=3").spec == f"policy:{folder}/mine.py:seed=3"


def test_weights_may_be_named_without_zip_as_stable_baselines3_saves_and_loads_them(folder: Path):
    (folder / "sub" / "model.zip").touch()
    found = files_of("policy:./mine.py:path=sub/model,seed=3")
    assert found.spec == f"policy:{folder}/mine.py:path={folder}/sub/model,seed=3"
    assert found.files == (folder / "mine.py", folder / "sub" / "model.zip")


def test_a_policy_of_a_module_is_looked_for_where_it_lies(folder: Path):
    found = files_of("policy:mine:Mine")
    assert (found.spec, found.files) == ("policy:mine:Mine", (folder / "mine.py",))
    assert found.variables == {"PYTHONPATH": str(folder)}
    assert files_of("policy:pack.bots:Mine").files == (folder / "pack",)
    assert files_of("policy:installed:Mine").files == ()


def test_a_policy_is_a_strangers_unless_its_file_is_not_there():
    assert is_untrusted("policy:./mine.py")
    assert is_untrusted("policy:installed:Mine")
    assert not is_untrusted("policy:./gone.py")
    assert files_of("policy:./gone.py").files == ()
    assert files_of(f"policy:installed:Mine:path={'x' * 5000}").files == ()


def test_the_template_of_a_language_models_bot_is_its_file(folder: Path):
    (folder / "mine.txt").write_text("{board}")
    found = files_of("llm:http://h/v1,model=m,template=./mine.txt,seed=1")
    assert found.files == (folder / "mine.txt",)
    assert found.spec == f"llm:http://h/v1,model=m,template={folder / 'mine.txt'},seed=1"
    assert files_of("llm:http://h/v1,model=m,template=gone.txt") == SpecFiles(
        "llm:http://h/v1,model=m,template=gone.txt"
    )
