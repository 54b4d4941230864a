"""Texts that a reader once fell over, each refused with a sentence since."""

from pathlib import Path

import pytest
from readers import TRF, readers

from palio_clients.sdk import loader
from palio_clients.sdk.failures import BadBot
from palio_db.address import Address
from palio_db.errors import StoreError
from palio_rules.errors import BadInstance, BadOption
from palio_rules.instances.files import read_file
from palio_rules.registry import game_from_spec
from palio_server.cli.palio import call
from palio_server.courses.bot_specs import check_named
from palio_server.courses.course_file import read_course
from palio_server.courses.submitted_names import Refused, safe_name
from palio_server.settings import load
from palio_server.tournament.openings import openings_of
from palio_server.tournament.openings.choice import parse_openings

READERS = {reader.name: reader for reader in readers()}
DIGITS = "9" * 5000  # more than Python itself turns into a number
LINE = "250     1.0   1 999    1 9999"  # points for ten million rounds of players, in thirty characters

FOUND = [
    ("trf", TRF.replace("001    1", "001    ²")),
    ("trf", TRF.replace("   1 b 0", "  ² b 0")),
    ("trf", TRF.replace(" 1.0    1", " ².0    1")),
    ("trf", TRF + "\nXXZ ²\n"),
    ("trf", TRF + "\nXXP 1 ²\n"),
    ("trf", "\n".join([TRF, *[LINE] * 2000])),
    ("trf", TRF.replace("XXC black1", "XXC " + "b" * 5000)),
    ("results.json", "[" * 100_000),
    ("results.json", '{"a":1}\n' + "[" * 100_000),
    ("record-json", "[" * 100_000),
    ("record-text", '[Match "m1"]\n[Started "yesterday"]\n\n0-1'),
    ("bot-spec", "a" * 300),
    ("bot-spec", "a" * 300 + ".py"),
    ("bot-spec", "alpha_beta:depth=\ud800"),
    ("bot-spec", "a\0.py"),
    ("bot-spec", "./a\ud800.py"),
    ("bot-spec", "policy:./a\0.py"),
    ("bots", "./a\0.py"),
    ("course-folder", "a\0"),
    ("course-folder", "a" * 300),
    ("database", "sqlite:///a\0"),
    ("database", "sqlite:///" + "a" * 300),
    ("database", "sqlite:///\ud800"),
    ("database", f"sqlite:///{'a' * 300}/palio.db"),
    ("engine-words", f"breakthrough random greedy -games {DIGITS}"),
    ("openings", f"book,plies={DIGITS}"),
    ("environment", "PORT=\ud800"),
    ("options-breakthrough", "rows=\ud800"),
    ("options-tsp", "cities=" + "[" * 100_000),
]


@pytest.mark.parametrize(("name", "text"), FOUND, ids=[f"{name}-{number}" for number, (name, _) in enumerate(FOUND)])
def test_a_text_that_was_once_too_much_is_refused(name, text):
    reader = READERS[name]
    with pytest.raises(reader.errors, match=r"\w") as caught:
        reader.read(text)
    assert len(str(caught.value)) < 2000 or not reader.big


DOORS = {  # of paths and names that come from outside, with the error of each
    "bot": (lambda name: loader.load(f"./{name}.py"), BadBot),
    "policy": (lambda name: loader.load(f"policy:./{name}.py"), BadBot),
    "entrant": (lambda name: check_named(f"./{name}.py", Path.cwd()), BadOption),
    "game": (lambda name: game_from_spec(f"./{name}.py:X"), BadOption),
    "instance": (lambda name: read_file(Path(f"{name}.tsp")), BadInstance),
    "openings": (lambda name: openings_of(parse_openings(f"file={name}.pgn"), "breakthrough", {}, 1), BadOption),
    "course": (lambda name: read_course(Path(name)), BadOption),
    "database": (lambda name: Address.parse(f"sqlite:///{name}.db"), StoreError),
    "documentation": (lambda name: load({}, docs=name), BadOption),
    "upload": (safe_name, Refused),
}


NAMES = {"NUL": "a\0b", "half a character": "a\ud800b", "not UTF-8": "a\udcffb", "long": "a" * 5000}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("door", DOORS)
def test_a_path_that_no_file_can_have_is_refused_with_a_sentence(door, name):
    read, error = DOORS[door]
    with pytest.raises(error, match=r"\w \w"):
        read(NAMES[name])


@pytest.mark.parametrize("word", ["a\0b", "a\udcffb"])
def test_a_word_of_a_command_line_that_is_no_text_is_refused(word, capsys):
    assert call(["course", "check", word]) == 2
    assert f"the word {word!r} " in capsys.readouterr().err


LONG = "a" * 300


@pytest.mark.parametrize("text", [f"{LONG}.py", f"{LONG}.b", f"exec:cat {LONG}", f"handout:tsp:{LONG}"])
def test_a_file_whose_name_is_too_long_is_none(text):
    assert not any("aaa" in str(file) for file in READERS["spec-files"].read(text).files)


@pytest.mark.slow
def test_a_record_of_many_words_is_read_in_a_moment():
    reader = READERS["record-text"]
    with pytest.raises(reader.errors):  # each word once took as long as all before it
        reader.read(reader.corpus[0].replace("\n\n", "\n\n" + "1 " * 300_000, 1))
