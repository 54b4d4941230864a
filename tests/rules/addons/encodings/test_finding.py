"""The encoding of a game is its own, one of another package, or the one by scene and touch; or a sentence."""

from importlib.metadata import EntryPoint

import pytest

from palio_rules.addons.encodings import encoding_of, finding
from palio_rules.addons.encodings.breakthrough import BreakthroughEncoding
from palio_rules.addons.encodings.finding import TouchEncoding
from palio_rules.errors import BadOption
from palio_rules.registry import game_from_spec, games


@pytest.fixture
def installed(monkeypatch):
    def only(value):
        entries = {"dominoes": EntryPoint("dominoes", value, finding.GROUP)} if value else {}
        monkeypatch.setattr(finding, "_entries", lambda: entries)

    return only


def test_every_game_of_ours_has_one_of_its_own():
    for name in games():
        rules, options = game_from_spec(name)
        assert type(encoding_of(rules, options)) is not TouchEncoding


def test_a_game_without_one_is_encoded_by_touch(installed):
    installed("")
    rules, options = game_from_spec("breakthrough")
    assert type(encoding_of(rules, options)) is TouchEncoding


def test_a_game_may_give_its_own(installed, monkeypatch):
    installed("")
    rules, options = game_from_spec("breakthrough")

    def encoding(self, options):
        return BreakthroughEncoding(self, options)

    monkeypatch.setattr(type(rules), "encoding", encoding)
    assert type(encoding_of(rules, options)) is BreakthroughEncoding
    monkeypatch.setattr(type(rules), "encoding", lambda self, options: 3)
    with pytest.raises(BadOption, match=r"encoding\(\) of 'breakthrough' returned 3, which is no palio_rules"):
        encoding_of(rules, options)


def test_that_of_a_package_is_found(installed):
    installed("palio_rules.addons.encodings.breakthrough:BreakthroughEncoding")
    _, options = game_from_spec("breakthrough")
    rules, _ = game_from_spec("dominoes")
    assert type(encoding_of(rules, options)) is BreakthroughEncoding


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("palio_rules.addons.nowhere:Encoding", "encoding of 'dominoes' cannot be imported: ModuleNotFoundError"),
        ("palio_rules.spec:Spec", "encoding of 'dominoes' is no subclass of palio_rules.addons.encodings.Encoding"),
    ],
)
def test_what_is_no_encoding_is_refused_with_the_remedy(installed, value, message):
    installed(value)
    with pytest.raises(BadOption, match=message + r".*mend its entry point"):
        encoding_of(*game_from_spec("dominoes"))
