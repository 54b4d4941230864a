"""Days in addresses."""

from datetime import UTC, datetime

import pytest

from palio_server.api.answers import ApiError
from palio_server.api.bodies import first_moment, moment_after


def test_a_day_is_from_its_first_moment_to_the_next_days():
    assert first_moment("since", "2026-05-01") == datetime(2026, 5, 1, tzinfo=UTC)
    assert moment_after("until", "2026-05-31") == datetime(2026, 6, 1, tzinfo=UTC)
    assert moment_after("until", "2026-05-31T10:00:00") == datetime(2026, 5, 31, 10, tzinfo=UTC)


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "", "31.5.2026", "1" * 19, "20260531", "2026-W22-7"])
def test_what_is_no_day_is_refused_with_the_remedy(day):
    with pytest.raises(ApiError, match="write it as 2026-05-31"):
        first_moment("since", day)
