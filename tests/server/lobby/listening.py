"""Matches as the lobby's tests have them: they write down what they hear of their bots, or do not listen."""

from palio_server.lobby.session import Expulsion

Heard = list[tuple[str, str, bool]]


class Listening:
    """One match, writing into `heard` who is there, and into `expelled` who was disconnected."""

    def __init__(self, match: str, heard: Heard, expelled: list[tuple[str, str, Expulsion]] | None = None) -> None:
        self._match, self._heard = match, heard
        self._expelled = [] if expelled is None else expelled

    def present(self, name: str, present: bool) -> None:
        self._heard.append((self._match, name, present))

    def expelled(self, name: str, why: Expulsion) -> None:
        self._expelled.append((self._match, name, why))


def deaf() -> Listening:
    """A match to which it does not matter."""
    return Listening("", [])
