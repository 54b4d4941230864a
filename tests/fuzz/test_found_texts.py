"""Texts that a reader once fell over, each refused with a sentence since."""

import pytest
from readers import TRF, readers

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


LONG = "a" * 300


@pytest.mark.parametrize("text", [f"{LONG}.py", f"{LONG}.b", f"exec:cat {LONG}", f"handout:tsp:{LONG}"])
def test_a_file_whose_name_is_too_long_is_none(text):
    assert not any("aaa" in str(file) for file in READERS["spec-files"].read(text).files)


@pytest.mark.slow
def test_a_record_of_many_words_is_read_in_a_moment():
    reader = READERS["record-text"]
    with pytest.raises(reader.errors):  # each word once took as long as all before it
        reader.read(reader.corpus[0].replace("\n\n", "\n\n" + "1 " * 300_000, 1))
