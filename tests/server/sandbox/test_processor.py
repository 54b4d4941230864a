"""The processor's time is measured for any behaviour of processes, and a program that takes too much is limited."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.sandbox import processor, usage
from palio_server.sandbox.processor import MS, Meter, S, Share

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="as Linux tells it")


class PaperMeter:
    """A meter whose readings are said beforehand: what all have used, and what each thread."""

    def __init__(self) -> None:
        self.used, self.elapsed, self.threads, self.still = 0, 20 * MS, {}, True

    def read(self, _found: usage.Threads) -> int:
        return self.used

    def is_still(self) -> bool:
        return self.still


class World:
    """A program whose threads do what a test says, on a clock that jumps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cores: int = 1, of: int = 4) -> None:
        self.now, self.signals, self.cores, self.idle = 0, [], {}, set()
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(of)))
        monkeypatch.setattr(os, "sched_setaffinity", lambda task, cores: self.cores.update({task: set(cores)}))
        monkeypatch.setattr(os, "sched_getscheduler", lambda task: os.SCHED_IDLE if task in self.idle else 0)
        monkeypatch.setattr(os, "sched_setscheduler", lambda task, *_: self.idle.add(task))
        self.meter = PaperMeter()
        # type: ignore[arg-type]
        self.share = Share(cores, self.meter, self.signals.append, lambda: 0.5, lambda: self.now)

    def look(self, *threads: float, ms: int = 20) -> str:
        """One look after so many milliseconds, in which each thread has had that share of a core."""
        self.now += ms * MS
        self.meter.elapsed = ms * MS
        self.meter.threads = {str(2 + number): int(each * ms * MS) for number, each in enumerate(threads)}
        self.meter.used = sum(self.meter.threads.values())
        return self.share.look({"2": list(self.meter.threads)})

    def compute_until_stopped(self, *threads: float) -> None:
        for _ in range(100):
            if self.stopped:
                return
            self.look(*(threads or (1.0,)))
        raise AssertionError("it is not stopped")

    @property
    def stopped(self) -> bool:
        assert self.share.stopped is (self.signals[-1:] == [signal.SIGSTOP])
        return self.share.stopped


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


def test_a_program_that_is_awaited_is_never_stopped(world: World):
    for _ in range(1000):
        world.look(*[0.2] * 24)
    assert not world.stopped


def test_a_program_that_is_not_awaited_is_stopped_when_it_computes_and_goes_on_when_it_is(world: World):
    world.share.awaited(False)
    world.compute_until_stopped()
    world.share.awaited(True)
    assert not world.stopped
    assert world.signals == [signal.SIGSTOP, signal.SIGCONT]


def test_a_program_that_tidies_up_after_its_turn_is_not_stopped(world: World):
    world.share.awaited(False)
    world.look(1.0)
    world.look(1.0)
    for _ in range(500):
        world.look(0.04)
    assert not world.stopped


def test_what_a_program_has_used_in_its_turn_is_not_counted_against_it_afterwards(world: World):
    for _ in range(50):
        world.look(1.0, 1.0)
    world.share.awaited(False)
    world.look(1.0, 1.0)  # some of it was its turn
    world.look(0.0)
    assert not world.stopped


@given(st.lists(st.floats(0.0, 4.0), min_size=50, max_size=400), st.sampled_from([1, 4, 24]))
def test_whatever_it_does_a_program_that_is_not_awaited_has_little_more_than_its_share(wishes, processes):
    with pytest.MonkeyPatch.context() as patch:
        world = World(patch)
        world.share.awaited(False)
        world.look(0)
        begun, had = world.now, 0
        for wish in wishes:
            if not world.share.stopped:
                world.look(*[wish / processes] * processes, ms=5)
                had += world.meter.used
            else:
                world.look(0, ms=30)
        assert had <= processor.AWAY_RATE * (world.now - begun) + processor.AWAY_BURST + 2 * 4 * 5 * MS


def test_a_program_that_was_stopped_before_is_stopped_as_soon_as_its_turn_is_over(world: World):
    world.share.awaited(False)
    world.compute_until_stopped()
    world.share.awaited(True)
    world.share.awaited(False)
    assert world.stopped


def test_a_program_that_was_stopped_long_ago_is_like_any_other(world: World):
    world.share.awaited(False)
    world.compute_until_stopped()
    while world.share.is_known:
        world.look(0.01)
    assert 10 * S <= world.now <= 12 * S
    world.look(1.0)  # as after any turn
    assert not world.stopped


def test_a_program_that_was_stopped_is_looked_at_soon_until_it_is_quiet(world: World):
    world.share.awaited(False)
    assert world.share.pause_s() >= processor.LOOK_S
    world.compute_until_stopped()
    world.share.awaited(True)
    assert world.share.pause_s() >= processor.LOOK_S
    while world.share._debt:
        world.look(0.0)
    world.share.awaited(False)
    assert world.share.pause_s() < processor.LOOK_S
    world.look(0.0)
    assert world.share.pause_s() >= processor.LOOK_S


