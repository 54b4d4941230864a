"""Exports of Gradescope, Canvas, Moodle and GitHub Classroom, archives and folders: who is who, and when."""

import os
import subprocess
import zipfile
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from palio_db.course_values import RosterEntry, StudentRow
from palio_db.store import Store
from palio_db.values import PALIO
from palio_rules.errors import BadOption
from palio_server.courses.bulk import import_all
from palio_server.courses.bulk_layouts import Person, source_of
from palio_server.courses.export_tree import open_tree
from palio_server.courses.gradescope_metadata import moment, read_metadata
from palio_server.courses.roster_match import NoMatch, RosterIndex
from palio_server.courses.values import Course

GOOD, OTHER = b"x = 1\n", b"x = 2\n"
ROSTER = [
    RosterEntry("1001", "Ann Lee", "ann.lee@x.edu"),
    RosterEntry("1002", "Bob Müller", "bobm@x.edu"),
    RosterEntry("1003", "Maria Elena Rossi", "rossi@x.edu"),
    RosterEntry("1004", "Ann Lee", "alee2@x.edu"),
]


@pytest.fixture
async def store():
    async with await Store.open("sqlite://") as opened:
        await opened.set_roster("ai", ROSTER)
        yield opened


@pytest.fixture
def bring(store, assignment):
    """Imports a path; the outcomes by source."""

    async def bring(path, source=None, **more):
        course = Course("ai", path, "AI", ZoneInfo("UTC"))
        tree = open_tree(path)
        found = source or source_of(tree, assignment)
        return found, [each async for each in import_all(store, course, assignment, tree, found, by=PALIO)]

    return bring


def outcomes(lines):
    return sorted((line.student, line.outcome) for line in lines)


def lay(folder, files):
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


METADATA = """\
submission_1:
  :submitters:
  - :name: Ann Lee
    :sid: '1001'
    :email: ann.lee@x.edu
  :created_at: 2026-01-30 14:03:07.123456789 Z
  :score: 4.0
  :results:
    tests:
    - name: one
      output: |
        submission_9:
          :submitters:
  :history:
  - :id: 7
    :created_at: 2026-01-29 14:03:07.123456000 Z
    :score: 1.0
submission_2:
  :submitters:
  - :name: Bob M
    :sid: ''
    :email: bobm@x.edu
  - :name: Rossi, Maria Elena
    :sid: "1003"
    :email:
  :created_at: 2026-02-02 01:00:00.000000000 +02:00
submission_3:
  :submitters:
  - :name: Nobody
    :sid: '77'
    :email: n@x.edu
  :created_at: 2026-01-30 14:03:07.123456789 Z
"""


async def test_gradescope(bring, store, tmp_path, zipped):
    files = {
        "assignment_5_export/submission_metadata.yml": METADATA,
        "assignment_5_export/submission_1/bot.py": GOOD,
        "assignment_5_export/submission_2/src.zip": zipped({"w/bot.py": OTHER}),
        "assignment_5_export/submission_3/bot.py": GOOD,
        "__MACOSX/x": b"",
    }
    (tmp_path / "export.zip").write_bytes(zipped(files))
    source, lines = await bring(tmp_path / "export.zip")
    assert source == "gradescope"
    assert outcomes(lines) == [("", "not on the roster"), ("1001", "taken"), ("1002", "taken"), ("1003", "taken")]
    rows = {row.student: row for row in await store.submissions("ai")}
    assert rows["1001"].at == datetime(2026, 1, 30, 14, 3, 7, 123456, UTC)
    assert (rows["1001"].clock, rows["1001"].note) == ("gradescope", "1 earlier at Gradescope")
    assert rows["1002"].at == datetime(2026, 2, 1, 23, tzinfo=UTC)
    assert await store.submitted_files(rows["1003"].id) == {"bot.py": OTHER}
    _, again = await bring(tmp_path / "export.zip")
    assert {line.outcome for line in again} == {"again", "not on the roster"}
    assert len(await store.submissions("ai")) == 3


TEXTS = st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=12)


