"""An engine as our child process: lines in, lines out. What it writes on stderr is copied to ours.

Of what it prints only the lines that matter are kept, and of `info` lines the newest. While none is awaited few are
read: the rest waits in its pipe, so that an engine that prints without end costs nothing.
"""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from palio_clients.engines.lines import BestMove, Infos, Said, Told, read_line
from palio_clients.sdk.failures import PlayerFailed, ProgramDied
from palio_clients.sdk.program import REST_S, TalkingProcess, print_lines, start_talking
from palio_clients.sdk.stdio import TERM_S, end_program, how_it_ended

BACKLOG = 256  # lines that were not awaited, before the engine has to wait
MOST_LINES = 1_000_000  # between two answers that were waited for; an engine that prints more has no end
AT_ONCE = 256  # lines; an engine that prints more of them at once has to wait a moment
LAST_SAID = 3  # lines on stdout that a sentence about a fault quotes
QUOTED = 120  # characters of each
INFO = b"info "
SEARCH = re.compile(r"go\b|[0-9]+ (?:kgs-)?genmove")  # what is asked for a move

Overheard = Callable[[str, str], None]  # takes ">" or "<", and a line that was sent or said
Answered = Callable[[BestMove | PlayerFailed], None]  # takes the end of a search


class EngineProcess(TalkingProcess):
    """One process. `start_engine` makes it."""

    def __init__(self, called: str, tell: Callable[[str], None] = print_lines) -> None:
        super().__init__(called, tell)
        self.asked = ""  # the last line that wants an answer, for sentences
        self.overheard: Overheard | None = None  # called with each line in both directions
        self.reads: Callable[[str], Said | None] = read_line  # replaced for a language of another grammar
        self.infos = Infos()  # since `forget`
        self.heard_at = 0.0  # the loop's time of the last line that matters
        self._time = asyncio.get_running_loop().time
        self._said: deque[Said] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._answered: Answered | None = None
        self._failing: asyncio.Task[None] | None = None
        self._unread = 0  # lines since the last one was awaited, noise included
        self._lines = 0  # lines since `ask`
        self._tail: deque[bytes] = deque(maxlen=LAST_SAID)

    def send(self, *lines: str) -> None:
        """Write lines at once; nothing happens if the engine has stopped listening, which `said` tells."""
        if self.overheard is not None:
            for line in lines:
                self.overheard(">", line)
        if not self.stdin_closed:
            self._stdin.write(("\n".join(lines) + "\n").encode())

    def ask(self, *lines: str) -> None:
        """Write lines, the last of which wants an answer."""
        self.asked, self._lines = lines[-1], 0
        self.send(*lines)

    async def said(self) -> Said:
        """Return the next line that matters and is no `info`.

        Raises ProgramDied or PlayerFailed when there is none to come.
        """
        while not self._said:
            self._read_on()
            if self.stdout_closed:
                raise await self._why()
            if self._lines > MOST_LINES:
                raise self._endless()
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        return self._said.popleft()

    def await_best(self, answered: Answered | None) -> None:
        """Call `answered` with the `bestmove` that comes next, or with the reason why none comes; None ends this.

        It is called as soon as the line is read, and at once if it has been read before.
        """
        self._answered = answered
        if answered is None:
            return
        self._read_on()
        self.heard_at = self._time()
        self._look_for_best()
        if self._answered is not None and (self.stdout_closed or self._lines > MOST_LINES):
            self._fail()

    def forget(self) -> None:
        """Drop the lines that came while none was awaited."""
        self._said.clear()
        self.infos = Infos()

    @property
    def words(self) -> str:
        """Return the last lines on stdout and on stderr, for a sentence."""
        said = " / ".join(repr(line.decode(errors="replace").strip()[:QUOTED]) for line in self._tail)
        errors = " / ".join(line[:QUOTED] for line in list(self.last_lines)[-LAST_SAID:])
        return (f"it said last {said}" if said else "it said nothing") + (f"; on stderr {errors}" if errors else "")

    async def end_program(self) -> None:
        """Ask it to quit; on return it has ended."""
        self.send("quit")
        await end_program(self)

    def hang_up(self) -> None:
        self.stdin_closed = True
        self._stdin.close()
        if self._paused:
            self._pause(False)  # it may wait for us to read

    async def _why(self) -> PlayerFailed:
        try:
            async with asyncio.timeout(TERM_S):
                status = await self.wait_for_output()
        except TimeoutError:
            return PlayerFailed(f"{self.called} closed its stdout but runs on; it must keep stdout open to play")
        if SEARCH.match(self.asked):
            how = f"{self.called} {how_it_ended(status)} in mid-match; {self._stdout_words()}"
        else:
            how = f"{self.called} {how_it_ended(status)} before it answered {self._question()}; {self._stdout_words()}"
        return ProgramDied(how, tuple(self.last_lines))

    def _endless(self) -> PlayerFailed:
        return PlayerFailed(f"{self.called} printed {self._lines} lines after {self._question()}; {self.words}")

    def _question(self) -> str:
        return f"`{self.asked[:QUOTED]}`"

    def _stdout_words(self) -> str:
        said = " / ".join(repr(line.decode(errors="replace").strip()[:QUOTED]) for line in self._tail)
        return f"it said last {said}" if said else "it said nothing on stdout"

    # --- inside -------------------------------------------------------------------------------------------------------

    def _read_on(self) -> None:
        if self._paused:
            self._pause(False)
        self._unread = 0

    def _take(self, lines: Sequence[bytes | None]) -> None:
        if self.overheard is not None:
            for line in lines:
                self.overheard("<", "(a very long line)" if line is None else line.decode(errors="replace"))
        for line in lines:
            if line is not None and self._keep(line):
                self.heard_at = self._time()
        self._tail.extend(line for line in lines[-LAST_SAID:] if line and not line.isspace())
        self._unread += len(lines)
        self._lines += len(lines)
        if self._answered is not None:
            self._look_for_best()
            if self._answered is not None and self._lines > MOST_LINES:
                self._fail()
        if self._said or self._lines > MOST_LINES:
            self._wake()
        if not self._paused:
            self._pace(len(lines))

    def _pace(self, new: int) -> None:
        """Let the engine wait if it prints what is not awaited, or very much at once."""
        if self._unread > BACKLOG and not self._is_awaited and not self.stdin_closed:
            self._pause(True)
        elif new > AT_ONCE:
            self._pause(True)
            asyncio.get_running_loop().call_later(REST_S, self._rested)

    def _rested(self) -> None:
        if self._paused and (self._is_awaited or self.stdin_closed or self._unread <= BACKLOG):
            self._pause(False)

    def _keep(self, line: bytes) -> bool:
        """Keep a line that matters; return whether it does."""
        if line.startswith(INFO) and self.reads is read_line:
            self.infos.add(line)
            return True
        said = self.reads(line.decode(errors="replace"))
        if isinstance(said, Told):
            self.infos.add(line.strip())
        elif said is not None:
            self._said.append(said)
        return said is not None

    @property
    def _is_awaited(self) -> bool:
        return self._answered is not None or (self._waiter is not None and not self._waiter.done())

    def _look_for_best(self) -> None:
        while self._said and (answered := self._answered) is not None:
            if isinstance(said := self._said.popleft(), BestMove):
                self._answered = None
                answered(said)

    def _fail(self) -> None:
        """Tell why no `bestmove` comes, once that is known."""

        async def tell() -> None:
            failure = await self._why() if self.stdout_closed else self._endless()
            if (answered := self._answered) is not None:
                self._answered = None
                answered(failure)

        if self._failing is None or self._failing.done():
            self._failing = asyncio.create_task(tell())

    def _output_ended(self) -> None:
        if self._answered is not None:
            self._fail()
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


Start = Callable[[Sequence[str], str], Awaitable[EngineProcess]]  # as `start_engine`


async def start_engine(argv: Sequence[str], called: str) -> EngineProcess:
    """Start the engine. Raises PlayerFailed."""
    return await start_talking(EngineProcess, argv, called)