def test_a_stopped_program_goes_on_before_the_servers_ping_has_to_be_answered(world: World):
    world.share.awaited(False)
    world.compute_until_stopped(4.0, 4.0)
    begun = world.now
    while world.stopped:
        world.look(0)
    assert world.now - begun <= 8 * S + 20 * MS


def test_a_program_that_is_told_to_end_is_not_stopped_any_more(world: World):
    world.share.awaited(False)
    world.compute_until_stopped()
    world.share.end()
    for _ in range(100):
        world.look(1.0)
        world.share.awaited(False)
    assert not world.stopped


def test_a_program_that_goes_on_though_it_is_stopped_is_stopped_again_and_ended_if_it_persists(world: World):
    world.share.awaited(False)
    world.compute_until_stopped()
    said = [world.look(1.0) for _ in range(processor.RESISTS)]
    assert world.signals.count(signal.SIGSTOP) > processor.RESISTS / 2
    assert said[-1] == "processor used up: the program goes on when it is stopped"
    assert not any(said[:-1])


def test_a_long_call_of_the_kernel_that_ends_after_the_stop_is_no_resistance(world: World):
    world.share.awaited(False)
    world.compute_until_stopped()
    for _ in range(10):
        assert world.look(*[1.0] * 10, *[0.0] * 10) == ""
        world.look(0)
        if not world.stopped:
            break


def test_it_rests_only_while_it_is_stopped_and_uses_nothing(world: World):
    assert not world.share.rests()
    world.share.awaited(False)
    world.compute_until_stopped()
    assert world.share.rests()
    world.meter.still = False
    assert not world.share.rests()
    world.meter.still = True
    world.now += 9 * S
    assert not world.share.rests()


def test_the_time_of_the_next_look_is_left_to_chance():
    for chance in (0.0, 1.0):
        share = Share(1, PaperMeter(), print, lambda chance=chance: chance)  # type: ignore[arg-type,misc]
        assert share.pause_s() == pytest.approx(0.01 + 0.03 * chance)


def test_threads_beyond_its_cores_share_them_until_they_compute_no_more(world: World):
    for _ in range(100):
        world.look(*[0.2] * 5)
    assert set(world.cores) == {2, 3, 4, 5, 6}
    assert {len(cores) for cores in world.cores.values()} == {1}
    assert len({*map(tuple, world.cores.values())}) == 1
    for _ in range(200):
        world.look(1.0, 0.0, 0.0, 0.0, 0.0)
    assert {frozenset(cores) for cores in world.cores.values()} == {frozenset(range(4))}


def test_new_threads_of_a_program_that_has_few_cores_get_the_same(world: World):
    for _ in range(100):
        world.look(*[0.4] * 5)
    for _ in range(5):
        world.look(*[0.4] * 8)
    assert world.cores[9] == world.cores[2]


@pytest.mark.parametrize("threads", [[1.0], [1.0, 0.1, 0.1], [0.4]])
def test_one_thread_that_computes_with_some_helpers_has_all_cores(world: World, threads: list[float]):
    for _ in range(1000):
        world.look(*threads)
    assert world.cores == {}


def test_as_many_threads_as_it_has_cores_compute_freely(monkeypatch: pytest.MonkeyPatch):
    world = World(monkeypatch, cores=3)
    for _ in range(1000):
        world.look(1.0, 1.0, 1.0)
    assert world.cores == {}
    for _ in range(1000):
        world.look(1.0, 1.0, 1.0, 1.0)
    assert {len(cores) for cores in world.cores.values()} == {3}


def test_a_machine_without_more_cores_has_none_to_take_away(monkeypatch: pytest.MonkeyPatch):
    world = World(monkeypatch, cores=8, of=2)
    for _ in range(100):
        world.look(*[0.5] * 4)
    assert world.cores == {}


def test_a_crowd_of_threads_gets_the_lowest_priority_for_good_and_a_few_do_not(world: World):
    for _ in range(100):
        world.look(*[0.2] * 5)
    assert world.idle == set()
    for _ in range(processor.CROWDED):
        world.look(*[0.1] * 12)
    assert world.idle == set(range(2, 14))


# --- what real processes have used ------------------------------------------------------------------------------------


HEAD = "import os, signal, sys, threading, time\ndef burn(s):\n    while time.process_time() < s: pass\n"


