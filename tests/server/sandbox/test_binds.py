"""The files that a confined program sees: its own folder, without those it must not read."""

import os
import sys
from pathlib import Path

import pytest

from palio_rules.errors import BadOption
from palio_server.sandbox.binds import ENTRIES, binds, folder_of, is_too_wide, program_places, python_folders


def within(found: tuple[Path, ...], folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in found if each.is_relative_to(folder)}


def test_a_folder_is_put_together_so_that_nothing_comes_into_it_later(tmp_path: Path):
    (tmp_path / "data").mkdir()
    (tmp_path / "mine.py").touch()
    found = binds([tmp_path / "mine.py"])
    assert within(found.readable, tmp_path) == {"mine.py", "data"}
    assert found.made == (tmp_path,)


def test_the_database_is_left_out_even_before_it_is_there(tmp_path: Path):
    for name in ("mine.py", "helper.py", "results.db"):
        (tmp_path / name).touch()
    hidden = [tmp_path / f"results.db{end}" for end in ("", "-wal")] + [tmp_path / "later.db"]
    found = binds([tmp_path / "mine.py"], hidden)
    assert within(found.readable, tmp_path) == {"mine.py", "helper.py"}
    assert found.made == (tmp_path,)
    (tmp_path / "results.db").unlink()
    assert binds([tmp_path / "mine.py"], hidden) == found


def test_a_database_further_down_is_left_out_and_what_lies_beside_it_is_not(tmp_path: Path):
    (tmp_path / "data" / "more").mkdir(parents=True)
    (tmp_path / "mine.py").touch()
    (tmp_path / "data" / "book.bin").touch()
    found = binds([tmp_path / "mine.py"], [tmp_path / "data" / "palio.db"])
    assert within(found.readable, tmp_path) == {"mine.py", "data/book.bin", "data/more"}


def test_a_hidden_file_is_left_out_under_any_other_name_and_in_every_folder(tmp_path: Path):
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "chain.pem").write_text("-----BEGIN CERTIFICATE-----\n")  # by its content it would be shown
    for name in ("mine.py", "data/more/book.bin"):
        (tmp_path / "bots" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "bots" / name).touch()
    for name in ("notes.txt", "data/more/cert.pem"):
        os.link(tmp_path / "server" / "chain.pem", tmp_path / "bots" / name)
    found = binds([tmp_path / "bots" / "mine.py"], [tmp_path / "server" / "chain.pem"])
    assert within(found.readable, tmp_path / "bots") == {"mine.py", "data/more/book.bin"}


def test_the_database_is_left_out_of_what_a_program_is_run_by_as_well(tmp_path: Path):
    for name in ("engine", "palio.db"):
        (tmp_path / name).touch()
    found = binds([tmp_path / "engine"], [tmp_path / "palio.db"], programs=[tmp_path])
    assert within(found.readable, tmp_path) == {"engine"}


def test_secrets_beside_a_program_and_databases_of_palio_are_left_out(tmp_path: Path):
    for name in ("mine.py", ".env", "key.pem", "palio.db", "palio-old.db"):
        (tmp_path / name).touch()
    (tmp_path / "openings.db").write_text("a1 b2")
    (tmp_path / ".git").mkdir()
    assert within(binds([tmp_path / "mine.py"]).readable, tmp_path) == {"mine.py", "openings.db"}


def test_a_link_is_shown_as_a_link_and_not_what_it_leads_to(tmp_path: Path):
    (tmp_path / "mine.py").touch()
    (tmp_path / "out").symlink_to("/etc/shadow")
    found = binds([tmp_path / "mine.py"])
    assert (str(tmp_path / "out"), "/etc/shadow") in found.links
    assert within(found.readable, tmp_path) == {"mine.py"}


def test_a_full_folder_with_the_database_is_refused_with_the_remedy(tmp_path: Path):
    for number in range(ENTRIES + 1):
        (tmp_path / f"{number}.txt").touch()
    assert within(binds([tmp_path / "1.txt"]).readable, tmp_path) == {"."}
    with pytest.raises(BadOption, match=r"holds palio\.db, .* move the program into a folder of its own"):
        binds([tmp_path / "1.txt"], [tmp_path / "palio.db"])


def test_of_a_home_only_the_file_itself_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "mine.py").touch()
    assert folder_of(tmp_path / "mine.py") == tmp_path / "mine.py"
    assert folder_of(tmp_path / "bots" / "mine.py") == tmp_path / "bots"
    assert within(binds([tmp_path / "mine.py"]).readable, tmp_path) == {"mine.py"}


@pytest.mark.parametrize("wide", ["/", "/tmp", "/home/somebody", "home"])
def test_a_command_that_is_given_at_home_shows_nobody_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wide: str
):
    monkeypatch.setenv("HOME", str(tmp_path))
    place = tmp_path if wide == "home" else Path(wide)
    assert place not in binds([place]).readable
    assert is_too_wide(place)


def test_what_lies_in_another_one_is_named_once_and_outer_folders_come_first(tmp_path: Path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "mine.py").touch()
    found = binds([tmp_path / "mine.py", tmp_path / "inner"])
    assert within(found.readable, tmp_path) == {"inner", "mine.py"}
    assert [len(path.parts) for path in found.readable] == sorted(len(path.parts) for path in found.readable)


def test_this_python_is_there_and_no_part_of_the_server():
    places = [Path("/usr"), *python_folders()]
    assert any(Path(sys.base_prefix).resolve().is_relative_to(place.resolve()) for place in places)


def test_an_interpreter_elsewhere_comes_with_what_it_needs_and_not_with_all_that_lies_there(tmp_path: Path):
    for name in ("bin", "lib", "share/secrets", "shims"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "bin" / "node").touch()
    assert program_places(tmp_path / "bin" / "node") == [tmp_path / "bin", tmp_path / "lib"]
    assert program_places(tmp_path / "shims" / "python3") == [tmp_path]
    assert program_places(Path("/usr/bin/python3")) == []
