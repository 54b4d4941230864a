"""The processor time of a sandbox's program, measured, and limited to its share by the warden.

Both bots of a match have clocks, and often there are as many matches as cores. So a program has two shares:

- while the server awaits an answer of it (a move, or that it is ready), some cores. More threads than that may compute
  at once now and then; if they do it for long, all of them get these cores and no others.
- otherwise a twentieth of a core. A program that takes more is stopped (SIGSTOP), and continues for short moments until
  its next turn: it can answer pings and tidy up, and its opponent is not affected.

Only the time used since the last look counts, not the processes' states at that moment: they may sleep whenever they
expect a look. Priorities are not enough. They hold within a session only where the kernel groups processes by sessions
(`autogroup` in sched(7)), and an ordinary user cannot raise one again. See clock_getcpuclockid(3) and proc(5). Part of
the warden, so it imports nothing of Palio.
"""

import _signal as signal  # type: ignore[import-not-found]  # without the enumerations of `signal`, which take 5 ms
import os
import time

from palio_server.sandbox import usage

TYPE_CHECKING = False  # that of `typing` would be loaded for each bot
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

S, MS = 1_000_000_000, 1_000_000  # in nanoseconds
TICK = S // os.sysconf("SC_CLK_TCK")
ENDED_EARLY = 2 * MS  # the assumed minimum for a process that came and went between two looks

AWAY_RATE = 0.05  # of a core, for a program from which no answer is expected,
AWAY_BURST = 40 * MS  # and so much at once; half of it after each time that it was stopped,
LEAST_BURST = 3 * MS  # but not less
FORGOTTEN = 10 * S  # after it was stopped last: then it is like any other
MOST_STOPPED = 8 * S  # the longest stop at a time: it has to answer the server's pings
WIDE_RATE = 0.25  # of a core, for threads beyond a program's cores,
WIDE_BURST = 250 * MS  # and so much at once
MOST_WIDE = 2 * WIDE_BURST  # of it that is remembered: a program that goes back to few threads is soon released
CROWD = 8  # threads beyond its cores in which a program computes all the time: then it also gets the lowest priority,
CROWDED = 15  # permanently after so many looks
LOWEST = b"19"  # of a session's priorities
BUSY = 0.02  # of the time since the last look: from here on a thread counts as computing,
RECENT = S // 2  # and for how long it does: many on one core have their turns one after the other
STOPPED_YET_BUSY = 0.25  # of a core: used by a program that does not stay stopped
RESISTS = 40  # looks in a row; a long call to the kernel takes a few of them
LOOK_S, VARIES_S = 0.01, 0.03  # between two looks: so much, and up to so much more, by chance
SOON_S = 0.004  # of a program that was stopped before, and may run
STOPPED_S = 0.03  # of one that is stopped


class Meter:
    """The time that all processes and threads have used since the last reading."""

    def __init__(self, cores: int, now: "Callable[[], int]" = time.monotonic_ns) -> None:
        """`cores` is the number of cores: no more than all of them can have been used."""
        self._cores, self._now = cores, now
        self._read_at = now()
        self._used: dict[str, int] = {}  # by process
        self._by_children: dict[str, int] = {}  # by ended children that were waited for, by process
        self._by_thread: dict[str, int] = {}
        self._reaped = 0  # by processes that the warden has waited for, since the last reading
        self._newest = newest_process()
        self.elapsed = 0
        self.threads: dict[str, int] = {}  # time that each has used between the last two readings

    def reaped(self, name: str, used: int) -> None:
        """Note that a process has ended that has `used` so many nanoseconds, with those that it has waited for."""
        known = self._used.pop(name, 0) + self._by_children.pop(name, 0)
        self._reaped += max(0, used - known)

    def read(self, found: usage.Threads) -> int:
        """Return the nanoseconds that all processes have used since the last reading, including those that ended."""
        now = self._now()
        self.elapsed, self._read_at = max(1, now - self._read_at), now
        running, former = 0, self._used
        self._used = {}
        for name in found:
            try:
                self._used[name] = used = process_time(name)
            except OSError:  # it has ended
                continue
            before = former.pop(name, 0)
            running += used - before if used >= before else used  # else it is another process with the same number
        known_threads, former_threads = {task for tasks in found.values() for task in tasks}, self._by_thread
        newest, before_newest = newest_process(), self._newest
        self._newest = newest
        created = newest - before_newest if newest >= before_newest else self.elapsed  # the numbers begin again
        vanished = max(0, created - len(known_threads - former_threads.keys()))
        children = self._of_children(found, known=sum(former.values())) if former or vanished else 0
        self._read_threads(found, running)
        ended, self._reaped = children + self._reaped, 0
        ended = max(ended, vanished * ENDED_EARLY)
        return min(running + ended, self._cores * self.elapsed)

    def is_still(self) -> bool:
        """Return True if the processes of the last reading have used nothing since, which is cheap to find out."""
        for name, used in self._used.items():
            try:
                if process_time(name) > used + ENDED_EARLY:
                    return False
            except OSError:
                return False
        return True

    def _of_children(self, found: usage.Threads, known: int) -> int:
        """Return the time of ended children that were waited for, without the part that was `known` of them before."""
        total, former = 0, self._by_children
        self._by_children = {}
        for name in found:
            try:
                self._by_children[name] = used = children_time(name)
            except (OSError, IndexError, ValueError):
                continue
            total += max(0, used - former.get(name, 0))
        return max(0, total - known)

    def _read_threads(self, found: usage.Threads, running: int) -> None:
        """Keep the time of each thread; where only one can have computed, nothing needs to be read for that."""
        former = self._by_thread
        self._by_thread, self.threads = {}, {}
        for name, tasks in found.items():
            for task in tasks:
                used = self._used.get(name, 0) if len(tasks) == 1 else former.get(task, 0)
                if len(tasks) > 1 and running > BUSY * self.elapsed:
                    used = thread_time(name, task)
                self._by_thread[task] = used
                before = former.get(task, 0)
                self.threads[task] = used - before if used >= before else used


