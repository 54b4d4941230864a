"""Programs that take more than their share, of memory, processes, files or the processor: the host is as before.

What such a program's opponent and the record see is in `test_sandbox_run.py`.
"""

import os
import resource
import signal
from pathlib import Path

import pytest
from sandbox_trial import LIMITS, started, trial, trial_as_nobody

from palio_server.sandbox.bubblewrap import MIB, SandboxLimits

pytestmark = pytest.mark.usefixtures("bubblewrap")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder."""
    return tmp_path


TAKERS = {  # the limit that is named, used up in several ways
    "one gulp": ("x = b'x' * (4 << 30)", "memory 192M used up"),
    "slowly": ("x = []\nwhile True:\n    x.append(b'x' * (1 << 20))", "memory 192M used up"),
    "by many processes": (
        (
            "for _ in range(8):\n    if os.fork() == 0:\n"
            "        x = [b'x' * (1 << 20) for _ in range(60)]\n        time.sleep(20)\ntime.sleep(20)"
        ),
        "memory 192M used up",
    ),
    "page tables": (
        (
            "for _ in range(400):\n    m = mmap.mmap(-1, 1 << 36, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 1)\n"
            "    globals().setdefault('kept', []).append(m)\n    for at in range(0, 1 << 36, 1 << 21):\n        m[at]"
        ),
        "memory 192M used up",
    ),
    "shared memory in files": (
        (
            "for n in range(12):\n    open(f'/dev/shm/{n}', 'wb').write(bytes(1 << 20))\n"
            "x = [b'x' * (1 << 20) for _ in range(185)]\ntime.sleep(20)"
        ),
        "memory 192M used up",
    ),
    "forks": ("while True:\n    if os.fork() == 0:\n        time.sleep(30)", "processes 16 used up"),
    "a fork bomb": (
        "while True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
        "processes 16 used up",
    ),
    "threads": (
        "for _ in range(40):\n    threading.Thread(target=time.sleep, args=(30,)).start()",
        "processes 16 used up",
    ),
    "sessions of their own": (
        (
            "while True:\n    if os.fork() == 0:\n        os.setsid()\n"
            "        if os.fork() == 0:\n            time.sleep(30)\n"
            "        os._exit(0)"
        ),
        "processes 16 used up",
    ),
    "a full scratch folder": (
        (
            "n = 0\nwhile True:\n    n += 1\n    try:\n        open(f'x{n}', 'wb').write(bytes(1 << 20))\n"
            "    except OSError:\n        time.sleep(30)"
        ),
        "scratch 16M used up",
    ),
    "files without end": (
        "n = 0\nwhile True:\n    n += 1\n    open(f'x{n}', 'w')",
        "scratch used up: 2000 files and folders",
    ),
    "open files": (
        (
            "kept = []\nwhile True:\n    try:\n        kept.append(os.open('/dev/null', 0))\n    except OSError:\n"
            "        time.sleep(30)"
        ),
        "open files 256 used up",
    ),
    "by a process that is called as a field": (
        "open('/proc/self/comm', 'w').write('RssAnon: 0')\nx = []\nwhile True:\n    x.append(b'x' * (1 << 20))",
        "memory 192M used up",
    ),
    "by a process with a line break in its name": (
        "libc.prctl(15, b'a\\nRssAnon:\\t0', 0, 0, 0)\nx = []\nwhile True:\n    x.append(b'x' * (1 << 20))",
        "memory 192M used up",
    ),
    "by many processes with brackets in their names": (
        (
            "libc.prctl(15, b') Z 1 (2) 3', 0, 0, 0)\nfor _ in range(8):\n    if os.fork() == 0:\n"
            "        x = [b'x' * (1 << 20) for _ in range(60)]\n        time.sleep(20)\ntime.sleep(20)"
        ),
        "memory 192M used up",
    ),
    "by a process whose name is no text": (
        "libc.prctl(15, b'\\xff\\xfe:\\t', 0, 0, 0)\nx = []\nwhile True:\n    x.append(b'x' * (1 << 20))",
        "memory 192M used up",
    ),
    "by a process whose first thread has ended": (
        (
            "def grow():\n    time.sleep(0.3)\n    x = []\n    while True:\n        x.append(b'x' * (1 << 20))\n"
            "threading.Thread(target=grow).start()\n"
            "libc.syscall(60 if os.uname().machine == 'x86_64' else 93, 0)"
        ),
        "memory 192M used up",
    ),
    "a process that hides": (
        "libc.prctl(4, 0)\nx = []\nwhile True:\n    x.append(b'x' * (1 << 20))",
        "memory 192M used up",
    ),
}


@pytest.mark.first(3)
@pytest.mark.parametrize("taker", TAKERS)
def test_who_takes_too_much_is_ended_at_once_and_the_limit_is_named(folder: Path, taker: str):
    program, limit = TAKERS[taker]
    done = trial(folder, program)
    assert done.used_up == limit
    assert done.seconds < 15


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("taker", ["slowly", "a fork bomb", "a process that hides"])
def test_the_same_holds_for_an_ordinary_users_sandbox(folder: Path, taker: str):
    program, limit = TAKERS[taker]
    assert trial_as_nobody(folder, program).used_up == limit


def test_a_program_has_its_limits_from_its_beginning_and_leaves_no_core(folder: Path):
    """Its own session and the warden's are not the one of the terminal in which the server runs."""
    cores = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (cores[1], resource.RLIM_INFINITY if os.geteuid() == 0 else cores[1]))
    program = """
import resource
print([resource.getrlimit(kind) for kind in (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE)])
print(resource.getrlimit(resource.RLIMIT_NPROC)[1], open("/proc/self/oom_score_adj").read().strip())
print(os.getsid(0) == os.getpid(), os.getsid(1), signal.pthread_sigmask(signal.SIG_BLOCK, []), flush=True)
if os.fork() == 0:
    os.abort()
print(os.WCOREDUMP(os.wait()[1]), [name for name in os.listdir(".") if "core" in name])
"""
    try:
        done = trial(folder, program)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, cores)
    lines = done.out.splitlines()
    assert lines[0] == str([(0, 0), (256, 256), (16 * MIB, 16 * MIB)])
    assert lines[1] == f"{16 + 64} 1000"
    assert lines[2] == "True 1 set()"
    assert lines[3] == "False []"


