"""Programs that try to get out of their sandbox, or to take more than their share: each fails, the host is as before.

What such a program's opponent and the record see is in `test_sandbox_run.py`.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sandbox_trial import LIMITS, started, trial, trial_as_nobody

from palio_server.sandbox.limits import MIB, Limits

AWAY = {  # what is not there, or may not be done: each must be denied
    "the database, by its name": "attempt(open, os.path.dirname(__file__) + '/palio.db', 'rb')",
    "the database's journal": "attempt(open, os.path.dirname(__file__) + '/palio.db-wal', 'rb')",
    "the database, written": "attempt(open, os.path.dirname(__file__) + '/palio.db', 'wb')",
    "a file of its own folder, written": "attempt(open, __file__, 'a')",
    "its own folder": "attempt(open, os.path.dirname(__file__) + '/new', 'w')",
    "a link out of its folder": "attempt(open, os.path.dirname(__file__) + '/link', 'rb')",
    "a secret beside it": "attempt(open, os.path.dirname(__file__) + '/.env')",
    "another folder": "attempt(os.listdir, os.path.dirname(os.path.dirname(__file__)) + '/secret')",
    "somebody's home": "attempt(os.listdir, '/root/.ssh')",
    "the host's users": "attempt(open, '/etc/shadow')",
    "the host's settings": "attempt(open, '/etc/hostname')",
    "the system": "attempt(open, '/usr/bin/mine', 'w')",
    "Python": "attempt(open, os.__file__, 'a')",
    "the root folder": "attempt(open, '/new', 'w')",
    "devices": "attempt(os.mknod, '/scratch/disk', 0o60600, os.makedev(8, 0))",
    "new terminals": "attempt(open, '/dev/ptmx')",
    "the kernel's settings": "attempt(open, '/proc/sys/kernel/hostname', 'w')",
    "the kernel's log": "attempt(open, '/sys/kernel/notes')",
    "a port of this machine": "attempt(socket.create_connection, ('127.0.0.1', 5432), 2)",
    "an address elsewhere": "attempt(socket.create_connection, ('192.0.2.1', 80), 2)",
    "a port of its own": "attempt(socket.socket)",
    "raw packets": "attempt(socket.socket, socket.AF_PACKET, socket.SOCK_RAW)",
    "the virtual machine's host": "attempt(socket.socket, 40, socket.SOCK_STREAM)",
    "the kernel's ciphers": "attempt(socket.socket, 38, socket.SOCK_SEQPACKET)",
    "the warden's end": (  # who is not allowed hears so; who is, is not heard: and it lives on
        "try:\n    os.kill(1, 9)\n    os.kill(1, 19)\nexcept PermissionError:\n    pass\nprint('denied')"
    ),
    "the warden's memory": "attempt(open, '/proc/1/mem', 'rb')",
    "the warden's secrets": "attempt(open, '/proc/1/environ')",
    "the warden's files": (
        "for n in range(1024):\n    os.path.lexists(f'/proc/1/fd/{n}') and attempt(open, f'/proc/1/fd/{n}', 'wb')\n"
        "print('denied')"
    ),
    "the warden's counters": (
        "for each in ('status', 'stat', 'sched', 'schedstat', 'comm', 'task/1/status', 'task/1/stat', 'net/dev'):\n"
        "    attempt(open, '/proc/1/' + each)"
    ),
    "the warden's priority": "attempt(os.setpriority, os.PRIO_PROCESS, 1, 19)",
    "the warden's processor": "attempt(os.sched_setaffinity, 1, {0})",
    "the warden's limits": "import resource\nattempt(resource.prlimit, 1, resource.RLIMIT_NOFILE, (1, 1))",
    "everybody's priority": "attempt(os.setpriority, os.PRIO_USER, 0, 19)",
    "a higher priority": "attempt(os.setpriority, os.PRIO_PROCESS, 0, -10)",
    "a real-time priority": "attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(10))",
    "tracing": "attempt(call, 101, 16, 1, 0, 0)",
    "its parent's memory": "attempt(call, 310, 1, 0, 0, 0, 0, 0)",
    "a user namespace": "attempt(call, 272, 0x10000000)",
    "a user namespace by clone": "attempt(call, 56, 0x10000011, 0, 0, 0, 0)",
    "clone3": "attempt(call, 435, 0, 0)",
    "mounts": "attempt(call, 165, b'none', b'/tmp', b'tmpfs', 0, 0)",
    "another root": "attempt(os.chroot, '/tmp')",
    "keys of the kernel": "attempt(call, 248, b'user', b'mine', b'x', 1, -3)",
    "keyrings": "attempt(call, 250, 0, -3, 1)",
    "programs in the kernel": "attempt(call, 321, 0, 0, 0)",
    "performance counters": "attempt(call, 298, 0, 0, -1, -1, 0)",
    "page faults": "attempt(call, 323, 0)",
    "rings": "attempt(call, 425, 8, 0)",
    "files by handle": "attempt(call, 304, -100, 0, 0)",
    "anonymous files in memory": "attempt(os.memfd_create, 'mine')",
    "shared memory of nobody": "attempt(mmap.mmap, -1, 1 << 20)",
    "segments of shared memory": "attempt(call, 29, 0, 1 << 20, 0o1600)",
    "queues of messages": "attempt(call, 68, 0, 0o1600)",
    "semaphores": "attempt(call, 64, 0, 100, 0o1600)",
    "zeros that are shared": "attempt(mmap.mmap, os.open('/dev/zero', os.O_RDWR), 1 << 20)",
    "a file of 10 GB": (
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nattempt(os.truncate, os.open('/scratch/x', 66), 10 << 30)"
    ),
    "a bubblewrap of its own": (
        "done = subprocess.run(['bwrap', '--unshare-all', '--ro-bind', '/', '/', 'true'], capture_output=True)\n"
        "print('DONE' if done.returncode == 0 else 'denied')"
    ),
    "rights of root": (
        "done = subprocess.run(['su', '-c', 'id'], capture_output=True, stdin=subprocess.DEVNULL)\n"
        "print('DONE' if b'uid=0' in done.stdout else 'denied')"
    ),
    "a closed file of its parent's": "attempt(os.write, int(open(os.path.dirname(__file__) + '/number').read()), b'x')",
}
pytestmark = pytest.mark.usefixtures("bubblewrap")
X86_ONLY = sys.platform == "linux" and os.uname().machine != "x86_64"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder, with a database in it, secrets beside, and a link out."""
    found = tmp_path / "bots"
    found.mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("secret")
    (found / "palio.db").write_text("secret")
    (found / "palio.db-wal").write_text("secret")
    (found / ".env").write_text("secret")
    (found / "link").symlink_to(tmp_path / "secret" / "key")
    return found


