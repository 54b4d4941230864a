"""One thing has one word, and the glossary has it: the private words of earlier versions do not come back."""

import re
from pathlib import Path

import pytest

from palio_server.tournament.tie_breaks.standings import TIE_BREAKS

ROOT = Path(__file__).parents[1]
ROOMS = ("rules", "clients", "server", "db", "tests", "benchmarks", "examples", "docs", "broker", "tools")
OURS = {".py", ".md", ".js", ".mjs", ".ts", ".css", ".html", ".sh", ".toml", ".yml", ".conf", ".acl", ".cpp"}
NAMED = ("Makefile", "Dockerfile", ".ci/run", ".env.example")
OTHERS = {"vendor", "node_modules"}  # folders of files that others have written
ALLOWED = {"tests/test_words.py": "names the words"}
PRIVATE = ("desk", "bout", "bell", "office", "blame", "burial", "arbiter")
ANY = "|".join(PRIVATE)
CAPITAL = "|".join(word.capitalize() for word in PRIVATE)
# a word, or a part of snake_case, kebab-case or camelCase; singular or plural
PATTERN = re.compile(
    rf"(?<![A-Za-z])(?:{ANY}|{CAPITAL}|{ANY.upper()})(?:s?(?![a-z])|s?(?=[A-Z]))|(?<=[a-z])(?:{CAPITAL})s?(?![a-z])"
)
OF_TOURNAMENTS = (
    *("absence", "anchor", "announced", "bracket", "Buchholz", "bye", "direct encounter", "Dutch system", "encounter"),
    *("forfeit", "gauntlet", "grace", "group", "heat", "knockout", "Koya system", "likelihood of superiority", "LLR"),
    *("opening book", "pentanomial", "performance rating", "progressive score", "seed", "Sonneborn-Berger", "SPRT"),
    *("Swiss system", "tie-break", "walkover"),
)
PLAIN = {"points", "wins", "games_won", "games_with_black", "wins_with_black", "rating"}  # they say what they are
ROW = re.compile(r"^\| (\*\*.+?) \| (.+) \|$", re.MULTILINE)


def files():
    rooms = [path for room in ROOMS for path in (ROOT / room).rglob("*") if not OTHERS.intersection(path.parts)]
    found = sorted(path for path in [*ROOT.glob("*"), *rooms] if path.suffix in OURS and path.is_file())
    return [*found, *(ROOT / name for name in NAMED)]


@pytest.mark.parametrize("text", ["a desk", "Bouts", "bell_rings", "the_bell", "DeskBot", "inOffice", "data-blame"])
def test_a_private_word_is_found_alone_and_in_an_identifier(text):
    assert PATTERN.search(text)


@pytest.mark.parametrize("text", ["about", "aria-labelledby", "desktop", "officer", "belle", "ABOUT"])
def test_a_part_of_a_longer_word_is_none(text):
    assert not PATTERN.search(text)


def test_no_file_of_ours_has_a_private_word():
    found = []
    for path in files():
        name = path.relative_to(ROOT).as_posix()
        if name not in ALLOWED:
            lines = enumerate([name, *path.read_text().splitlines()])  # its path counts as line 0
            found += [f"{name}:{number}: {hit[0]}" for number, line in lines for hit in PATTERN.finditer(line)]
    assert found == [], "docs/reference/glossary.md has the words to use"


def test_what_is_allowed_is_needed():
    assert [name for name in ALLOWED if not PATTERN.search((ROOT / name).read_text())] == []


def test_the_glossary_has_each_term_once_with_one_line():
    text = (ROOT / "docs" / "reference" / "glossary.md").read_text()
    rows = ROW.findall(text)
    lines = [line for line in text.splitlines() if line.startswith("| ") and line != "| word | meaning |"]
    assert len(rows) == len(lines), "each row is | **term** | meaning |"
    terms = [term for row in rows for cell in row for term in re.findall(r"\*\*(.+?)\*\*", cell)]
    assert len(terms) > 80
    assert sorted(terms) == sorted(set(terms))
    assert [term for term in OF_TOURNAMENTS if term not in terms] == [], "terms of the field that have no line"


def test_the_tie_breaks_of_the_glossary_are_those_that_there_are():
    text = (ROOT / "docs" / "reference" / "glossary.md").read_text()
    families = {name.split("_cut_")[0].split("_median")[0] for name in TIE_BREAKS} - PLAIN
    told = {
        term.lower().replace("-", "_").replace(" ", "_") for term in re.findall(r"\*\*(.+?)\*\* \| the tie-break", text)
    }
    assert {term.removesuffix("_score").removesuffix("_system") for term in told} == families
