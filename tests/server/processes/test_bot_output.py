"""Output of bots is kept in files of bounded size, which have the newest lines, and shown if it is wanted."""

import os
import time

import pytest

from palio_server.processes import bot_output
from palio_server.processes.bot_output import OutputFolder, Stream


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(bot_output.tempfile, "tempdir", str(tmp_path))


def test_without_a_line_there_is_no_folder(tmp_path):
    output = OutputFolder()
    Stream(output.of("ada")).end()
    output.close()
    assert output.folder is None
    assert list(tmp_path.iterdir()) == []


def test_pieces_are_joined_to_lines_and_streams_do_not_mix_within_one():
    output = OutputFolder()
    out, err = Stream(output.of("ada")), Stream(output.of("ada"))
    out.feed(b"hel")
    err.feed(b"oops\n")
    out.feed(b"lo\nyou\nand ")
    out.end()
    Stream(output.of("bob")).feed(b"I am bob\n")
    output.close()
    assert (output.folder / "ada.log").read_text() == "oops\nhello\nyou\nand \n"
    assert (output.folder / "bob.log").read_text() == "I am bob\n"


def test_only_the_wanted_bots_lines_are_shown_and_remarks_which_are_anyhow_are_not():
    shown = []
    output = OutputFolder(["ada"], shown.append)
    Stream(output.of("ada")).feed(b"hello\nremark: slow\n\xff\n")
    Stream(output.of("bob")).feed(b"hi\n")
    assert shown == ["ada: hello", "ada: \ufffd"]
    output.close()


def test_a_flood_keeps_the_newest_lines_in_two_files_of_bounded_size(monkeypatch):
    monkeypatch.setattr(bot_output, "FILE_BYTES", 1000)
    output = OutputFolder()
    stream = Stream(output.of("ada"))
    for number in range(1000):
        stream.feed(f"line {number}\n".encode())
    output.close()
    assert {file.name for file in output.folder.iterdir()} == {"ada.log", "ada.log.old"}
    older, newer = ((output.folder / name).read_text() for name in ("ada.log.old", "ada.log"))
    assert max(len(older), len(newer)) <= 1000
    assert len(older) > 900
    assert (older + newer).endswith("line 998\nline 999\n")
    numbers = [int(line.split()[1]) for line in (older + newer).splitlines()]
    assert numbers == list(range(numbers[0], 1000))


def test_a_line_without_an_end_takes_no_memory():
    shown = []
    output = OutputFolder(["ada"], shown.append)
    stream = Stream(output.of("ada"))
    for _ in range(100):
        stream.feed(b"x" * 1000)
    assert len(stream._part) <= bot_output.LINE_BYTES
    assert max(map(len, shown)) <= len("ada: ") + bot_output.LINE_BYTES
    output.close()


def test_lines_are_shown_though_the_file_cannot_be_written(monkeypatch):
    def full(**_):
        raise OSError("no space left on device")

    monkeypatch.setattr(bot_output.tempfile, "mkdtemp", full)
    shown = []
    output = OutputFolder(["ada"], shown.append)
    stream = Stream(output.of("ada"))
    stream.feed(b"one\n")
    stream.feed(b"two\n")
    output.close()
    assert shown == ["ada: one", "ada: two"]
    assert output.folder is None
    assert output.told() == ["what ada printed is not kept: no space left on device"]


def test_people_are_told_where_the_lines_are():
    output = OutputFolder()
    assert output.told() == []
    Stream(output.of("ada")).feed(b"one\n")
    output.close()
    assert output.told() == [f"what the bots printed is in {output.folder}"]


def test_folders_of_runs_of_more_than_a_week_ago_are_removed_and_no_others(tmp_path):
    old = time.time() - bot_output.KEPT_S - 60
    for name in ("palio-bots-old", "palio-bots-written-to", "palio-bots-new", "palio-export-old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ada.log").touch()
        if name != "palio-bots-written-to":
            os.utime(tmp_path / name / "ada.log", (old, old))
        if name != "palio-bots-new":
            os.utime(tmp_path / name, (old, old))
    (tmp_path / "palio-bots-link").symlink_to(tmp_path / "palio-export-old")
    output = OutputFolder()
    Stream(output.of("ada")).feed(b"here\n")
    output.close()
    left = {path.name for path in tmp_path.iterdir()} - {output.folder.name}
    assert left == {"palio-bots-written-to", "palio-bots-new", "palio-export-old", "palio-bots-link"}
