"""Temporary folders go with their process, however it ends; those that a process holds stay."""

import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from palio_rules.temporary import TemporaryFolder, new_name, remove_abandoned

HOLDS = """
import sys, time
from palio_rules.temporary import TemporaryFolder
folder = TemporaryFolder("test", sys.argv[1])
(folder.path / "closed").mkdir()
(folder.path / "closed" / "file").touch()
(folder.path / "closed").chmod(0)
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """A process that holds a folder until its stdin ends, and the folder."""
    words = [sys.executable, "-c", HOLDS, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process, Path(process.stdout.readline().strip())
        with suppress(OSError):
            process.kill()


def sweep(parent):
    remove_abandoned.cache_clear()
    with TemporaryFolder("other", parent):
        pass


def test_a_folder_goes_when_its_context_or_its_process_ends(tmp_path, holder):
    with TemporaryFolder("test", tmp_path) as folder:
        (folder / "file").touch()
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()
    process, other = holder
    process.communicate("")
    assert not other.exists()


def test_after_a_kill_the_next_process_removes_it_and_what_is_in_use_stays(tmp_path, holder):
    process, folder = holder
    strange = tmp_path / "palio-mine"
    strange.mkdir()
    link = tmp_path / "palio-link.tmp"
    link.symlink_to(strange)
    sweep(tmp_path)
    assert folder.exists()
    process.send_signal(signal.SIGKILL)
    process.wait()
    sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == [link, strange]


def test_a_folder_that_is_removed_at_that_moment_is_made_again(tmp_path, monkeypatch):
    made = tempfile.mkdtemp

    def taken(*args):
        folder = made(*args)
        monkeypatch.undo()
        Path(folder).rmdir()
        return folder

    monkeypatch.setattr("palio_rules.temporary.mkdtemp", taken)
    with TemporaryFolder("test", tmp_path) as folder:
        assert folder.is_dir()


def test_a_known_place_is_held_again_after_a_kill(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = new_name("course")
    (place / "bot").mkdir(parents=True)
    with TemporaryFolder("course", at=place) as folder:
        assert folder == place
        sweep(tmp_path)
        assert place.exists()
    assert not place.exists()