def process_time(name: str) -> int:
    """Return the nanoseconds that a process has used, with threads of it that have ended. Raises OSError.

    The kernel gives that for any process, and counts exactly, while /proc has hundredths of a second.
    """
    return time.clock_gettime_ns((~int(name) << 3) | 2)  # CPUCLOCK_SCHED of linux/posix-timers.h


def thread_time(name: str, task: str) -> int:
    """Return the nanoseconds that a thread has used; 0 if it has ended, or the kernel does not count them."""
    try:
        with open(f"/proc/{name}/task/{task}/schedstat", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[0])
    except (OSError, IndexError, ValueError):
        return 0


def children_time(name: str) -> int:
    """Return the nanoseconds that ended children of a process have used. Raises OSError, IndexError, ValueError."""
    with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
        of_user, of_system = usage.after_name(file.read())[13:15]
    return TICK * (int(of_user) + int(of_system))


def newest_process() -> int:
    """Return the number of the newest process or thread, even if it has ended."""
    with open("/proc/loadavg", "rb") as file:  # noqa: PTH123
        return int(file.read().split()[-1])


class Share:
    """The enforcement of a program's share: it is stopped, limited to few cores, or slowed down."""

    def __init__(
        self,
        cores: int,
        meter: Meter,
        signals: "Callable[[int], None]",
        chance: "Callable[[], float]",
        now: "Callable[[], int]" = time.monotonic_ns,
    ) -> None:
        """`signals` sends a signal to all processes at once; `chance` returns a number from 0 to 1."""
        self._meter, self._signals, self._chance, self._now = meter, signals, chance, now
        self._cores = min(cores, len(os.sched_getaffinity(0)))
        self._awaited = True  # True: an answer is expected
        self._changed = True  # since the last look
        self._ending = False
        self._debt = 0.0  # beyond AWAY_RATE
        self._stops = self._stopped_at = 0
        self._runs_again_at = 0  # nanoseconds of the clock; until then it is stopped
        self._resisted = 0
        self._wide = 0.0  # beyond WIDE_RATE
        self._narrowed: set[str] | None = None  # threads that are limited to few cores
        self._few: list[int] = []
        self._computed: dict[str, int] = {}  # threads that did so lately, and when
        self._crowded = 0
        self._slow: set[str] = set()  # processes whose sessions have got the lowest priority
        self.stopped = False

    @property
    def is_known(self) -> bool:
        """True if it has taken more than its share lately: then it is stopped as soon as its turn is over."""
        return self._stops > 0

    def rests(self) -> bool:
        """Return True if it is stopped, has used nothing since the last look, and its time has not come."""
        return self.stopped and self._now() < self._runs_again_at and self._meter.is_still()

    def pause_s(self) -> float:
        """Return the time until the next look. The program cannot foresee it."""
        if self.stopped:
            return STOPPED_S
        if self.is_known and not self._awaited and (self._changed or self._debt > 0):
            return SOON_S * (0.5 + self._chance())
        return LOOK_S + VARIES_S * self._chance()

    def awaited(self, awaited: bool) -> None:  # noqa: FBT001  # it is what the server says
        """Set if the server expects an answer."""
        self._awaited, self._changed = awaited, True
        if awaited:
            self._go_on()
        elif self.is_known and self._debt > 0 and not self._ending:
            self._stop()

    def end(self) -> None:
        """Stop no process from now on, because the program is told to end."""
        self._ending = True
        self._go_on()

    def look(self, found: usage.Threads) -> str:
        """Hold the program, with these processes and threads, to its share. Returns "" or why it has to be ended."""
        used, elapsed = self._meter.read(found), self._meter.elapsed
        away = not self._awaited and not self._changed and not self._ending
        self._changed = False
        self._debt = max(0.0, self._debt + (used if away else 0) - AWAY_RATE * elapsed)
        if self.stopped:
            return self._look_at_stopped(used, elapsed)
        if self._now() - self._stopped_at > FORGOTTEN:
            self._stops = 0
        if away and self._debt > max(LEAST_BURST, AWAY_BURST >> self._stops):
            self._stop()
        self._narrow(found, used, elapsed)
        return ""

    def _stop(self) -> None:
        self._debt = min(self._debt, AWAY_RATE * MOST_STOPPED)
        self._stopped_at = self._now()
        self._runs_again_at = self._now() + int(self._debt / AWAY_RATE)
        self._stops = min(self._stops + 1, 30)
        self._resisted = 0
        self.stopped = True
        self._signals(signal.SIGSTOP)

    def _go_on(self) -> None:
        if self.stopped:
            self.stopped = False
            self._signals(signal.SIGCONT)

    def _look_at_stopped(self, used: int, elapsed: int) -> str:
        """Let it continue when its time has come. A timer or another signal may have let it continue before."""
        self._resisted = self._resisted + 1 if used > STOPPED_YET_BUSY * elapsed else 0
        if self._resisted >= RESISTS:
            return "processor used up: the program goes on when it is stopped"
        if self._now() >= self._runs_again_at:
            self._go_on()
        elif self._resisted:
            self._signals(signal.SIGSTOP)
        return ""

    # --- while an answer is expected
    # -----------------------------------------------------------------------------------

    def _narrow(self, found: usage.Threads, used: int, elapsed: int) -> None:
        """Give it few cores while too many threads compute, and all of them again afterwards."""
        threads = sorted(self._meter.threads.values(), reverse=True)
        beyond = max(0, used - sum(threads[: self._cores]))
        self._wide = min(MOST_WIDE, max(0.0, self._wide + beyond - WIDE_RATE * elapsed))
        all_cores = os.sched_getaffinity(0)  # ours: fewer while the server keeps the program on CPUs of its match
        if len(all_cores) > self._cores:
            if self._narrowed is None and self._wide > WIDE_BURST:
                self._narrowed, self._few = set(), self._some_cores(all_cores)
            elif self._narrowed is not None and self._wide <= 0:
                self._narrowed = None
                self._confine(_all(found), all_cores)
            if self._narrowed is not None:
                tasks = _all(found)
                self._confine(tasks - self._narrowed, self._few)
                self._narrowed = tasks
        now = self._now()
        self._computed = {task: at for task, at in self._computed.items() if now - at < RECENT}
        self._computed |= {task: now for task, each in self._meter.threads.items() if each > BUSY * elapsed}
        if len(self._computed) > self._cores + CROWD:
            self._crowded += 1
            if self._crowded >= CROWDED:
                self._slow_down(found)

    def _slow_down(self, found: usage.Threads) -> None:
        """Give all threads, and all sessions, the lowest priority; new ones inherit it."""
        for task in _all(found):
            try:
                if os.sched_getscheduler(int(task)) != os.SCHED_IDLE:
                    os.sched_setscheduler(int(task), os.SCHED_IDLE, os.sched_param(0))
            except OSError:  # it has ended
                continue
        self._slow &= found.keys()
        for name in found.keys() - self._slow:
            try:
                with open(f"/proc/{name}/autogroup", "wb", buffering=0) as file:  # noqa: PTH123
                    file.write(LOWEST)
            except OSError:  # ended, hidden, or an ordinary user's, who may do so ten times a second
                continue
            self._slow.add(name)

    def _some_cores(self, cores: "Iterable[int]") -> list[int]:
        """Return as many cores as it may have, others each time, so that two programs do not share one for long."""
        left = sorted(cores)
        first = int(self._chance() * len(left))
        return [left[(first + at) % len(left)] for at in range(self._cores)]

    def _confine(self, tasks: "Iterable[str]", cores: "Iterable[int]") -> None:
        for task in tasks:
            try:
                os.sched_setaffinity(int(task), cores)
            except OSError:  # it has ended
                continue


def _all(found: usage.Threads) -> set[str]:
    return {task for tasks in found.values() for task in tasks}
