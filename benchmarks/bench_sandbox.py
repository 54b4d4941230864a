"""The cost of a sandbox for a bot: the delay of its program's start, and the warden's share of the processor.

    python benchmarks/bench_sandbox.py                   # 40 starts each, with and without, in turns
    python benchmarks/bench_sandbox.py --starts 10

A start is from the command to the program's first output; the program is Python itself.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import Figure, keep

from palio_server.sandbox.bubblewrap import SandboxLimits
from palio_server.sandbox.confinement import Confinement
from palio_server.sandbox.spec_files import files_of

MORE_MS = 50.0
SAYS = "import sys; print('here', flush=True); sys.stdin.read()"
STAYS_S = 5.0
TICKS = os.sysconf("SC_CLK_TCK")


def begin(words: list[str], *files: int) -> tuple[float, subprocess.Popen[bytes]]:
    """Start a program; return also the milliseconds until its first output."""
    begun = time.perf_counter()
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=files)
    assert process.stdout is not None
    process.stdout.readline()
    return 1000 * (time.perf_counter() - begun), process


def end(process: subprocess.Popen[bytes]) -> None:
    process.communicate()


def confined(confinement: Confinement, folder: Path, report: int) -> list[str]:
    """Return the same program in a sandbox, as a bot whose folder has the database in it."""
    found = files_of(str(folder / "mine.py"))
    return confinement.command(program(), found, socket=None, report=report, network=False)


def program() -> list[str]:
    return [sys.executable, "-I", "-c", SAYS]


def processor_s(pid: int) -> float:
    """Return the CPU seconds of a process and its children."""
    words = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    own = (int(words[11]) + int(words[12])) / TICKS
    return own + sum(processor_s(int(child)) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def measured(starts: int) -> tuple[list[float], list[float], float]:
    """Return milliseconds of starts without and with a sandbox, and the warden's share of a processor."""
    reading, writing = os.pipe()
    free, held = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in ("mine.py", "weights.bin", "palio.db"):
            (folder / file).touch()
        confinement = Confinement(SandboxLimits(), "require", (folder / "palio.db",))
        confinement.text(network=False)  # tests whether it works
        for _ in range(starts):
            took, process = begin(program())
            end(process)
            free.append(took)
            took, process = begin(confined(confinement, folder, writing), writing)
            end(process)
            held.append(took)
        _, process = begin(confined(confinement, folder, writing), writing)
        before = processor_s(process.pid)
        time.sleep(STAYS_S)
        share = (processor_s(process.pid) - before) / STAYS_S
        end(process)
    os.close(reading)
    os.close(writing)
    return free, held, share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=40)
    free, held, share = measured(parser.parse_args().starts)
    more = statistics.median(held) - statistics.median(free)
    print(f"a start without a sandbox: {statistics.median(free):6.1f} ms (fastest {min(free):.1f})")
    print(f"a start in a sandbox:      {statistics.median(held):6.1f} ms (fastest {min(held):.1f})")
    print(f"the warden while its bot waits: {100 * share:.2f} % of a processor")
    figure = Figure("a bot's start in a sandbox, more than without", more, "ms", MORE_MS, less_is_better=True)
    print(figure.line(len(figure.what)))
    keep([figure])


if __name__ == "__main__":
    main()
