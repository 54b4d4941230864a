"""Every reader of a text gives a value, or an error of its own: one sentence that people can read."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from mutations import giants, mutated
from readers import readers

READERS = list(readers())
LONGEST = 2000  # characters of a sentence: it must not be as long as the text that it is about
GIANT_S = 20.0  # a text of ten megabytes has been read or refused by then, on a busy machine


def read_it(reader, text):
    """Read the text; raise any error that is not the reader's own."""
    try:
        reader.read(text)
    except reader.errors as error:
        said = error
    else:
        return
    assert str(said).strip(), "an error says something"
    most = LONGEST if reader.big else LONGEST + 4 * len(text)  # a word of a command line may be quoted whole
    assert len(str(said)) <= most, str(said)[:300]
    assert type(said).__module__.startswith("palio_")


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_text_that_is_right_is_read(reader):
    for text in reader.corpus:
        if text not in reader.elsewhere:
            reader.read(text)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_text_that_is_nearly_right_is_read_or_refused_with_a_sentence(reader):
    often = settings(max_examples=2 * settings().max_examples, deadline=None, suppress_health_check=list(HealthCheck))

    @often
    @given(mutated(reader.corpus))
    def holds(text):
        read_it(reader, text)

    holds()


@pytest.mark.slow
@pytest.mark.parametrize("reader", [each for each in READERS if each.big], ids=lambda reader: reader.name)
def test_a_text_that_is_far_too_much_is_refused_soon(reader):
    for text in giants(reader.corpus):
        begun = time.monotonic()
        read_it(reader, text)
        assert time.monotonic() - begun < GIANT_S, text[:40]
