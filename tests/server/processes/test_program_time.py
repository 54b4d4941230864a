"""The processor time of a program: all that it starts counts, also after its end, and sleep does not."""

import subprocess
import sys

import pytest

from palio_server.processes.program_time import ProgramTime

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

BURN = "import time\ndef burn(s):\n    until = time.process_time() + s\n    while time.process_time() < until: pass\n"
# a child that has ended before the answer, threads, and sleep
CHILD = f"{BURN}import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BURN + 'burn(0.3)'!r}])\n"
THREADS = f"{BURN}import threading\nall = [threading.Thread(target=burn, args=(0.3,)) for _ in range(3)]\n"
THREADS += "for each in all: each.start()\nfor each in all: each.join()\n"
SLEEP = "import time\ntime.sleep(0.5)\n"


@pytest.mark.parametrize(("does", "least", "most"), [(CHILD, 0.3, 0.7), (THREADS, 0.3, 0.7), (SLEEP, 0.0, 0.3)])
def test_all_that_a_program_starts_counts(does, least, most):
    said = "print(1, flush=True)\ninput()\n"
    program = [sys.executable, "-S", "-c", f"{said}{does}print(2, flush=True)\ninput()\n"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        time = ProgramTime()
        before, _ = time.read([process.pid])
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        ran, waited = time.read([process.pid])
        process.stdin.close()
    assert least <= ran - before <= most
    assert waited >= 0


def test_a_program_that_has_no_processor_waits_for_it():
    """Two programs on one processor: each has what the other waits for."""
    import os

    cpu = min(os.sched_getaffinity(0))
    endless = [sys.executable, "-S", "-c", f"import os\nos.sched_setaffinity(0, [{cpu}])\nwhile True: pass"]
    both = [subprocess.Popen(endless) for _ in range(2)]
    try:
        times = [ProgramTime() for _ in both]
        while True:
            found = [time.read([process.pid]) for time, process in zip(times, both, strict=True)]
            if min(ran for ran, _ in found) > 0.3:
                break
        assert min(waited for _, waited in found) > 0.2
    finally:
        for process in both:
            process.kill()
            process.wait()
