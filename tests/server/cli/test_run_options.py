"""Options of `palio run`: what may change on resume, and values made of several words."""

import pytest

from palio_rules.errors import BadOption
from palio_server.cli.run_options import RunOptions, flag, pairs_of


def test_only_what_is_given_counts_as_given():
    assert RunOptions().given() == []
    assert RunOptions(rounds=3, tc="1+0", anchors=("a=1",)).given() == ["rounds", "tc", "anchors"]


@pytest.mark.parametrize(
    "given",
    [
        {"rounds": 9},
        {"concurrency": 2},
        {"table_every": 5},
        {"records": "x"},
        {"exports": ("a.csv",)},
        {"port": 80},
        {"show": ("a",)},
    ],
)
def test_a_tournament_that_goes_on_may_have_these_otherwise(given):
    RunOptions(**given).check_resumable(3)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"tc": "5+0"}, "--tc"),
        ({"format": "swiss"}, "--format"),
        ({"games_per_encounter": 1}, "--games-per-encounter"),
        ({"anchors": ("a=1",)}, "--anchor"),
        ({"by_time": True}, "--by-time"),
        ({"seed": 1}, "--seed"),
        ({"sprt": "elo0=0"}, "--sprt"),
    ],
)
def test_everything_else_is_refused_by_its_name(given, named):
    with pytest.raises(BadOption, match=f"tournament 3 goes on as it began, {named} cannot be changed; leave it out"):
        RunOptions(**given).check_resumable(3)


def test_flags_are_spelled_as_they_are_typed():
    assert [flag(name) for name in ("tie_breaks", "as_json", "exports")] == ["--tie-breaks", "--json", "--export"]


def test_pairs_may_stand_between_blanks_or_commas():
    assert pairs_of("--sprt", "elo0=0 elo1=5, model=logistic") == {"elo0": "0", "elo1": "5", "model": "logistic"}


@pytest.mark.parametrize("text", ["elo0", "=5", "elo0=", "elo0=1 elo0=2"])
def test_what_is_no_pair_is_refused(text):
    with pytest.raises(BadOption, match="--sprt"):
        pairs_of("--sprt", text)