@contextlib.contextmanager
def program(source: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A program that does the first half of its work, says a line, and waits for one."""
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", HEAD + source], stdin=-1, stdout=-1) as process:
        try:
            yield process
        finally:
            process.kill()


def threads_of(process: "subprocess.Popen[bytes]") -> usage.Threads:
    return {str(process.pid): usage._process(str(process.pid))[1]}


def waits(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"


USES = {  # a fifth of a second of a core, used in several ways
    "by itself": "burn(time.process_time() + 0.2)",
    "in a thread that has ended": (
        "t = threading.Thread(target=burn, args=(time.process_time() + 0.2,)); t.start(); t.join()"
    ),
    "in a child that has ended": "if os.fork() == 0: burn(0.2); os._exit(0)\nos.wait()",
    "under another name": "open('/proc/self/comm', 'w').write(') R 1 (2'); burn(time.process_time() + 0.2)",
    "in a grandchild that has ended": (
        "if os.fork() == 0:\n    if os.fork() == 0: burn(0.2); os._exit(0)\n    os.wait(); os._exit(0)\nos.wait()"
    ),
}


@pytest.mark.parametrize("way", USES)
def test_time_is_measured_by_whatever_way_it_is_used(way: str):
    source = (
        f"print('ready', flush=True); sys.stdin.readline()\n{USES[way]}\nprint('ready', flush=True)\nsys.stdin.read()"
    )
    with program(source) as process:
        waits(process)
        meter = Meter(1_000)
        meter.read(threads_of(process))
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
        waits(process)
        used = meter.read(threads_of(process))
        assert used >= 190 * MS
        if "child" not in way:
            assert used < 600 * MS + len(USES) * processor.ENDED_EARLY * 200  # the machine starts other processes, too
        assert meter.read(threads_of(process)) < used


def test_children_that_nobody_waits_for_count_though_they_have_come_and_gone():
    source = (
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nprint('ready', flush=True); sys.stdin.readline()\n"
        "for _ in range(50):\n    if os.fork() == 0: os._exit(0)\ntry: os.wait()\nexcept OSError: pass\n"
        "print('ready', flush=True)\nsys.stdin.read()"
    )
    with program(source) as process:
        waits(process)
        meter = Meter(1_000)
        meter.read(threads_of(process))
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
        waits(process)
        assert meter.read(threads_of(process)) >= 50 * processor.ENDED_EARLY


def test_a_process_that_the_warden_has_waited_for_counts_once(monkeypatch: pytest.MonkeyPatch):
    of: dict[str, int] = {"5": 30 * MS}
    fake(monkeypatch, of)
    meter = Meter(8, clock := Clock())
    clock.pass_(S)
    assert meter.read({"5": ["5"]}) == 30 * MS
    meter.reaped("5", 50 * MS)
    meter.reaped("6", 7 * MS)  # it was never seen
    clock.pass_(S)
    assert meter.read({}) == 27 * MS
    clock.pass_(S)
    assert meter.read({}) == 0


def test_a_child_that_was_seen_and_then_waited_for_by_its_parent_counts_once(monkeypatch: pytest.MonkeyPatch):
    of, by_children = {"5": 0, "6": 400 * MS}, {"5": 0, "6": 0}
    fake(monkeypatch, of, by_children)
    meter = Meter(8, clock := Clock())
    clock.pass_(S)
    assert meter.read({"5": ["5"], "6": ["6"]}) == 400 * MS
    del of["6"]
    by_children["5"] = 450 * MS
    clock.pass_(S)
    assert meter.read({"5": ["5"]}) == 50 * MS


def test_a_number_that_another_process_has_got_begins_anew(monkeypatch: pytest.MonkeyPatch):
    of = {"5": 900 * MS}
    fake(monkeypatch, of)
    meter = Meter(8, clock := Clock())
    clock.pass_(S)
    meter.read({"5": ["5"]})
    of["5"] = 10 * MS
    clock.pass_(S)
    assert meter.read({"5": ["5"]}) == 10 * MS


def test_more_than_all_cores_cannot_have_been_used(monkeypatch: pytest.MonkeyPatch):
    fake(monkeypatch, {"5": 100 * S})
    meter = Meter(2, clock := Clock())
    clock.pass_(S)
    assert meter.read({"5": ["5"]}) == 2 * S


def test_numbers_of_processes_that_begin_again_count_as_the_worst(monkeypatch: pytest.MonkeyPatch):
    fake(monkeypatch, {}, newest=iter([30_000, 400]))
    meter = Meter(2, clock := Clock())
    clock.pass_(S)
    assert meter.read({}) == 2 * S


class Clock:
    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now

    def pass_(self, ns: int) -> None:
        self.now += ns


def fake(
    monkeypatch: pytest.MonkeyPatch,
    of: dict[str, int],
    by_children: dict[str, int] | None = None,
    newest: Iterator[int] | None = None,
) -> None:
    """Let processes have used this."""

    def found(values: dict[str, int]) -> Callable[[str], int]:
        def used(name: str) -> int:
            if name not in values:
                raise ProcessLookupError
            return values[name]

        return used

    monkeypatch.setattr(processor, "process_time", found(of))
    monkeypatch.setattr(processor, "children_time", found({} if by_children is None else by_children))
    monkeypatch.setattr(processor, "newest_process", lambda: 0 if newest is None else next(newest))


def test_the_newest_number_grows_with_each_process():
    before = processor.newest_process()
    subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True)
    assert processor.newest_process() > before


def test_a_processs_time_is_what_it_says_itself():
    before, begun = processor.process_time(str(os.getpid())), time.process_time_ns()
    sum(range(100_000))
    assert abs(time.process_time_ns() - begun - (processor.process_time(str(os.getpid())) - before)) < 50 * MS
    with pytest.raises(OSError):
        processor.process_time(str(2**22 + 7))
