"""`--records FILE` has every finished match once, after any failure of the file, the disk or the process."""

import resource
from datetime import UTC, datetime
from functools import cache

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from palio_rules.contract.messages import Finish, Result
from palio_rules.errors import BadOption
from palio_rules.records import Ply, Record, Setup, record_to_text
from palio_server.cli.records_file import RecordsFile

THEN = datetime(2026, 11, 20, tzinfo=UTC)


@cache
def raced(match="m1"):
    setup = Setup("rush_hour", ("ann", "bob"), {"board": "b.../b.../aa.c/.d.."})
    ends = [Finish("rule", "solved", 1.0), Finish("resigned", "resigned", None)]
    plies = (Ply(0, ["c", 1], 5), Ply(1, None, 0, None, "resigned"))
    return Record(match, setup, plies, Result("rule", "ranked", [1.0, 0.0], finishes=ends), THEN, THEN)


def without_text(match="m9"):
    """It does not follow the rules, so that no text says it exactly."""
    return replace(raced(match), plies=())


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.txt"


def test_records_stand_in_the_file_as_export_writes_them(path):
    file = RecordsFile(path)
    for match in ("m1", "m2", "m3"):
        assert file.add(raced(match)) == ""
        assert path.read_text().endswith(record_to_text(raced(match)))  # written when `add` returns
    assert path.read_text() == "\n".join(record_to_text(raced(match)) for match in ("m1", "m2", "m3"))


def test_a_match_is_written_once_also_when_the_event_is_resumed(path):
    RecordsFile(path).add(raced("m1"))
    again = RecordsFile(path)
    assert again.known == {"m1"}
    for match in ("m1", "m2", "m2"):
        again.add(raced(match))
    assert path.read_text() == f"{record_to_text(raced('m1'))}\n{record_to_text(raced('m2'))}"


def test_a_record_without_text_is_a_line_of_json_among_the_others(path):
    file = RecordsFile(path)
    for record in (raced("m1"), without_text("m2"), raced("m3")):
        assert file.add(record) == ""
    text = path.read_text()
    assert text.startswith(record_to_text(raced("m1")) + '\n{"')
    assert text.endswith("}\n\n" + record_to_text(raced("m3")))
    found = [each for each in text.splitlines() if each.startswith('{"')]
    assert [msgspec.json.decode(each, type=Record) for each in found] == [without_text("m2")]
    assert RecordsFile(path).known == {"m1", "m2", "m3"}


def test_a_file_for_programs_has_a_line_of_json_for_each(tmp_path):
    path = tmp_path / "games.jsonl"
    file = RecordsFile(path)
    for match in ("m1", "m2"):
        file.add(raced(match))
    assert [msgspec.json.decode(line, type=Record).match for line in path.read_text().splitlines()] == ["m1", "m2"]
    assert RecordsFile(path).known == {"m1", "m2"}


WHOLE = (record_to_text(raced("m1")) + "\n" + record_to_text(raced("m2"))).encode()
MIXED = WHOLE + b"\n" + msgspec.json.encode(without_text("m3")) + b"\n"


@given(st.integers(0, len(MIXED)))
def test_what_a_kill_has_cut_off_is_written_again(tmp_path_factory, size):
    path = tmp_path_factory.mktemp("cut") / "games.txt"
    path.write_bytes(MIXED[:size])
    file = RecordsFile(path)
    for record in (raced("m1"), raced("m2"), without_text("m3")):
        file.add(record)
    assert path.read_bytes() == MIXED


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("hello\n", 1),
        ('[White "Carlsen"]\n\n1. e4 e5 1-0\n', 2),
        (WHOLE.decode() + "\nhello\n", len(WHOLE.splitlines()) + 2),
        ('{"a": 1}\n', 1),
        ('[Match "m1"]\nhello\n', 2),
        (WHOLE.decode().replace("\n1-0\n", "\n\n1-0\n", 1), None),
    ],
)
def test_a_file_with_something_else_in_it_is_refused_and_left_alone(path, content, line):
    path.write_text(content)
    with pytest.raises(BadOption, match=rf"has no record in line {line or ''}.*; name another file"):
        RecordsFile(path)
    assert path.read_text() == content


def test_a_file_that_cannot_be_written_is_refused_before_play(tmp_path):
    with pytest.raises(BadOption, match="cannot be written: is a directory; name another file"):
        RecordsFile(tmp_path)
    with pytest.raises(BadOption, match="cannot be written: no such file or directory; name another file"):
        RecordsFile(tmp_path / "nowhere" / "games.txt")


@pytest.fixture
def room():
    """Lets files grow to so many bytes, as a full disk does; None: as far as they like."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, before if size is None else (size, before[1]))

    yield limit
    limit(None)


def test_a_full_disk_is_told_once_and_leaves_no_half_record(path, room):
    file = RecordsFile(path)
    file.add(raced("m1"))
    room(path.stat().st_size + 100)
    told = [file.add(raced("m2")), file.add(raced("m3"))]
    left = path.read_text()
    room(None)
    sentence, nothing = told
    assert sentence.startswith(
        f"--records {path} cannot be written: file too large; play goes on, and palio match export"
    )
    assert nothing == ""
    assert (left, file.lost) == (record_to_text(raced("m1")), 2)
    assert file.add(raced("m4")) == ""
    assert path.read_text() == f"{record_to_text(raced('m1'))}\n{record_to_text(raced('m4'))}"
    assert RecordsFile(path).known == {"m1", "m4"}
