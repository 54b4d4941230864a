"""The cost of a bot's move beside a bot that takes the processor: a fixed piece of work, alone and beside hogs.

    python benchmarks/bench_hogs.py                      # all hogs, 12 pairs each
    python benchmarks/bench_hogs.py --pairs 5 sessions threads
    python benchmarks/bench_hogs.py --served --cores 1   # bots that keep the server busy, in matches of `palio run`

Each hog runs in a sandbox. Its opponent's work is done here, in a separate process: alone and beside the hog in turns,
so that other load on this machine affects both. Before each piece of work beside it the hog has a turn, as in a match.
With `--other-match` the hog's turn goes on meanwhile: the work is another match's, and there are as many as cores.

With `--served` the hog writes to the server what that has to read: the milliseconds of its opponent's moves by the
server's clock, in a match against the hog and in one against a harmless bot, in turns.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from figures import Figure, keep

from palio_server.sandbox.bubblewrap import SandboxLimits
from palio_server.sandbox.confinement import Confinement
from palio_server.sandbox.spec_files import files_of

MOST = 1.15  # times the duration of the work alone
WORK = 2_000_000  # rounds of a loop: some tenths of a second
TURN_S = 0.02  # of the hog's own move
HEAD = """
import ctypes, hashlib, mmap, os, signal, sys, threading, time
def times(number, work, session=False):
    for _ in range(number):
        if os.fork() == 0:
            if session: os.setsid()
            work()
def burn():
    while True: pass
print("here", flush=True)
"""
HOGS = {
    "one thread": "burn()",
    "sessions": "times(24, burn, session=True)\nburn()",
    "in step": (
        "def work():\n    while True:\n        while time.monotonic() % 0.02 < 0.01: pass\n"
        "        time.sleep(0.02 - time.monotonic() % 0.02)\ntimes(24, work, session=True)\nwork()"
    ),
    "threads": (
        "data = bytes(1 << 20)\ndef work():\n    while True: hashlib.sha256(data)\n"
        "for _ in range(24): threading.Thread(target=work).start()"
    ),
    "short lives": (
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\ndef work():\n    while True:\n        if os.fork() == 0:\n"
        "            until = time.monotonic() + 0.005\n            while time.monotonic() < until: pass\n"
        "            os._exit(0)\n        try: os.wait()\n        except OSError: pass\ntimes(12, work)\nwork()"
    ),
    "orphans": (
        "def work():\n    while True:\n        if os.fork() == 0:\n            os.setsid()\n"
        "            if os.fork() == 0:\n                until = time.monotonic() + 0.02\n"
        "                while time.monotonic() < until: pass\n            os._exit(0)\n        os.wait()\n"
        "        time.sleep(0.02)\ntimes(4, work)\nwork()"
    ),
    "memory": (
        "def work():\n    a, b = bytearray(32 << 20), bytearray(32 << 20)\n    while True: a[:] = b; b[:] = a\n"
        "times(4, work, session=True)\nwork()"
    ),
    "system calls": "def work():\n    while True: os.stat('/')\ntimes(20, work, session=True)\nwork()",
    "page faults": (
        "def work():\n    while True:\n        m = mmap.mmap(-1, 8 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
        "        for at in range(0, 8 << 20, 4096): m[at] = 1\n        m.close()\ntimes(20, work, session=True)\nwork()"
    ),
    "pipes": (
        "def pair():\n    a, b = os.pipe(), os.pipe()\n    if os.fork() == 0:\n"
        "        while True: os.write(b[1], os.read(a[0], 1))\n"
        "    while True: os.write(a[1], b'x'); os.read(b[0], 1)\ntimes(10, pair, session=True)\npair()"
    ),
    "floods": (
        "def work():\n    while True: os.write(1, b'x\\n' * 30000); os.write(2, b'y\\n' * 30000)\n"
        "times(8, work, session=True)\nwork()"
    ),
    "timers": (  # that would wake it again
        "libc = ctypes.CDLL(None)\nclass Event(ctypes.Structure):\n"
        "    _fields_ = [('value', ctypes.c_void_p), ('signo', ctypes.c_int), ('notify', ctypes.c_int),"
        " ('pad', ctypes.c_char * 48)]\n"
        "def work():\n    signal.signal(signal.SIGCONT, lambda *_: None)\n"
        "    timer, spec = ctypes.c_void_p(), (ctypes.c_long * 4)(0, 1000000, 0, 1000000)\n"
        "    libc.timer_create(1, ctypes.byref(Event(None, signal.SIGCONT, 0)), ctypes.byref(timer))\n"
        "    libc.timer_settime(timer, 0, spec, None)\n    burn()\ntimes(8, work, session=True)\nwork()"
    ),
}

SERVED = {  # by a child of the bot, which has the address of its socket in `path`; `own` are its open sockets
    "requests": (
        "with link() as peer:\n    peer.setblocking(False)\n    while True:\n"
        "        try: peer.send(b'GET /api/matches HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' * 1000)\n"
        "        except BlockingIOError: time.sleep(0.001)\n"
        "        try:\n            while peer.recv(1 << 20): pass\n        except BlockingIOError: pass"
    ),
    "hellos": (
        "while True:\n    with link() as peer:\n"
        "        peer.send(json.dumps({'type': 'hello', 'name': 'hog', 'games': ['breakthrough']}).encode() + b'\\n')\n"
        "        heard(peer)"
    ),
    "connects": "while True:\n    link().close()",
    "pings": (  # fewer than the server calls a flood
        "while True:\n    for peer in own: peer.send(b'\\x89\\x80\\0\\0\\0\\0' * 200)\n    time.sleep(0.4)"
    ),
    "floods": "while True:\n    os.write(1, b'x\\n' * 30000)\n    os.write(2, b'y\\n' * 30000)",
    "words": "while True:\n    os.write(1, b'x\\n')\n    os.write(2, b'y\\n')",
}
BOTS = """
import json, os, socket, sys, time
from palio_clients import Bot
path = next((word for word in open("/proc/self/cmdline").read().split("\\0") if "+unix" in word), "")[10:]
def link():
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(1)
    peer.connect(path)
    return peer
