"""The names that could play one game now, longest idle first: kept up to date, so that to ask is cheap."""

Since = tuple[int, int]  # when it was busy last, then when it came; nobody shares it


class IdleList:
    """Names, ordered by `Since`.

    Nearly always whoever gets free has been idle for the shortest time, and goes to the end; only then is nothing
    sorted. Else the list is put in order when it is asked for next.
    """

    def __init__(self) -> None:
        self._since: dict[str, Since] = {}
        self._latest: Since = (-1, -1)  # no entry is later
        self._sorted = True

    def __len__(self) -> int:
        return len(self._since)

    def __contains__(self, name: str) -> bool:
        return name in self._since

    def put(self, name: str, since: Since | None) -> None:
        """Enter the name, or move it to its new place; None: strike it off."""
        if since is None:
            self._since.pop(name, None)
        elif self._since.get(name) != since:
            self._since.pop(name, None)
            self._since[name] = since
            if since < self._latest:
                self._sorted = False
            else:
                self._latest = since

    def names(self) -> list[str]:
        """All of them, in order."""
        if not self._sorted:
            self._since = dict(sorted(self._since.items(), key=lambda item: item[1]))
            self._sorted = True
        return list(self._since)
