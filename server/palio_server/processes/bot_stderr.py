"""A bot's stderr: its last lines, for sentences about it, and its remarks."""

from collections import deque
from collections.abc import Callable

from palio_rules.contract import names
from palio_server.processes.bot_output import BotOutput, Stream

TAIL_BYTES, TAIL_LINES = 4000, 12  # of a dead bot's stderr that are kept, and shown
REMARKS_AT_ONCE = 100  # of one chunk that are handled
REMARK, ENGINE_LINE = names.PREFIX.encode(), names.ENGINE_LINE.encode()


class BotStderr:
    """The stderr of one process of a bot. `remarked` is called with each remark in it."""

    def __init__(
        self,
        remarked: Callable[[str], None],
        explained: Callable[[str], list[str]] = lambda _: [],
        output: BotOutput | None = None,
        traffic: Callable[[str], None] | None = None,
    ) -> None:
        """`explained` returns lines about part of it that is caused by a sandbox. All of it goes to `output`, except
        lines between the bot and its engine, which go to `traffic`.
        """
        self._remarked, self._explained, self._traffic = remarked, explained, traffic
        self._stream = None if output is None else Stream(output)
        self._tail = self._line = b""
        self._new: deque[bytes] = deque(maxlen=TAIL_LINES)

    def feed(self, chunk: bytes) -> None:
        if self._traffic is None:
            self._keep(chunk)
        *lines, last = last_lines(self._line + chunk)
        self._line = last[:TAIL_BYTES]
        names = 0
        for line in lines:
            if self._traffic is not None:
                if line.startswith(ENGINE_LINE):
                    self._traffic(line.removeprefix(ENGINE_LINE).decode(errors="replace").rstrip())
                    continue
                self._keep(line + b"\n")
            if not line.startswith(REMARK):
                self._new.append(line[:TAIL_BYTES])
            elif (names := names + 1) <= REMARKS_AT_ONCE:
                self._remarked(line.removeprefix(REMARK)[:TAIL_BYTES].decode(errors="replace").strip())

    def _keep(self, chunk: bytes) -> None:
        """Keep it for people."""
        self._tail = (self._tail + chunk)[-TAIL_BYTES:]
        if self._stream is not None:
            self._stream.feed(chunk)

    def end(self) -> None:
        """Take what is left as a line."""
        if self._stream is not None:
            self._stream.end()

    def new_lines(self) -> list[str]:
        """Return the last whole lines since the last call, without remarks; then their explanations."""
        lines = [line.decode(errors="replace") for line in self._new]
        self._new.clear()
        return [*lines, *self._explained("\n".join(lines))]

    def last_lines(self) -> str:
        lines = [line for line in self._tail.decode(errors="replace").splitlines() if line.strip()][-TAIL_LINES:]
        if not lines:
            return "it said nothing on stderr"
        explained = self._explained("\n".join(lines))
        return "\n".join(("its last lines on stderr:", *(f"  {line}" for line in (*lines, *explained))))


def last_lines(text: bytes) -> list[bytes]:
    """Split into lines, the last of which is not complete; without remarks, only as many as are kept."""
    if REMARK in text or ENGINE_LINE in text:
        return text.split(b"\n")
    lines = text.rsplit(b"\n", TAIL_LINES + 1)
    return lines[1:] if len(lines) == TAIL_LINES + 2 else lines
