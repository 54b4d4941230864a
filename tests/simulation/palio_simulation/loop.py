"""An event loop without waiting: its time jumps to the next timer, and processes of it can be frozen.

Every callback belongs to a simulated process, or to the world around them, by its context. What belongs to a frozen
process stays where it is: such a process has been stopped by a signal, or is dead, and then it runs not even the
`finally` blocks that a cancelled task would.
"""

import asyncio
import heapq
from collections import deque
from collections.abc import Callable
from contextvars import Context, ContextVar
from typing import Any, Protocol

EPOCH = 1000.0  # seconds, where the loop's time begins: not at 0, which is too easily taken for "no time"


class Freezable(Protocol):
    """The owner of callbacks, which can be frozen."""

    frozen: bool


OWNER: ContextVar[Freezable | None] = ContextVar("simulated_process", default=None)


class Stuck(Exception):
    """Every task waits, and no timer will ever wake one."""


class OwnedTask(asyncio.Task[Any]):
    """A task that says whose it is, which other tasks do from Python 3.12 on."""

    def __init__(self, coro: Any, *, loop: Any, name: str | None = None, context: Context | None = None) -> None:
        self.owner = OWNER.get() if context is None else context.get(OWNER)
        super().__init__(coro, loop=loop, name=name, context=context)


class SimulatedLoop(asyncio.BaseEventLoop):
    """Runs what is ready in its order; when nothing is, it is the time of the next timer."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = None  # nothing here looks at files
        self._now = EPOCH
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._made = 0  # timers: of two at the same time, the one that was made first
        self._parked: deque[asyncio.Handle] = deque()  # what belongs to frozen processes
        self.tasks: list[OwnedTask] = []  # all that there were; asyncio's own list has those of earlier loops, too
        self.steps = 0  # callbacks that were run

    def time(self) -> float:
        return self._now

    def create_task(self, coro: Any, *, name: str | None = None, context: Context | None = None) -> OwnedTask:
        task = OwnedTask(coro, loop=self, name=name, context=context)
        self.tasks.append(task)
        return task

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> Any:
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        self._made += 1
        heapq.heappush(self._timers, (when, self._made, timer))
        return timer

    def call_later(self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> Any:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> Any:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def get_debug(self) -> bool:
        return False

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        """A thread's work is done at once, in this one; its answer comes in another turn of the loop."""
        future = self.create_future()
        try:
            outcome, failed = func(*args), None
        except Exception as error:  # noqa: BLE001  # it belongs to the caller that waits
            outcome, failed = None, error
        self.call_soon(_settle, future, outcome, failed)
        return future

    def thaw(self) -> None:
        """Some process is frozen no more: what waited for it comes now, as it would have come."""
        parked, self._parked = self._parked, deque()
        self._ready.extendleft(reversed(parked))

    def pending(self, owner: Freezable) -> list[str]:
        """Timers of a process that are still to come."""
        waiting = [*(timer for _, _, timer in self._timers), *self._ready, *self._parked]
        return [repr(each) for each in waiting if not each.cancelled() and each._context.get(OWNER) is owner]

    def drop_timers(self) -> None:
        """The end: nothing is to come."""
        self._timers.clear()
        self._parked.clear()
        self._ready.clear()
        self.tasks.clear()

    def _run_once(self) -> None:
        ready, timers = self._ready, self._timers
        if not ready and not self._stopping:
            while timers and timers[0][2]._cancelled:
                heapq.heappop(timers)
            if not timers:
                raise Stuck("every task waits, and no timer will ever wake one")
            self._now = max(self._now, timers[0][0])
            while timers and timers[0][0] <= self._now:
                handle = heapq.heappop(timers)[2]
                if not handle._cancelled:
                    handle._scheduled = False
                    ready.append(handle)
        for _ in range(len(ready)):
            handle = ready.popleft()
            if handle._cancelled:
                continue
            owner = handle._context.get(OWNER)
            if owner is not None and owner.frozen:
                self._parked.append(handle)
                continue
            self.steps += 1
            handle._run()

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass

    def _process_events(self, event_list: Any) -> None:
        pass

    def _write_to_self(self) -> None:
        pass


def _settle(future: "asyncio.Future[Any]", outcome: Any, failed: Exception | None) -> None:
    if future.done():
        return
    if failed is None:
        future.set_result(outcome)
    else:
        future.set_exception(failed)
