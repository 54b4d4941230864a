"""The commands of the page on courses, in its order, in a fresh folder, for a small class."""

import csv
import io
import json
import re
import shlex
import zipfile
from pathlib import Path

import pytest
from command import Palio
from serving import ROOT
from test_course_term import SYNTAX, good

PAGE = ROOT / "docs" / "how-to" / "course.md"
START = "2027-02-01"  # of the page; the class is that of a term that is over
WHEN = (2020, 2, 10, 12, 0, 0)
NAMES = ("Ada Lovelace", "Bob Li", "Eve Roe", "Zoe Noe")
WORDS = {START: "2020-02-03", "ID": "1001", "FILE": "similar.html"}


def commands() -> list[tuple[list[str], str]]:
    """Return the words of each line that begins with `palio` in the page's plain blocks, and where its output goes."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    lines = [line for of, block in blocks if not of for line in block.splitlines() if line.startswith("palio ")]
    found = []
    for line in lines:
        command, _, output = re.split(r" {3,}", line)[0].partition(" > ")  # what it is stands behind some blanks
        found.append(([WORDS.get(word, word) for word in shlex.split(command)][1:], output))
    return found


def prepare(folder: Path) -> None:
    """Write the files that the page takes as given: a roster, an export with a broken file, one student's folder."""
    lines = [f"{name},{name[0].lower()}@x.edu,{1000 + n}" for n, name in enumerate(NAMES)]
    (folder / "canvas.csv").write_text("\n".join(["name,email,id", *lines]) + "\n")
    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        for name, text in (("a@x.edu", good(0)), ("b@x.edu", good(1)), ("e@x.edu", SYNTAX)):
            archive.writestr(zipfile.ZipInfo(f"{name}/adversarial_search.py", WHEN), text)
    (folder / "ada").mkdir()
    (folder / "ada" / "adversarial_search.py").write_text(good(0))
    with zipfile.ZipFile(folder / "ada.zip", "w") as archive:
        archive.writestr("adversarial_search.py", good(0))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_commands_of_the_page_do_what_it_says(palio: Palio) -> None:
    prepare(palio.folder)
    said: dict[str, str] = {}
    for words, output in commands():
        if words[0] == "serve":
            palio.start(*words, "--port", "0").line_with("serves on")
            continue
        done = palio(*words, seconds=400)
        said[" ".join(words)] = done.stdout
        if output:
            (palio.folder / output).write_text(done.stdout)
    assert len(said) == len(commands()) - 1 >= 18  # all but `palio serve`
    assert "4 students are new" in said["course roster ai101 canvas.csv"]
    links = list(csv.DictReader(io.StringIO((palio.folder / "links.csv").read_text())))
    assert [row["link"].partition("#")[0] for row in links] == ["https://palio.example/course/ai101"] * 4
    assert "3 taken" in said["course import ai101 dominoes export.zip"]
    lefts = [int(each) for each in re.findall(r"(\d+) left", said["course check-all ai101"])]
    assert lefts == [*range(2, 2 - len(lefts), -1)] != [], "the server may check the last of three"
    grades = (palio.folder / "grades.csv").read_text()
    assert grades.startswith("Student,ID,SIS User ID,SIS Login ID,Section,Dominoes")
    assert json.loads(said["grade ai101/assignments/dominoes ada.zip --json"])["max_points"] == 40
    after = json.loads(palio("course", "grades", "ai101", "dominoes", "--format", "json").stdout)
    assert [(each["student"], each["status"]) for each in after] == [
        *(("1000", "graded"), ("1001", "graded"), ("1002", "broken"), ("1003", "missing"))
    ]
    assert after[1]["points"] == 30  # as the staff has decided
