"""Formats are found by name and made of settings; what is misspelt or out of place is refused with the remedy."""

import pytest

from palio_rules.errors import BadOption
from palio_server.tournament.format import format_from_spec, format_of, formats

SHIPPED = ("gauntlet", "groups", "knockout", "round_robin", "sprt", "swiss")


def test_what_ships_is_found():
    assert set(SHIPPED) <= set(formats())
    assert all(format_of(name).name == name for name in SHIPPED)
    assert format_of("round-robin").name == "round_robin"


def test_settings_may_be_text():
    made = format_from_spec("knockout:best_of=3,third-place=false")
    assert (made.rules.best_of, made.rules.third_place) == (3, False)
    assert format_of("swiss", {"tie_breaks": "buchholz+wins"}).rules.tie_breaks == ("buchholz", "wins")


@pytest.mark.parametrize("name", SHIPPED)
def test_its_settings_make_the_same_format_again(name):
    made = format_of(name, {} if name in ("knockout", "sprt") else {"rounds": "3"})
    assert format_of(name, made.settings).rules == made.rules


@pytest.mark.parametrize(
    ("name", "settings", "says"),
    [
        ("swis", {}, "unknown format 'swis'; did you mean 'swiss'?"),
        ("swiss", {"rouns": 3}, "swiss has no setting 'rouns'; did you mean 'rounds'?"),
        ("swiss", {"scoring": "game"}, "swiss: scoring 'game' is unknown; did you mean 'games'?"),
        ("swiss", {"rounds": "many"}, "swiss: rounds 'many' cannot be: expected `int | null`, got `str`"),
        ("sprt", {"model": "normal"}, "sprt: model 'normal' is unknown; did you mean 'normalized'?"),
        *((name, {"tie_breaks": "bucholz"}, "did you mean 'buchholz'?") for name in SHIPPED),
    ],
)
def test_what_cannot_be_is_refused(name, settings, says):
    with pytest.raises(BadOption) as refused:
        format_of(name, settings)
    assert says in str(refused.value)
