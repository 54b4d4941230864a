"""When a tournament starts."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.api.event_requests import SECONDS, start_time

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("+90s", NOW + timedelta(seconds=90)),
        ("+10m", NOW + timedelta(minutes=10)),
        ("+2h", NOW + timedelta(hours=2)),
        ("+1d", NOW + timedelta(days=1)),
        ("2026-12-24T18:00:00Z", datetime(2026, 12, 24, 18, tzinfo=UTC)),
        ("2026-12-24T18:00+01:00", datetime(2026, 12, 24, 17, tzinfo=UTC)),
    ],
)
def test_a_moment_or_a_time_from_now(text, moment):
    assert start_time(text, NOW) == moment
    assert start_time(text, NOW).tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("soon", "'soon' is no time to start; write 2026"),
        ("10m", "is no time to start"),
        ("2026-12-24T18:00", "has no time zone; write 2026-12-24T18:00Z"),
        ("2026-11-22T11:58:59Z", "is past; give a moment to come"),
        ("1999-01-01T00:00Z", "is past"),
        ("+999999d", "more than a year away"),
        ("2031-01-01T00:00Z", "more than a year away"),
    ],
)
def test_anything_else_is_refused_with_the_remedy(text, sentence):
    with pytest.raises(BadOption) as refused:
        start_time(text, NOW)
    assert sentence in str(refused.value)


@given(st.text(max_size=30))
def test_no_text_is_more_than_refused(text):
    try:
        assert start_time(text, NOW) <= NOW + timedelta(days=366)
    except BadOption:
        assert text not in {f"+1{unit}" for unit in SECONDS}