def attempts(folder: Path) -> tuple[str, int]:
    """All of AWAY as one program, each with its name before it; and a file that is open where it is started."""
    reading, writing = os.pipe()
    os.close(reading)
    (folder / "number").write_text(str(writing))
    return "\n".join(f"print({name!r} + ':', end=' ')\n{code}" for name, code in AWAY.items()), writing


def undenied(out: str) -> list[str]:
    return [line for line in out.splitlines() if ": denied" not in line and not line.startswith("denied")]


@pytest.mark.skipif(X86_ONLY, reason="numbers of system calls")
def test_what_is_nobodys_business_is_denied(folder: Path):
    program, extra = attempts(folder)
    try:
        done = trial(folder, program, hidden=(folder / "palio.db",), extra=(extra,))
    finally:
        os.close(extra)
    assert undenied(done.out) == [], done.out
    assert done.out.count("denied") >= len(AWAY)
    assert (done.code, done.used_up) == (0, "")
    assert (folder / "palio.db").read_text() == "secret"


@pytest.mark.skipif(X86_ONLY or os.geteuid() != 0, reason="only root can become somebody else")
def test_an_ordinary_users_sandbox_denies_the_same(folder: Path):
    program, extra = attempts(folder)
    os.close(extra)
    done = trial_as_nobody(folder, program, hidden=folder / "palio.db")
    assert undenied(done.out) == [], done.out
    assert (done.code, done.used_up) == (0, "")


