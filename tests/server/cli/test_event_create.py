"""`palio tournament create`: what a moment on this machine's clock becomes."""

import time

import pytest

from palio_rules.errors import BadOption
from palio_server.cli.tournament import _zoned


@pytest.fixture
def in_rome(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Rome")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_rome")
@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2027-03-28T01:59", "2027-03-28T00:59:00+00:00"),
        ("2027-03-28T03:00", "2027-03-28T01:00:00+00:00"),
        ("2027-10-31T02:30", "2027-10-31T00:30:00+00:00"),  # it comes twice, and the first one is meant
        ("2027-03-28T02:30+01:00", "2027-03-28T01:30:00+00:00"),
        ("+10m", "+10m"),
        (None, None),
    ],
)
def test_a_moment_of_this_machine_gets_its_time_zone(text, moment):
    assert _zoned(text) == moment


@pytest.mark.usefixtures("in_rome")
def test_a_moment_that_the_clock_skips_is_refused():
    with pytest.raises(BadOption, match="'2027-03-28T02:30' does not exist here"):
        _zoned("2027-03-28T02:30")


@pytest.mark.usefixtures("in_rome")
@pytest.mark.parametrize("text", ["0001-01-01T00:00", "9999-12-31T23:59", "9999-12-31T23:59-05:00"])
def test_a_year_that_no_clock_reaches_is_refused(text):
    with pytest.raises(BadOption, match="is no time to start"):
        _zoned(text)
