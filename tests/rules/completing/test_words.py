"""Words of a known list: alone, with commas between, as names of settings."""

import pytest

from palio_rules.completing import completed_by, one_of, settings, settings_of, some_of, starting

WORDS = ("csv", "json", "jsonl")


@pytest.mark.parametrize(("typed", "words"), [("", ["csv", "json", "jsonl"]), ("js", ["json", "jsonl"]), ("x", [])])
def test_one_of_them(typed, words):
    assert one_of(lambda: WORDS)(None, None, typed) == words


@pytest.mark.parametrize(
    ("typed", "words"),
    [("c", ["csv"]), ("csv,", ["csv,json", "csv,jsonl"]), ("json,csv,j", ["json,csv,jsonl"]), ("x,c", ["x,csv"])],
)
def test_several_each_once(typed, words):
    assert some_of(lambda: WORDS)(None, None, typed) == words


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", ["elo0=", "elo1="]),
        ("elo0=0 ", ["elo0=0 elo1="]),
        ("elo0=0,e", ["elo0=0,elo1="]),
        ("elo0=", []),  # of its value nothing is known
    ],
)
def test_settings_with_blanks_or_commas(typed, words):
    assert settings_of(lambda: ("elo0", "elo1"))(None, None, typed) == words


def test_settings_stand_behind_a_name():
    assert settings(["rows", "cols"], "rows=8,c", "breakthrough:") == ["breakthrough:rows=8,cols="]


def test_what_stands_before_a_word_stays():
    assert starting(["csv"], "c", "a,") == ["a,csv"]


def test_a_list_is_asked_for_when_somebody_completes():
    asked = []
    complete = one_of(lambda: asked.append(1) or WORDS)
    assert asked == []
    assert complete(None, None, "c") == ["csv"]
    assert asked == [1]


def test_a_scheme_is_marked_with_its_completions():
    @completed_by(lambda typed: [f"{typed}!"])
    def scheme(spec):
        return spec

    assert scheme("a") == "a"
    assert scheme.completions("a") == ["a!"]
