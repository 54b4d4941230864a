"""Control groups, on a tree of files that looks like the kernel's: who is asked for what."""

from pathlib import Path

import pytest

from palio_server.sandbox import cgroups
from palio_server.sandbox.cgroups import delegated, new_group


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A delegated group, in which two processes are."""
    monkeypatch.setattr(cgroups, "_is_marked", lambda _group: True)
    group = tmp_path / "fs" / "user.slice" / "palio.service"
    group.mkdir(parents=True)
    (group / "cgroup.controllers").write_text("cpu memory pids\n")
    (group / "cgroup.subtree_control").write_text("")
    (group / "cgroup.procs").write_text("17\n18\n")
    (tmp_path / "own").write_text("1:name=systemd:/\n0::/user.slice/palio.service\n")
    return group


def test_a_group_is_found_that_hands_memory_and_processes_on(ours: Path, tmp_path: Path):
    assert delegated(tmp_path / "fs", tmp_path / "own") == ours


@pytest.mark.parametrize("controllers", ["", "cpu memory", "pids"])
def test_one_that_does_not_is_of_no_use(ours: Path, tmp_path: Path, controllers: str):
    (ours / "cgroup.controllers").write_text(controllers)
    assert delegated(tmp_path / "fs", tmp_path / "own") is None


def test_where_there_are_none_nothing_is_delegated(tmp_path: Path):
    (tmp_path / "own").write_text("4:memory:/\n")
    assert delegated(tmp_path, tmp_path / "own") is None
    assert delegated(tmp_path, tmp_path / "nothing") is None


def test_root_takes_no_group_that_nobody_has_given_it(ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cgroups, "_is_marked", lambda _group: False)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert delegated(tmp_path / "fs", tmp_path / "own") is None


def test_a_bots_group_has_its_limits_with_room_for_the_warden_to_speak_first(ours: Path):
    group = new_group(ours, memory=1000, processes=32)
    assert group is not None
    assert (ours / "palio" / "cgroup.procs").read_text() == "18"  # each was written to it
    assert (
        "memory" in (ours / "cgroup.subtree_control").read_text()
        or "cpu" in (ours / "cgroup.subtree_control").read_text()
    )
    assert (group.path / "memory.max").read_text() == "1250"
    assert (group.path / "pids.max").read_text() == "132"
    assert group.joining(["x"])[-2:] == [str(group.path / "cgroup.procs"), "x"]


def test_what_the_kernel_has_ended_is_known(ours: Path):
    group = new_group(ours, 1000, 32)
    assert group is not None
    assert not group.is_out_of_memory()
    (group.path / "memory.events").write_text("low 0\noom 1\noom_kill 1\n")
    assert group.is_out_of_memory()


def test_a_group_that_cannot_be_made_is_gone_without(tmp_path: Path):
    assert new_group(tmp_path / "nowhere", 1000, 32) is None