@example({"submission_1": ("\xa0", "1\xa0")})
@given(st.dictionaries(st.from_regex(r"submission_[0-9]{1,6}", fullmatch=True), st.tuples(TEXTS, TEXTS), min_size=1))
def test_our_reader_of_gradescopes_layout_agrees_with_yaml(people):
    values = {
        folder: {
            ":submitters": [{":name": name, ":sid": sid, ":email": "a@b"}],
            ":created_at": datetime(2026, 1, 30, 14, 3, 7, 5, UTC),
            ":results": {"tests": [{"output": f"{name}\n:submitters:\n{sid}"}]},
        }
        for folder, (name, sid) in people.items()
    }
    found = read_metadata(yaml.safe_dump(values, allow_unicode=True, width=10**6))
    read = {folder: (entry.submitters[0].name, entry.submitters[0].sid) for folder, entry in found.items()}
    assert read == people
    assert {entry.at for entry in found.values()} == {datetime(2026, 1, 30, 14, 3, 7, 5, UTC)}


@pytest.mark.parametrize("text", ["", "{}", "hello\n", "a: b\n", "\0", "- :name: x\n"])
def test_another_text_is_no_metadata(text):
    with pytest.raises(BadOption, match=r"submission_metadata\.yml"):
        read_metadata(text)


def test_moments_of_yaml():
    assert moment("2026-01-30 14:03:07.5 Z") == datetime(2026, 1, 30, 14, 3, 7, 500_000, UTC)
    assert moment("2026-01-30T14:03:07-05:00") == datetime(2026, 1, 30, 19, 3, 7, tzinfo=UTC)
    assert moment("2026-13-30 14:03:07 Z") is None
    assert moment("yesterday") is None


async def test_canvas(bring, store, tmp_path, assignment, zipped):
    files = {
        "rossimariaelena_LATE_55_901_bot.py": GOOD,
        "mullerbob_56_902_bot-1.py": GOOD,
        "mullerbob_56_903_notes.txt": b"x",
        "leeann_57_904_bot.py": GOOD,
        "strangerdan_58_905_bot.py": GOOD,
        "rossimariaelena_LATE_55_906_bot.exe": b"x",
    }
    (tmp_path / "submissions.zip").write_bytes(zipped(files))
    source, lines = await bring(tmp_path / "submissions.zip")
    assert source == "canvas"
    assert outcomes(lines) == [
        ("", "not on the roster"),
        ("", "not on the roster"),
        ("1002", "taken"),
        ("1003", "taken"),
    ]
    assert any("could be any of 1001, 1004" in line.why for line in lines)
    rows = {row.student: row for row in await store.submissions("ai")}
    assert rows["1002"].at <= assignment.due < rows["1003"].at
    assert rows["1003"].clock == "file date, late says Canvas"
    assert set(await store.submitted_files(rows["1002"].id)) == {"bot.py", "notes.txt"}


@pytest.mark.parametrize("layout", ["{}_{}_assignsubmission_file_/bot.py", "{}_{}_assignsubmission_file_bot.py"])
async def test_moodle(bring, store, tmp_path, zipped, layout):
    files = {layout.format("Bob Müller", 1001): GOOD, layout.format("Maria Elena Rossi", 12): b"\xff\n"}
    (tmp_path / "m.zip").write_bytes(
        zipped(files | {"Bob Müller_1001_assignsubmission_onlinetext_/onlinetext.html": b""})
    )
    source, lines = await bring(tmp_path / "m.zip")
    assert (source, outcomes(lines)) == ("moodle", [("1002", "taken"), ("1003", "refused")])
    assert "line 1: the text is not utf-8" in "".join(line.why for line in lines)


def git(folder, *words, **env):
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@x", *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env={**os.environ, **env})


async def test_github_takes_the_date_of_the_last_commit_and_runs_nothing(bring, store, tmp_path):
    lay(tmp_path, {"hw-1-bobm/bot.py": GOOD, "hw-1-rossi/bot.py": OTHER, "hw-1-rossi/README.md": b"x"})
    repository = tmp_path / "hw-1-bobm"
    git(repository, "init", "-q")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "x", GIT_COMMITTER_DATE="2026-01-15T12:00:00+0100")
    touched = tmp_path.parent / "touched"
    config = (
        f'[core]\n\tpager = "touch {touched}"\n\tfsmonitor = "touch {touched}"\n[gpg]\n\tprogram = "touch {touched}"\n'
    )
    with (repository / ".git" / "config").open("a") as file:
        file.write(config)
    source, lines = await bring(tmp_path)
    assert (source, outcomes(lines)) == ("github", [("1002", "taken"), ("1003", "taken")])
    rows = {row.student: row for row in await store.submissions("ai")}
    assert (rows["1002"].at, rows["1002"].clock) == (datetime(2026, 1, 15, 11, tzinfo=UTC), "git commit")
    assert (rows["1003"].clock, rows["1003"].note) == ("file date", "left out: README.md")
    assert not touched.exists()
    git(repository, "gc", "-q")
    _, again = await bring(tmp_path)
    assert {line.outcome for line in again} == {"again"}


