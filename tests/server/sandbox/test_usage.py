"""The resources of processes, read from /proc: a process writes parts of these files itself, and gains
nothing by it.
"""

import platform
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from palio_server.sandbox import usage

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux has /proc")
# Names that a program may give itself, at most 15 bytes of them.
NAMES = [
    b"RssAnon: 0",
    b"RssAnon:\t0 kB",
    b"a\nRssAnon: 0\n",
    b") R 1 2",
    b"((",
    b"a b c",
    b"Threads:\t1",
    b"\xff\xfe:",
    b"x\nVmPTE:",
    b"",
]
EXIT = 60 if platform.machine() == "x86_64" else 93  # the system call that ends one thread
STATUS = b"Name:\t%s\nState:\tR (running)\nVmPTE:\t       8 kB\nVmSwap:\t       4 kB\nRssAnon:\t  100 kB\nThreads:\t2\n"
NAMED = """
import os, sys, threading, ctypes
name = bytes.fromhex(sys.argv[1])
kept = b"x" * (32 << 20)
def rename(number):
    ctypes.CDLL(None).prctl(15, name, 0, 0, 0)  # PR_SET_NAME
    ready.wait()
    asleep.wait()
ready, asleep = threading.Barrier(3), threading.Event()
for number in range(2):
    threading.Thread(target=rename, args=(number,), daemon=True).start()
ctypes.CDLL(None).prctl(15, name, 0, 0, 0)
ready.wait()
print("ready", flush=True)
sys.stdin.read()
"""
names = st.binary(max_size=15).filter(lambda name: b"\0" not in name)


@given(names)
@example(b"RssAnon: 0")
@example(b"VmSwap:\t9 kB")
def test_a_name_hides_no_memory_and_adds_none(name: bytes):
    escaped = name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n")  # as the kernel writes it there
    assert usage.memory_of(STATUS % escaped) == 112 * 1024


@pytest.mark.parametrize(
    "size", [b"", b"100", b"100 MB", b"-1 kB", b"1e3 kB", b"0x10 kB", b"kB", b"\xb2 kB", b"1 2 kB"]
)
@pytest.mark.parametrize("key", usage.COUNTED)
def test_a_size_that_cannot_be_read_counts_as_more_than_any_limit(key: bytes, size: bytes):
    lines = {**dict.fromkeys(usage.COUNTED, b"1 kB"), key: size}
    assert usage.memory_of(b"".join(b"%s:\t%s\n" % line for line in lines.items())) == usage.WORST


@pytest.mark.parametrize("key", usage.COUNTED)
def test_a_size_that_is_missing_beside_others_counts_as_more_than_any_limit(key: bytes):
    lines = [b"%s:\t1 kB\n" % each for each in usage.COUNTED if each != key]
    assert usage.memory_of(b"".join(lines)) == usage.WORST


def test_a_process_without_any_of_the_sizes_has_no_memory():
    assert usage.memory_of(b"Name:\tRssAnon: 5 kB\nState:\tZ (zombie)\nThreads:\t1\n") is None


def test_a_key_counts_as_it_is_written_and_where_it_comes_first():
    found = usage.fields(b"Name:\tVmPTE: 1 kB\n RssAnon:\t1\nrssanon:\t2\nRssAnon:\t3 kB\nRssAnon:\t4 kB\nno field\n")
    assert found[b"RssAnon"] == b"3 kB"
    assert found[b"Name"] == b"VmPTE: 1 kB"
    assert b"VmPTE" not in found


@given(names, st.lists(st.integers(0, 10**9), min_size=3, max_size=20))
@example(b") R 1 2", [1, 2, 3])
@example(b")\n7 (a) Z 0", [1, 2, 3])
def test_what_follows_a_name_in_stat_is_found_whatever_the_name_is(name: bytes, numbers: list[int]):
    stat = b"7 (%s) S %s\n" % (name, b" ".join(b"%d" % each for each in numbers))
    assert usage.after_name(stat) == [b"S", *(b"%d" % each for each in numbers)]


@pytest.mark.parametrize("name", NAMES)
def test_memory_and_threads_of_a_real_process_are_found_whatever_it_is_called(name: bytes):
    with subprocess.Popen([sys.executable, "-I", "-c", NAMED, name.hex()], stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        memory, tasks = usage._process(str(process.pid))
        assert 32 << 20 < memory < 256 << 20
        assert len(tasks) == 3
        assert tasks[0] == str(process.pid)
        process.kill()


def test_memory_is_found_though_the_first_thread_of_a_process_has_ended():
    program = (
        "import ctypes, os, sys, threading, time\nkept = b'x' * (32 << 20)\ndef stay():\n"
        "    while '(zombie)' not in open(f'/proc/{os.getpid()}/status').read(): time.sleep(0.01)\n"
        "    print('ready', flush=True); sys.stdin.read()\n"
        f"threading.Thread(target=stay).start()\nctypes.CDLL(None).syscall({EXIT}, 0)"
    )
    with subprocess.Popen([sys.executable, "-I", "-c", program], stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        memory, tasks = usage._process(str(process.pid))
        assert memory > 32 << 20
        assert tasks[0] != str(process.pid)
        assert usage._open_files(str(process.pid), tasks[0]) >= 2
        assert usage._exactly({str(process.pid): tasks, "0": []}, 0) >= 32 << 20
        process.kill()


def test_limits_are_named_in_the_shortest_exact_spelling():
    assert [usage._size(size) for size in (2**30, 3 * 2**20, 2**10, 1000)] == ["1G", "3M", "1K", "1000"]
