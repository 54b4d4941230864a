"""The matches that other servers play, as far as the lobby shows them."""

from collections.abc import Sequence

from palio_server import live


class Elsewhere:
    """What other servers have told, by server."""

    def __init__(self) -> None:
        self._matches: dict[str, dict[str, live.Summary]] = {}
        self._changed: dict[str, live.Summary] = {}

    def playing(self) -> list[live.Summary]:
        """All that are in progress."""
        return [summary for matches in self._matches.values() for summary in matches.values()]

    def take(self, server: str, summaries: Sequence[live.Summary], *, whole: bool) -> None:
        """What a server plays or has just played; if `whole`, it plays nothing else."""
        matches = self._matches.setdefault(server, {})
        if whole:
            matches.clear()
        for summary in summaries:
            self._changed[summary.match] = summary
            if summary.result is None:
                matches[summary.match] = summary
            else:
                matches.pop(summary.match, None)

    def forget(self, server: str) -> None:
        """The server is gone; who takes its matches up will tell of them."""
        self._matches.pop(server, None)

    def take_changes(self) -> list[live.Summary]:
        """What has changed since the last call."""
        found, self._changed = list(self._changed.values()), {}
        return found
