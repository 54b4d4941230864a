"""Settings are text on a command line, and typed keyword arguments of a bot's constructor."""

import pytest

from palio_clients.sdk.bot import Bot, maker
from palio_clients.sdk.failures import BadBot


class Typed(Bot):
    def __init__(self, *, depth: int = 1, time: float = 0.5, book: str = "", fast: bool = False, size: int | None = 3):
        self.values = (depth, time, book, fast, size)

    def choose(self, state, clock):
        return None


def test_settings_are_typed_by_the_annotations():
    settings = {"depth": "7", "time": "1.5", "book": "5", "fast": "true", "size": "null"}
    assert maker(Typed, settings)().values == (7, 1.5, "5", True, None)


def test_only_a_refusal_of_settings_is_heard_before_the_match():
    class Fussy(Typed):
        def __init__(self, depth: int = 1):
            raise (ValueError("as you like it") if depth < 0 else OSError("there is no board here yet"))

    with pytest.raises(BadBot, match="Fussy refuses its settings: as you like it"):
        maker(Fussy, {"depth": "-1"})
    for settings in ({"depth": "1"}, {}):
        with pytest.raises(OSError, match="no board here yet"):
            maker(Fussy, settings)()
