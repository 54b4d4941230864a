"""Lines from the pieces that a pipe delivers."""

from palio_rules.contract.codec import MAX_BYTES


class Lines:
    """A splitter of a pipe's data into lines; None stands for a line that is longer than a message may be."""

    def __init__(self) -> None:
        self._rest = b""
        self._too_long = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """Return the lines that `data` completes."""
        if not self._rest and not self._too_long and data.find(b"\n") == len(data) - 1 <= MAX_BYTES:
            return [data[:-1]]  # the usual case: exactly one line
        *lines, rest = (self._rest + data).split(b"\n")
        found: list[bytes | None] = []
        for line in lines:
            found.append(None if self._too_long or len(line) > MAX_BYTES else line)
            self._too_long = False
        if len(rest) > MAX_BYTES:
            rest, self._too_long = b"", True
        self._rest = rest
        return found

    def end(self) -> list[bytes | None]:
        """Return the last line, if no line break has ended it."""
        rest, self._rest = self._rest, b""
        too_long, self._too_long = self._too_long, False
        return [None] if too_long else [rest] if rest else []