def test_pages_that_processes_share_are_counted_once(folder: Path):
    program = """
x = [b'x' * (1 << 20) for _ in range(90)]
for _ in range(5):
    if os.fork() == 0:
        time.sleep(1)
        os._exit(0)
time.sleep(0.5)
print("played")
"""
    done = trial(folder, program)
    assert (done.out, done.used_up, done.code) == ("played\n", "", 0)


HOGS = {  # that compute wherever they can, after a word
    "in sessions of their own": (
        "for _ in range(10):\n    if os.fork() == 0:\n        os.setsid()\n        burn()\nburn()"
    ),
    "in threads": "for _ in range(6):\n    threading.Thread(target=burn).start()",
    "in daemons": (
        "for _ in range(5):\n    if os.fork() == 0:\n        os.setsid()\n"
        "        if os.fork() == 0:\n            burn()\n        os._exit(0)\nburn()"
    ),
    "in step with the clock": (
        "for _ in range(10):\n    if os.fork() == 0:\n        break\nwhile True:\n"
        "    while time.monotonic() % 0.02 < 0.01:\n        pass\n    time.sleep(0.001)"
    ),
    "in short lives": (
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nwhile True:\n    for _ in range(6):\n"
        "        if os.fork() == 0:\n            burn(0.005)\n            os._exit(0)\n"
        "    try:\n        os.wait()\n    except OSError:\n        pass"
    ),
    "set going by timers": (
        "class Event(ctypes.Structure):\n    _fields_ = [('value', ctypes.c_void_p), ('signo', ctypes.c_int), "
        "('notify', ctypes.c_int), ('pad', ctypes.c_char * 48)]\n"
        "signal.signal(signal.SIGCONT, lambda *_: None)\nspec = (ctypes.c_long * 4)(0, 5000000, 0, 5000000)\n"
        "for _ in range(5):\n    timer = ctypes.c_void_p()\n"
        "    libc.timer_create(1, ctypes.byref(Event(None, signal.SIGCONT, 0)), ctypes.byref(timer))\n"
        "    libc.timer_settime(timer, 0, spec, None)\nburn()"
    ),
    "under a name": "open('/proc/self/comm', 'w').write(') T 1 (')\nburn()",
    "that hide": "libc.prctl(4, 0)\nburn()",
    "that flood": "while True:\n    os.write(1, b'x\\n' * 30000)\n    os.write(2, b'y\\n' * 30000)",
}
BURN = """
def burn(seconds=1e9):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
print("begun", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("hog", HOGS)
def test_a_program_that_computes_while_nothing_is_awaited_of_it_is_stopped_until_something_is(folder: Path, hog: str):
    with started(folder, BURN + HOGS[hog]) as program:
        program.server.sendall(b"1")
        assert program.moves_within(30.0)
        program.server.sendall(b"0")
        assert program.rests_within(30.0), hog
        if "timers" not in hog:  # which may end it
            program.server.sendall(b"1")
            assert program.moves_within(30.0), hog


@pytest.mark.slow
def test_a_program_that_is_stopped_can_be_told_to_end(folder: Path):
    with started(folder, BURN + "signal.signal(signal.SIGTERM, lambda *_: os._exit(7))\nburn()") as program:
        program.server.sendall(b"0")
        assert program.rests_within(30.0)
        program.warden_gets(signal.SIGTERM)
        assert program.process.wait(30) == 7


@pytest.mark.slow
def test_who_computes_in_many_threads_leaves_room_for_others(folder: Path):
    program = """
if os.fork() == 0:
    for _ in range(12):
        if os.fork() == 0:
            until = time.monotonic() + 60
            while time.monotonic() < until: pass
    time.sleep(60)
time.sleep(1)
print(sum(os.sched_getscheduler(int(p)) == os.SCHED_IDLE for p in os.listdir("/proc") if p.isdigit()))
"""
    done = trial(folder, program)
    assert int(done.out) >= 10


def test_the_host_runs_out_of_nothing_when_many_gulp_at_once(folder: Path):
    before = int(Path("/proc/meminfo").read_text().split("MemAvailable:")[1].split()[0])
    program = """
for _ in range(10):
    if os.fork() == 0:
        x = b'x' * (2 << 30)
time.sleep(30)
"""
    done = trial(folder, program, limits=SandboxLimits(memory=64 * MIB, processes=16))
    assert done.used_up == "memory 64M used up"
    assert before - int(Path("/proc/meminfo").read_text().split("MemAvailable:")[1].split()[0]) < 2 << 20  # KiB
    assert LIMITS.memory  # others have theirs
