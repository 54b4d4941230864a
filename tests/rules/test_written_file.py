"""A result gets its name when it is whole; devices, pipes and links are written through, and stay what they are."""

import os
import stat
from pathlib import Path
from threading import Thread

import pytest

from palio_rules.written_file import is_ordinary, write_whole, written


def test_a_file_is_there_when_all_of_it_is_and_after_a_failure_what_was_there_stays(tmp_path: Path):
    place = tmp_path / "results.json"
    write_whole(place, "old")
    place.chmod(0o640)

    def fail() -> None:
        with written(place) as file:
            file.write(b"half of it")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert place.read_text() == "old"
    with written(place) as file:
        file.write(b"new")
        assert place.read_text() == "old"
    assert place.read_text() == "new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [place]


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path):
    (tmp_path / "kept").mkdir()
    link = tmp_path / "latest.json"
    link.symlink_to("kept/monday.json")
    for text in ("one", "two"):  # the first makes the file
        write_whole(link, text)
    assert link.is_symlink()
    assert (tmp_path / "kept" / "monday.json").read_text() == "two"


def test_a_device_stays_a_device(tmp_path: Path):
    device = tmp_path / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        device.open("wb").close()
    except PermissionError:
        pytest.skip("only root makes devices, where the file system has them")
    for place in (device, tmp_path / "link"):
        if place != device:
            place.symlink_to(device)
        write_whole(place, "gone")
        assert stat.S_ISCHR(place.stat().st_mode)
    assert device.read_bytes() == b""
    assert not is_ordinary(device)


def test_a_pipe_gets_what_is_written_and_stays_a_pipe(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[bytes] = []
    reader = Thread(target=lambda: heard.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_whole(pipe, "all of it")
    reader.join(30)
    assert heard == [b"all of it"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