async def test_archives_and_folders_that_are_named_after_students(bring, store, tmp_path, zipped):
    zips = lay(tmp_path / "z", {"1001.zip": zipped({"bot.py": GOOD}), "rossi@x.edu.zip": b"PK\x03\x04no", "x.zip": b""})
    source, lines = await bring(zips)
    assert source == "zips"
    assert outcomes(lines) == [("", "not on the roster"), ("1001", "taken"), ("1003", "refused")]
    folders = lay(tmp_path / "f", {"Bob_Müller/bot.py": GOOD, "alee2/bot.py": GOOD, "ann lee/bot.py": GOOD})
    (folders / "alee2" / "extra.txt").symlink_to("/etc/passwd")
    source, lines = await bring(folders)
    assert source == "folders"
    assert outcomes(lines) == [("", "not on the roster"), ("1002", "taken"), ("1004", "refused")]
    assert any("is a link" in line.why for line in lines)


@pytest.mark.parametrize("form", ["folder", "zip"])
async def test_a_virtual_environment_in_an_export_is_known_by_its_file_and_left_out(bring, store, tmp_path, form):
    """One of a student, and one of the staff beside the folders: under any name, also with a name of the roster."""
    own = {"1001/bot.py": GOOD, "1001/my-python/pyvenv.cfg": b"home = /usr/bin", "1001/my-python/lib/bot.py": OTHER}
    beside = {"1003/pyvenv.cfg": b"home = /usr/bin", "1003/bot.py": OTHER}
    path = lay(tmp_path / "f", {**own, **beside})
    if form == "zip":
        with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
            for name in (*own, *beside):
                archive.write(path / name, name)
        path = tmp_path / "export.zip"
    assert open_tree(path).names == ("1001/bot.py",)
    _, lines = await bring(path, "folders")
    assert outcomes(lines) == [("1001", "taken")]


async def test_a_bomb_in_an_export_refuses_one_student_only(bring, tmp_path, zipped):
    bomb = tmp_path / "export.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("1001/bot.py", bytes(30_000_000))
        archive.writestr("1002/bot.py", GOOD)
    _, lines = await bring(bomb)
    assert outcomes(lines) == [("1001", "refused"), ("1002", "taken")]


async def test_a_team_is_imported_once(bring, store, tmp_path):
    await store.set_roster(
        "ai", [RosterEntry("1001", "Ann", "a@x", "owls"), RosterEntry("1002", "Bob", "bobm@x.edu", "owls")]
    )
    text = (
        METADATA.split("submission_3", maxsplit=1)[0]
        .replace("'1001'", "'1002'")
        .replace("Rossi, Maria Elena", "Ann")
        .replace('"1003"', "'1001'")
    )
    lay(tmp_path, {"submission_metadata.yml": text.encode(), "submission_1/bot.py": GOOD, "submission_2/bot.py": OTHER})
    _, lines = await bring(tmp_path)
    assert len(lines) == 2


def test_what_is_no_export_is_said(tmp_path, assignment):
    with pytest.raises(BadOption, match="no file or folder"):
        open_tree(tmp_path / "x")
    with pytest.raises(BadOption, match="laid out as an export"):
        source_of(open_tree(tmp_path), assignment)
    (tmp_path / "x.zip").write_bytes(b"no zip")
    with pytest.raises(BadOption, match="no whole zip"):
        open_tree(tmp_path / "x.zip")


def row(id_, name, email):
    return StudentRow(0, "ai", id_, name, email, "", "p", None, False, False)


def test_an_id_that_is_another_students_name_is_not_guessed():
    index = RosterIndex([row("1", "Ann Lee", "lee@x"), row("lee", "Bob", "bob@x"), row("3", "José Ñu", "")])
    with pytest.raises(NoMatch, match="could be any of 1, lee"):
        index.find(Person("lee", name="Ann Lee"))
    assert index.find(Person(name="NU, Jose")) == "3"
    assert index.find(Person(email="LEE@X")) == "1"
    with pytest.raises(NoMatch, match="nobody on the roster is 'zoe'"):
        index.find(Person(login="zoe"))
