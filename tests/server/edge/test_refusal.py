"""A limit that is reached says when to come again, in whole seconds."""

import pytest

from palio_server.edge.budgets import TooMuch


@pytest.mark.parametrize(("wait", "retry_s"), [(0.0, 1), (0.2, 1), (1.2, 2)])
def test_the_sentence_says_when_to_try_again(wait: float, retry_s: int) -> None:
    refusal = TooMuch("too-many", "so many are too many", wait)
    assert str(refusal) == f"so many are too many; try again in {retry_s} s"
    assert refusal.retry_ms == 1000 * retry_s