def test_of_its_own_folder_it_reads_no_secrets_whatever_they_are_called(folder: Path):
    secrets = {
        **dict.fromkeys(("league.db", "results.bak", "sub/deep/data"), b"SQLite format 3\0" + bytes(100)),
        **dict.fromkeys(("dump", "sub/dump.bin"), b"PGDMP\1"),
        **dict.fromkeys(("notes.txt", "sub/x"), b"-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n"),
        **dict.fromkeys(("server.key", "ID_RSA", "sub/server.PEM", "sub/.env", ".Env.local", "sub/.git/config"), b"s"),
        **dict.fromkeys((".git-credentials", ".npmrc", "sub/.pypirc", "sub/.ssh/config", ".pgpass", "a.p12"), b"s"),
        "account.json": b'{"type": "service_account"}',
        "token-of-palio": b"palio_" + b"A1" * 16,
    }
    for name, text in {
        **secrets,
        "sub/book.bin": b"book",
        "certificates.pem": b"-----BEGIN CERTIFICATE-----\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    (folder / "hard").hardlink_to(folder / "palio.db")
    names = [*secrets, "hard"]
    program = f"""
here = os.path.dirname(__file__)
for name in {names!r}:
    attempt(open, os.path.join(here, name))
    attempt(open, name)
print([len(open(os.path.join(here, name)).read()) for name in ("sub/book.bin", "certificates.pem")])
"""
    done = trial(folder, program, hidden=(folder / "palio.db",))
    assert undenied(done.out) == ["[4, 28]"], done.out


def test_what_a_bot_needs_is_there(folder: Path):
    (folder / "weights.bin").write_bytes(b"1234")
    program = """
import json
print(open("weights.bin", "rb").read(), open(os.path.dirname(__file__) + "/weights.bin", "rb").read())
print(os.getcwd(), os.environ["HOME"], open("/dev/zero", "rb").read(2), len(os.urandom(4)))
open("notes.txt", "w").write("mine"); open("/tmp/notes.txt", "w").write("mine"); open("/dev/null", "w").write("x")
print(sorted(os.environ)); print(os.listdir("/proc/self/fd"))
print(sorted(p for p in os.listdir("/proc") if p.isdigit()))
worker = threading.Thread(target=print, args=("thread",)); worker.start(); worker.join()
print(subprocess.run(["echo", "process"], capture_output=True, text=True).stdout)
print(socket.gethostname(), socket.socketpair()[0].family)
"""
    done = trial(folder, program, hidden=(folder / "palio.db",))
    assert "b'1234' b'1234'" in done.out
    assert "/scratch /scratch b'\\x00\\x00' 4" in done.out
    assert "['0', '1', '2', '3']" in done.out  # 3 is the folder that it looks at
    assert "['1', '2']" in done.out
    assert "thread" in done.out
    assert "process" in done.out
    assert "palio" in done.out
    assert (done.code, done.used_up) == (0, "")


def test_no_password_reaches_a_bot_and_no_variable_of_ours(folder: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("PALIO_DB", "PALIO_TOKEN", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "HOME"):
        monkeypatch.setenv(name, "secret")
    done = trial(folder, "print(dict(os.environ)); print(open('/proc/1/cmdline').read())")
    assert "secret" not in done.out
    assert "PALIO_LIMITS" in done.out


TAKERS = {  # which limit is named, by whatever way it is used up
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
    program = """
import resource
print([resource.getrlimit(kind) for kind in (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE)])
print(resource.getrlimit(resource.RLIMIT_NPROC)[1], open("/proc/self/oom_score_adj").read().strip())
print(os.getsid(0) == os.getpid(), signal.pthread_sigmask(signal.SIG_BLOCK, []), flush=True)
if os.fork() == 0:
    os.abort()
print(os.WCOREDUMP(os.wait()[1]), [name for name in os.listdir(".") if "core" in name])
"""
    done = trial(folder, program)
    lines = done.out.splitlines()
    assert lines[0] == str([(0, 0), (256, 256), (16 * MIB, 16 * MIB)])
    assert lines[1] == f"{16 + 64} 1000"
    assert lines[2] == "True set()"
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


def marked(text: str) -> list[int]:
    """Processes of this machine with this word in their command lines."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (each / "cmdline").read_bytes().split(b"\0"):
                found.append(int(each.name))
        except OSError:
            continue
    return found


def gone(text: str) -> bool:
    until = time.monotonic() + 10
    while marked(text) and time.monotonic() < until:
        time.sleep(0.02)
    return not marked(text)


LEAVES = """
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)", "WORD"])
        os._exit(0)
time.sleep(AFTER)
"""


def test_children_that_are_left_behind_end_with_the_program(folder: Path, tmp_path: Path):
    word = f"left-{tmp_path.name}"
    done = trial(folder, LEAVES.replace("WORD", word).replace("AFTER", "0.3"))
    assert done.code == 0
    assert gone(word)


def test_all_end_with_whoever_has_started_the_sandbox_even_by_kill_9(folder: Path, tmp_path: Path):
    word = f"killed-{tmp_path.name}"
    starter = (
        "import sys; from pathlib import Path; from sandbox_trial import trial;"
        f" trial(Path({str(folder)!r}), {LEAVES.replace('WORD', word).replace('AFTER', '60')!r}, seconds=60)"
    )
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    process = subprocess.Popen([sys.executable, "-c", starter], env=os.environ | {"PYTHONPATH": path})
    until = time.monotonic() + 20
    while len(marked(word)) < 3 and time.monotonic() < until:
        time.sleep(0.02)
    assert len(marked(word)) == 3
    process.kill()
    process.wait()
    assert gone(word)


def test_a_socket_without_a_file_is_its_own(folder: Path, tmp_path: Path):
    name = f"\0{tmp_path.name}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name)
        listener.listen()
        done = trial(folder, f"attempt(socket.socket(socket.AF_UNIX).connect, {name!r})")
    assert done.denied


def test_two_sandboxes_see_nothing_of_each_other(folder: Path):
    assert trial(folder, "open('/scratch/mine', 'w'); open('/tmp/mine', 'w'); open('/dev/shm/mine', 'w')").code == 0
    done = trial(folder, "print([os.path.exists(p + '/mine') for p in ('/scratch', '/tmp', '/dev/shm')])")
    assert done.out == "[False, False, False]\n"


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
    done = trial(folder, program, limits=Limits(memory=64 * MIB, processes=16))
    assert done.used_up == "memory 64M used up"
    assert before - int(Path("/proc/meminfo").read_text().split("MemAvailable:")[1].split()[0]) < 2 << 20  # KiB
    assert LIMITS.memory  # others have theirs
