"""The filter of system calls in real processes: what is not listed is refused, and programs get on with the rest."""

import errno
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import lacking
from sandbox_trial import LIMITS, run_words, trial, trial_as_nobody

from palio_server.sandbox import syscalls
from palio_server.sandbox.bubblewrap import GIB, MIB, SandboxLimits

pytestmark = pytest.mark.usefixtures("bubblewrap")
ON_X86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="other machines have no second convention")
X32 = 0x40000000
BEFORE_FILTERS = {335, 336}  # uretprobe, uprobe of x86_64: the kernel lets no filter see them, and ends who calls them
ROOMY = SandboxLimits(memory=GIB, processes=32, scratch=64 * MIB)
MACHINE_CODE = """
def native(code):
    place = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
    place.write(code)
    kept.append(place)
    return ctypes.CFUNCTYPE(ctypes.c_int64)(ctypes.addressof(ctypes.c_char.from_buffer(place)))
kept = []
"""
PROGRAMS = Path(__file__).parent / "sandbox_programs"
LANGUAGES = {  # file, what builds it, what runs it
    "JavaScript": ("program.mjs", (), ("node", "./program.mjs")),
    "Go": ("program.go", ("go", "build", "-o", "program", "program.go"), ("./program",)),
    "Rust": ("program.rs", ("rustc", "program.rs", "-o", "program"), ("./program",)),
    "C++": ("program.cpp", ("g++", "-std=c++17", "-pthread", "program.cpp", "-o", "program"), ("./program",)),
    "Java": ("Program.java", ("javac", "-d", "classes", "Program.java"), ("java", "-cp", "./classes", "Program")),
    "Python": ("program.py", (), (sys.executable, "./program.py")),
    "a shell": ("program.sh", (), ("/bin/bash", "./program.sh")),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "bots"
    found.mkdir()
    return found


def unlisted() -> list[int]:
    """Numbers that the filter does not know, those included that a newer kernel may give out."""
    listed = [*syscalls.ALLOWED.values(), syscalls.CONDITIONAL, *syscalls.REFUSED.values()]
    known = {number for each in listed for number in syscalls.numbers(each, platform.machine()).values()}
    return sorted(set(range(1024)) - known - BEFORE_FILTERS)


def test_the_kernel_refuses_each_number_that_is_not_on_the_list(folder: Path):
    program = f"""
for number in {unlisted()}:
    if libc.syscall(number, -1, -1, -1, -1, -1, -1) != -1 or ctypes.get_errno() != errno.ENOSYS:
        print(number, os.strerror(ctypes.get_errno()), flush=True)
print("tried")
"""
    done = trial(folder, program)
    assert (done.out, done.code) == ("tried\n", 0)


def test_what_is_refused_by_another_error_gets_that_error(folder: Path):
    wanted = {
        number: error
        for error, listed in syscalls.REFUSED.items()
        for number in syscalls.numbers(listed, platform.machine()).values()
    }
    program = f"""
found = {{}}
for number in {list(wanted)}:
    assert libc.syscall(number, -1, -1, -1, -1, -1, -1) == -1, number
    found[number] = ctypes.get_errno()
print(list(found.items()))
"""
    assert trial(folder, program).out == f"{list(wanted.items())}\n"


@ON_X86
def test_calls_by_the_numbers_of_x32_are_refused(folder: Path):
    """getpid, write and mmap are allowed by their own numbers; by those of x32 no call is."""
    program = f"""
tried = [*range(600), 39, 1, 9]
wrong = [n for n in tried if libc.syscall({X32} | n, -1, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != {errno.ENOSYS}]
print(wrong, libc.syscall(39) == os.getpid())
"""
    assert trial(folder, program).out == "[] True\n"


@ON_X86
def test_calls_by_the_numbers_of_i386_are_refused(folder: Path):
    """`int 0x80` takes 32-bit numbers in a 64-bit program, too: 20 is getpid there, and writev by ours."""
    program = (
        MACHINE_CODE
        + """
for number in (20, 4, 90, 192, 102, 117):  # getpid, write, mmap, mmap2, socketcall, ipc
    # push rbx; mov eax, number; xor ebx, ebx; xor ecx, ecx; xor edx, edx; int 0x80; cdqe; pop rbx; ret
    code = bytes.fromhex("53b8" + number.to_bytes(4, "little").hex() + "31db31c931d2cd8048985bc3")
    if os.fork() == 0:
        found = native(code)()
        os._exit(-found if -100 < found < 0 else 200)
    status = os.wait()[1]
    print(number, "killed" if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
"""
    )
    done = trial(folder, program)
    assert done.code == 0, done.out
    # A kernel without these calls ends the program; no other one of them gets through.
    assert {line.split()[1] for line in done.out.splitlines()} <= {str(errno.EPERM), "killed"}, done.out
    assert len(done.out.splitlines()) == 6


REFUSED = {  # memory of the kernel that belongs to no process, requested in several ways
    "a lock of a range": "import fcntl\nattempt(fcntl.lockf, open('x', 'w'), fcntl.LOCK_EX, 1, 1)",
    "a lock of an open file's range": (
        "import fcntl, struct\nattempt(fcntl.fcntl, open('x', 'w'), 37, struct.pack('hhqqi4x', 1, 0, 0, 1, 0))"
    ),
    "a lease": "import fcntl\nattempt(fcntl.fcntl, os.open('x', os.O_CREAT), 1024, 0)",
    "a larger pipe": "import fcntl\nattempt(fcntl.fcntl, os.pipe()[1], 1031, 1 << 20)",
    "pages in a pipe": "attempt(call, 278, os.pipe()[1], ctypes.byref((ctypes.c_uint64 * 2)()), 1, 0)",
    "pages of a file in a pipe": "attempt(os.sendfile, os.pipe()[1], os.open(sys.executable, 0), 0, 4096)",
    "one pipe's pages in another": "attempt(call, 276, os.pipe()[0], os.pipe()[1], 4096, 0)",
    "a context of asynchronous reading": "attempt(call, 206, 65536, ctypes.byref(ctypes.c_uint64()))",
    "a queue for POSIX messages": "attempt(call, 240, b'mine', 66, 0o600, 0)",
    "a timer of the kernel's": "attempt(call, 222, 1, 0, ctypes.byref(ctypes.c_int()))",
    "a watch of files": "attempt(call, 294, 0)",
    "locked memory": "attempt(call, 149, ctypes.create_string_buffer(4096), 4096)",
    "huge pages": "attempt(mmap.mmap, -1, 2 << 20, 0x40000 | mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)",
    "a larger buffer": "attempt(socket.socketpair()[0].setsockopt, socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)",
    "a filter of a socket's": "attempt(socket.socketpair()[0].setsockopt, socket.SOL_SOCKET, 26, bytes(16))",
    "a socket for datagrams": "attempt(socket.socket, socket.AF_UNIX, socket.SOCK_DGRAM)",
    "a filter of its own": "attempt(call, 317, 1, 0, 0)",
    "attributes of files": "attempt(os.setxattr, 'y' if open('y', 'w') else '', 'user.mine', bytes(999))",
    "a table of futexes": "attempt(lambda: libc.prctl(78, 1, 1 << 20, 0) and call(157, 78, 1, 1 << 20, 0))",
    "names of mappings": "attempt(call, 157, 0x53564d41, 0, 0, 0, 0)",
    "hiding": "attempt(call, 157, 4, 0, 0, 0, 0)",
    "processors": "attempt(os.sched_setaffinity, 0, {0})",
    "another policy": "attempt(os.sched_setscheduler, 0, os.SCHED_BATCH, os.sched_param(0))",
    "the whole machine's disk": "attempt(call, 162)",
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of system calls")
def test_no_memory_is_had_that_belongs_to_no_process(folder: Path):
    program = "\n".join(f"print({name!r} + ':', end=' ')\n{code}" for name, code in REFUSED.items())
    done = trial(folder, program)
    assert [line for line in done.out.splitlines() if ": denied:" not in line] == []
    assert len(done.out.splitlines()) == len(REFUSED)
    assert (done.code, done.used_up) == (0, "")


SOCKETS = {  # buffers are full when their sockets are closed, or not accepted
    "in a queue that nobody accepts": """
listener = socket.socket(socket.AF_UNIX)
listener.bind("/tmp/mine")
listener.listen(4096)
while True:
    client = socket.socket(socket.AF_UNIX)
    client.setblocking(False)
    try:
        client.connect("/tmp/mine")
        while True:
            client.send(bytes(65536))
    except BlockingIOError:
        client.close()
""",
    "open in many processes": """
for _ in range(12):
    if os.fork() == 0:
        kept = [each for _ in range(100) for each in socket.socketpair()]
        for each in kept:
            each.setblocking(False)
            try:
                while True:
                    each.send(bytes(65536))
            except BlockingIOError:
                pass
        time.sleep(30)
time.sleep(30)
""",
}


@pytest.mark.parametrize("way", SOCKETS)
def test_what_sockets_hold_is_memory_of_the_bots(folder: Path, way: str):
    assert trial(folder, SOCKETS[way]).used_up == "memory 192M used up"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_the_same_in_an_ordinary_users_sandbox(folder: Path):
    assert trial_as_nobody(folder, SOCKETS["in a queue that nobody accepts"]).used_up == "memory 192M used up"


def test_a_book_in_sqlite_is_read_and_one_of_its_own_written_without_locks(folder: Path):
    """docs/how-to/python-bots.md says how: locks of ranges are memory that belongs to no process."""
    import sqlite3

    with sqlite3.connect(folder / "book.sqlite") as book:
        book.execute("create table moves (move text)")
        book.execute("insert into moves values ('a1')")
    book.close()
    program = """
import sqlite3
book = sqlite3.connect("file:book.sqlite?immutable=1", uri=True)
mine = sqlite3.connect("file:mine.sqlite?vfs=unix-dotfile", uri=True)
mine.execute("create table seen (move text)")
mine.executemany("insert into seen values (?)", book.execute("select move from moves"))
mine.commit()
print(mine.execute("select * from seen").fetchall())
"""
    (folder / "program.py").write_text(program)
    words = [sys.executable, "./program.py", "./book.sqlite"]
    assert run_words(folder, words, LIMITS).out == "[('a1',)]\n"
    assert "no such table: moves" in run_words(folder, words[:2], LIMITS).out


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_threads_files_children_sockets_and_timers_of_each_language_work(folder: Path, language: str):
    file, build, program = LANGUAGES[language]
    tool = (build or program)[0]
    if shutil.which(tool) is None:
        lacking(language, f"install {tool}")
    shutil.copy(PROGRAMS / file, folder)
    if build:
        environment = os.environ | {"GOCACHE": os.environ.get("GOCACHE", str(folder / ".cache"))}
        subprocess.run(build, cwd=folder, check=True, env=environment)
    done = run_words(folder, program, ROOMY)
    assert done.out.endswith("played child\n"), done.out
    assert (done.code, done.used_up) == (0, "")


NEEDS = {  # what programs do by each group of calls; without the group it fails
    "memory": "m = mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS); m.madvise(4); m.close()",
    "reading and writing": "os.write(os.dup(1), b'')",
    "files": "os.stat('.'); os.listdir('.'); open('/dev/null').close()",
    "changes to files": "os.mkdir(f'x{os.getpid()}'); os.rmdir(f'x{os.getpid()}')",
    "waiting": "r, w = os.pipe(); import select; select.epoll().register(r); select.select([r], [], [], 0)",
    "sockets": "a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'",
    "processes and threads": "pid = os.fork() or os._exit(0); os.waitpid(pid, 0)",
    "signals": "signal.signal(signal.SIGALRM, print); signal.pthread_sigmask(0, [])",
    "time": "time.sleep(0.001); time.clock_getres(1)",
    "the machine and oneself": "os.getuid(); os.sched_getaffinity(0); os.uname(); os.getrandom(4)",
}


@pytest.mark.parametrize("group", syscalls.ALLOWED)
def test_each_group_of_calls_is_needed(tmp_path: Path, group: str, monkeypatch: pytest.MonkeyPatch):
    assert does_it(tmp_path, NEEDS[group])
    monkeypatch.setattr(syscalls, "ALLOWED", {name: text for name, text in syscalls.ALLOWED.items() if name != group})
    assert not does_it(tmp_path, NEEDS[group])


def does_it(folder: Path, code: str) -> bool:
    """Return True if `code` succeeds in a process with the present filter, without a sandbox around."""
    call, text = syscalls.filter_words(network=False)
    program = f"""
import ctypes, mmap, os, signal, socket, struct, sys, time
kept = ctypes.create_string_buffer(bytes.fromhex({text!r}))
head = struct.pack("HP", {len(text) // 16}, ctypes.addressof(kept))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.syscall({call}, 1, 0, head) == 0
{code}
os._exit(0)
"""
    words = [sys.executable, "-I", "-S", "-c", program]
    return subprocess.run(words, cwd=folder, capture_output=True, timeout=60, check=False).returncode == 0
