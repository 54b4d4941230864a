"""Moments and spans as people write them."""

from datetime import UTC, datetime, timedelta

import pytest

from palio_rules.errors import BadOption
from palio_server.cli.printing import LONGEST_S, end, overlap, since

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("never", None),
        ("30d", NOW + 720 * HOUR),
        ("24h", NOW + 24 * HOUR),
        ("90s", NOW + HOUR / 40),
        ("4w", NOW + 672 * HOUR),
        ("2026-12-31", datetime(2027, 1, 1, tzinfo=UTC)),
        ("2026-11-20", datetime(2026, 11, 21, tzinfo=UTC)),
        ("2026-12-31T18:00:00+01:00", datetime(2026, 12, 31, 17, tzinfo=UTC)),
        ("999999999w", NOW + timedelta(seconds=LONGEST_S)),
    ],
)
def test_a_token_ends_after_a_span_with_a_day_at_a_moment_or_never(text, moment):
    assert end(text, NOW) == moment


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("soon", "'soon' is no moment; write 30d, 24h, 2026-12-31, or never"),
        ("", "'' is no moment"),
        ("-3d", "'-3d' is no moment"),
        ("2026-02-30", "is no moment"),
        ("2026-11-19", "'2026-11-19' is over; name a later moment"),
        ("0h", "'0h' is over"),
        ("9999-12-31", "no moment of our time"),
        ("0001-01-01", "no moment of our time"),
        ("\u0663d", "is no moment"),
    ],
)
def test_what_is_no_later_moment_is_refused(text, sentence):
    with pytest.raises(BadOption, match=sentence):
        end(text, NOW)


def test_an_overlap_is_a_span_or_nothing():
    assert (overlap("24h"), overlap("0")) == (24 * HOUR, timedelta(0))
    with pytest.raises(BadOption, match="'2026-12-31' is no span of time; write 24h"):
        overlap("2026-12-31")


def test_since_looks_back():
    assert (since("24h", NOW), since("2026-11-01", NOW)) == (NOW - 24 * HOUR, datetime(2026, 11, 1, tzinfo=UTC))
    with pytest.raises(BadOption, match="'lately' is no moment"):
        since("lately", NOW)
