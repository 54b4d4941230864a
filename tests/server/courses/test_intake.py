"""The intake: what students hand in is accepted or refused in one sentence, and never partly."""

import io
import stat
import tarfile
import tracemalloc
import zipfile
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.courses.archives import unpack
from palio_server.courses.inspection import digest_of
from palio_server.courses.intake import take
from palio_server.courses.local_files import read_files
from palio_server.courses.submitted_names import MOST_ENTRIES, Refused, check_distinct, is_junk, safe_name

GOOD = b"def move():\n    return 1\n"


def a_tar(*members, mode="w:gz"):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:
        for name, data, kind in members:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(data), "/etc/passwd"
            archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def an_entry(name, data=GOOD, mode=0, **more):
    """A zip with one entry of any kind beside a good file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.py", GOOD)
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        archive.writestr(info, data, **more)
    return packed.getvalue()


@pytest.mark.parametrize(
    "files",
    [
        {"bot.py": GOOD},
        {"bot.py": GOOD, "notes.txt": b""},
        {"repo-main/bot.py": GOOD, "repo-main/.gitignore": b"x", "repo-main/.git/config": b"x"},
        {"Archive/bot.py": GOOD, "__MACOSX/Archive/._bot.py": b"x", "Archive/.DS_Store": b"x"},
        {"a/b/bot.py": GOOD, "a/b/__pycache__/bot.cpython-311.pyc": b"x"},
        {"./bot.py": GOOD},
    ],
)
def test_files_a_folder_and_archives_are_accepted(files, assignment, zipped):
    taken = take(list(files.items()), assignment)
    assert taken.files["bot.py"] == GOOD
    assert take([("upload.zip", zipped(files))], assignment) == taken
    members = [(name, data, tarfile.REGTYPE) for name, data in files.items()]
    for mode in ("w:gz", "w"):
        assert take([("upload.tar", a_tar(*members, mode=mode))], assignment) == taken


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ({}, "nothing was handed in; dominoes asks for bot.py"),
        ({"notes.txt": b"x"}, "bot.py is missing among what you handed in (notes.txt)"),
        ({"Bot.py": GOOD}, "bot.py is missing; rename 'Bot.py'"),
        ({"bot (1).py": GOOD}, "bot.py is missing; rename 'bot (1).py'"),
        ({"bot.ipynb": b"{}"}, "'bot.ipynb' is a notebook; export it"),
        ({"bot.py": b'{"cells": [], "nbformat": 4}'}, "'bot.py' is a notebook with another name"),
        ({"bot.pyc": b"x"}, "'bot.pyc' is compiled Python; hand in bot.py"),
        ({"bot.py": GOOD, "bot.pyc": b"x"}, "'bot.pyc' is compiled Python; leave it out"),
        ({"bot.py": GOOD, "bot.exe": b"x"}, "'bot.exe' is not asked for; did you mean 'bot.py'?"),
        ({"bot.py": GOOD, "more.zip": zlib.compress(b"x")}, "'more.zip' is not asked for"),
        ({"bot.py": GOOD, "more.zip": b"PK\x03\x04"}, "'more.zip' is an archive within"),
        ({"bot.py": b" \n"}, "'bot.py' is empty"),
        ({"bot.py": b"x" * 10_001}, "the files have 10,001 bytes together; dominoes takes 10,000"),
        ({"bot.py": b"# \xe9\n"}, "'bot.py', line 1: the text is not utf-8"),
        ({"bot.py": b"x = 1\n\ny = '\xff'\n"}, "'bot.py', line 3"),
        ({"bot.py": b"# coding: klingon\n"}, "unknown encoding"),
        ({"bot.py": b"# coding: hex\n\nx"}, "encoding"),
        ({"bot.py": "x = 1".encode("utf-16")}, "written in UTF-16"),
        ({"bot.py": b"x = '\0'"}, "NUL byte"),
        ({"bot.py": b"PK\x03\x04"}, "an archive with another name"),
        ({"bot.py": GOOD, "BOT.PY": GOOD}, "'bot.py' and 'BOT.PY' are alike"),
        ({"../bot.py": GOOD}, "leads out of its folder"),
        ({"a/../../bot.py": GOOD}, "leads out of its folder"),
        ({"/bot.py": GOOD}, "absolute path"),
        ({"C:\\bot.py": GOOD}, "path of Windows"),
        ({"a\\bot.py": GOOD}, "path of Windows"),
        ({"bot\n.py": GOOD}, "cannot be seen or read"),
        ({"\u202ebot.py": GOOD}, "cannot be seen or read"),
        ({"bot.py": GOOD, "x\udcff.txt": b""}, "cannot be seen or read"),
        ({"bot.py": GOOD, "bot.py/x.txt": b""}, "is a file, and 'bot.py/x.txt' is in a folder"),
        ({"src/lib/bot.py": GOOD, "notes.txt": b""}, "'src/lib/bot.py' is in a folder"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(given_, sentence, assignment):
    with pytest.raises(Refused) as refused:
        take(list(given_.items()), assignment)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_declared_encoding_is_accepted(assignment):
    assert take([("bot.py", "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"))], assignment)
    assert take([("bot.py", b"\xef\xbb\xbfx = 1\n")], assignment)


def test_exports_of_repositories_leave_out_what_was_not_asked_for(assignment):
    taken = take([("r/bot.py", GOOD), ("r/README.md", b"x"), ("r/lib.zip", b"PK\x03\x04")], assignment, strict=False)
    assert (set(taken.files), taken.left_out) == ({"bot.py"}, ("README.md", "lib.zip"))


def test_names_in_any_script_are_one_name_in_two_forms(assignment_with):
    asked = assignment_with(files=("bot.py", "*.txt"), optional=())
    composed, decomposed = "\u00e9t\u00e9.txt", "e\u0301te\u0301.txt"
    one, two = (take([("bot.py", GOOD), (name, b"x")], asked) for name in (composed, decomposed))
    assert one == two
    assert take([("bot.py", GOOD), ("日本語.txt", b"x")], asked).files["日本語.txt"] == b"x"
    with pytest.raises(Refused, match="there twice"):
        take([("bot.py", GOOD), (composed, b"x"), (decomposed, b"x")], asked)


@pytest.mark.parametrize(
    ("archive", "sentence"),
    [
        (an_entry("link.txt", b"/etc/passwd", stat.S_IFLNK | 0o777), "is a link, no file"),
        (an_entry("pipe.txt", b"", stat.S_IFIFO), "is a device, no file"),
        (an_entry("../out.txt"), "leads out of its folder"),
        (an_entry("/etc/cron.d/x.txt"), "absolute path"),
        (an_entry("..\\out.txt"), "path of Windows"),
        (an_entry("out/../../"), "leads out of the archive"),
        (an_entry("more.zip", an_entry("x.txt")), "an archive within"),
        (an_entry("odd.txt", compress_type=zipfile.ZIP_LZMA), "unusual method"),
        (an_entry("zeros.txt", bytes(50_000_000), compress_type=zipfile.ZIP_DEFLATED), "holds more than 40,000 bytes"),
        (a_tar(("bot.py", b"", tarfile.SYMTYPE)), "is a link, no file"),
        (a_tar(("bot.py", b"", tarfile.LNKTYPE)), "is a link, no file"),
        (a_tar(("bot.py", b"", tarfile.CHRTYPE)), "is a device"),
        (a_tar(("../bot.py", GOOD, tarfile.REGTYPE)), "leads out of its folder"),
        (a_tar(("bot.py", bytes(50_000_000), tarfile.REGTYPE)), "holds more than 40,000 bytes"),
        (a_tar(("bot.py", GOOD, tarfile.REGTYPE))[:-20], "is cut off"),
        (a_tar(("bot.py", GOOD * 99, tarfile.REGTYPE), mode="w")[:900], "no whole tar"),
        (an_entry("x.txt")[:-30], "is no whole zip"),
        (b"\x1f\x8bnonsense", "is damaged"),
        (b"Rar!\x1a\x07\x01\x00", "is a rar archive; hand in a zip"),
        (b"7z\xbc\xaf'\x1c", "is a 7z archive"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # an archive has the time in it
)
def test_hostile_and_broken_archives_are_refused(archive, sentence, assignment):
    with pytest.raises(Refused) as refused:
        take([("upload", archive)], assignment)
    assert sentence in str(refused.value)


def test_an_encrypted_zip_is_refused(assignment, zipped):
    data = bytearray(zipped({"bot.py": GOOD}))
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + at] |= 1
    with pytest.raises(Refused, match=r"'bot\.py' is encrypted"):
        take([("x.zip", bytes(data))], assignment)


def test_ten_thousand_files_are_refused_before_one_is_read(assignment, zipped):
    with pytest.raises(Refused, match=f"more than {MOST_ENTRIES} files"):
        take([("x.zip", zipped({f"{number}.txt": b"" for number in range(10_000)}))], assignment)


def test_a_bomb_whose_size_is_a_lie_takes_no_memory(assignment, zipped):
    """The central directory says that fifty megabytes are ten bytes."""
    data = bytearray(zipped({"bot.py": bytes(50_000_000)}))
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")
    tracemalloc.start()
    with pytest.raises(Refused):
        take([("x.zip", bytes(data))], assignment)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


@given(st.binary(max_size=300), st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08\x00"]))
def test_any_bytes_are_unpacked_or_refused(data, magic):
    with suppress(Refused):
        assert sum(len(content) for _, content in unpack("upload", magic + data, 1000)) <= 1000


@given(st.integers(0, 400), st.binary(min_size=1, max_size=4))
def test_a_damaged_zip_or_tar_is_unpacked_or_refused(at, noise):
    for whole in (
        an_entry("x.txt"),
        a_tar(("bot.py", GOOD, tarfile.REGTYPE)),
        a_tar(("b", GOOD, tarfile.REGTYPE), mode="w"),
    ):
        data = bytearray(whole)
        at %= len(data)
        data[at : at + len(noise)] = noise
        with suppress(Refused):
            unpack("upload", bytes(data), 1000)


@given(st.text(max_size=30))
def test_a_safe_name_stays_below_its_folder_and_is_safe_again(name):
    try:
        safe = safe_name(name)
    except Refused:
        return
    assert not safe.startswith("/")
    assert ".." not in safe.split("/")
    assert safe_name(safe) == safe


@given(st.dictionaries(st.text("ab/.", min_size=1, max_size=4), st.binary(max_size=3), max_size=4))
def test_a_digest_tells_names_and_contents_apart(files):
    assert digest_of(files) == digest_of(dict(reversed(files.items())))
    assert digest_of(files | {"c": b""}) != digest_of(files)
    for name in files:
        assert digest_of(files | {name: files[name] + b"x"}) != digest_of(files)


def test_junk_is_not_what_students_write():
    assert is_junk("x/__MACOSX/y")
    assert not is_junk("bot.py")
    check_distinct(["a/b", "a/c"])


def test_a_virtual_environment_in_an_archive_is_left_out_whatever_its_name(assignment):
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for name in ("bot.py", "my-python/lib/huge.py", "my-python/pyvenv.cfg"):
            archive.writestr(name, GOOD)
    assert list(unpack("all.zip", body.getvalue(), len(GOOD))) == [("bot.py", GOOD)]
    for before in ("", "./"):  # as `tar c bot.py my-python` and `tar c .` name them
        names = ("my-python/lib/huge.py", "bot.py", "my-python/pyvenv.cfg")
        members = [(f"{before}{name}", GOOD, tarfile.REGTYPE) for name in names]
        packed = a_tar((f"{before}my-python/bin/python", b"", tarfile.SYMTYPE), *members)
        assert list(unpack("all.tgz", packed, len(GOOD))) == [(f"{before}bot.py", GOOD)]
        assert take([("all.tgz", packed)], assignment).files == {"bot.py": GOOD}


def test_files_of_a_virtual_environment_that_are_handed_in_one_by_one_are_left_out(assignment):
    given = [("bot.py", GOOD), ("my-python/lib/huge.py", bytes(100_000)), ("my-python/pyvenv.cfg", b"home = /usr/bin")]
    assert take(given, assignment).files == {"bot.py": GOOD}


def test_a_folder_of_this_machine_is_read_without_following_links(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "bot.py").write_bytes(GOOD)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "huge").write_bytes(bytes(5000))
    (tmp_path / "my-python").mkdir()  # a virtual environment by another name
    (tmp_path / "my-python" / "pyvenv.cfg").write_bytes(b"home = /usr/bin")
    (tmp_path / "my-python" / "huge").write_bytes(bytes(5000))
    assert read_files([tmp_path], 1000) == [("src/bot.py", GOOD)]
    assert read_files([tmp_path / "src" / "bot.py"], 1000) == [("bot.py", GOOD)]
    with pytest.raises(Refused, match="there is no file"):
        read_files([tmp_path / "other.py"], 1000)
    with pytest.raises(Refused, match="more than 10 bytes"):
        read_files([tmp_path], 10)
    (tmp_path / "src" / "out").symlink_to("/etc")
    with pytest.raises(Refused, match="'src/out' is a link"):
        read_files([tmp_path], 1000)