def heard(peer):
    try: peer.recv(1 << 20)
    except TimeoutError: pass
def attack():
    own = [socket.socket(fileno=int(each)) for each in os.listdir("/proc/self/fd")
           if os.path.exists(f"/proc/self/fd/{each}") and os.readlink(f"/proc/self/fd/{each}").startswith("socket")]
    while True:
        try:
            exec(ATTACK, globals() | {"own": own})
        except OSError:
            time.sleep(0.001)
class Mine(Bot):
    begun = False
    def choose(self, state, clock):
        if ATTACK and not Mine.begun:
            Mine.begun = True
            if os.fork() == 0:
                attack()
        for each in range(ROUNDS): pass
        return next(state.legal_moves())
"""
PLIES, SERVED_WORK = 24, 8_000_000  # of a match, and rounds of a loop in a move


def work() -> float:
    """Do the fixed piece of work in a process that exists already; return its milliseconds."""
    assert WORKER.stdin is not None
    assert WORKER.stdout is not None
    WORKER.stdin.write(b"\n")
    WORKER.stdin.flush()
    return 1000 * float(WORKER.stdout.readline())


WORKER = subprocess.Popen(
    [
        sys.executable,
        "-c",
        (
            "import sys, time\nfor _ in sys.stdin:\n    begun, n = time.perf_counter(), 0\n"
            f"    for each in range({WORK}): n ^= each\n    print(time.perf_counter() - begun, flush=True)"
        ),
    ],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    start_new_session=True,  # as a bot has one
)


@contextmanager
def hog(confinement: Confinement, folder: Path, source: str) -> Iterator[socket.socket]:
    """Run a hog in its sandbox; a byte sent by the socket begins or ends its turn."""
    file = folder / "hog.py"
    file.write_text(HEAD + source)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        words = confinement.command(
            [sys.executable, "-I", "-S", str(file)],
            files_of(str(file)),
            socket=None,
            report=theirs.fileno(),
            network=False,
        )
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        assert process.stdout is not None
        process.stdout.readline()
        draining = threading.Thread(target=_drain, args=(process.stdout,), daemon=True)
        draining.start()
        try:
            yield ours
        finally:
            process.kill()
            process.wait()
            draining.join()


def _drain(file: object) -> None:
    """Read no faster than a server does (`processes/bot_process.py`)."""
    while os.read(file.fileno(), 1 << 16):  # type: ignore[attr-defined]
        time.sleep(0.02)


def measured(
    confinement: Confinement, folder: Path, source: str, pairs: int, *, other: bool
) -> list[tuple[float, float]]:
    """Return milliseconds of the work alone and beside the hog."""
    found = []
    for _ in range(pairs):
        alone = work()
        with hog(confinement, folder, source) as turns:
            turns.sendall(b"1")
            time.sleep(0.3)  # its processes start
            for _ in range(3):
                turns.sendall(b"1")
                time.sleep(TURN_S)
                if not other:
                    turns.sendall(b"0")
                found.append((alone, work()))
    return found


def served(folder: Path, attack: str, cores: int) -> float:
    """Return the median of the milliseconds of the moves of a hog's opponent, its first one left out."""
    for name, source, rounds in (("hog", attack, 0), ("honest", "", SERVED_WORK)):
        (folder / f"{name}.py").write_text(f"ATTACK, ROUNDS = {source!r}, {rounds}\n{BOTS}")
    records = folder / "records.json"
    records.unlink(missing_ok=True)
    subprocess.run(
        ["palio", "run", "breakthrough", "./hog.py", "./honest.py", "--games-per-encounter", "1", "--st", "30",
         "--concurrency", "1", "--max-plies", str(PLIES), "--records", str(records), "--db", f"sqlite:///{folder}/db"],
        cwd=folder,
        check=True,
        capture_output=True,
        preexec_fn=lambda: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores]),
    )  # fmt: skip
    record = json.loads(records.read_text().splitlines()[-1])
    seat = record["setup"]["bots"].index("honest")
    return statistics.median([ply["ms"] for ply in record["plies"] if ply["seat"] == seat][1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = [[], *HOGS, *SERVED]
    parser.add_argument("hogs", nargs="*", choices=kinds, default=[], help="all of them if none is named")
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--other-match", action="store_true")
    parser.add_argument("--served", action="store_true")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1, help="of server and bots (with --served)")
    chosen = parser.parse_args()
    worst = 0.0
    print(f"{'hog':14} {'alone':>9} {'beside':>9}  times")
    with tempfile.TemporaryDirectory() as name:
        confinement = Confinement(SandboxLimits(), "require")
        confinement.text(network=False)  # tests whether it works
        for kind in chosen.hogs or (SERVED if chosen.served else HOGS):
            if chosen.served:
                both = ("", SERVED[kind])
                found = [[served(Path(name), attack, chosen.cores) for attack in both] for _ in range(chosen.pairs)]
                pairs = [(alone, beside) for alone, beside in found]
            else:
                pairs = measured(confinement, Path(name), HOGS[kind], chosen.pairs, other=chosen.other_match)
            times = statistics.median(beside / alone for alone, beside in pairs)
            alone, beside = (statistics.median(column) for column in zip(*pairs, strict=True))
            print(f"{kind:14} {alone:6.0f} ms {beside:6.0f} ms  {times:.2f}", flush=True)
            worst = max(worst, times)
    WORKER.kill()
    what = "a move beside a hog of another match" if chosen.other_match else "a move beside a hog"
    if chosen.served:
        what = f"a move against a bot that keeps the server busy, cores: {chosen.cores}"
    print(f"load of this machine: {os.getloadavg()[0]:.1f}")
    figure = Figure(what, worst, "times", MOST, less_is_better=True)
    print(figure.line(len(figure.what)))
    keep([figure])


if __name__ == "__main__":
    main()
