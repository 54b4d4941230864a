"""The CPU time of a command and of each program that it starts, from Linux's /proc."""

import os
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

LOOK_S = 0.1  # between two samples: with a shorter time, sampling would dominate the figures
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Process:
    """One program of the tree, at its last sample. `cpu_s`: user and system time, of all its threads."""

    command: str
    cpu_s: float = 0.0


@dataclass(slots=True)
class Tree:
    """All processes of a command, by their numbers; `root` is the command itself."""

    root: int
    wall_s: float = 0.0
    output: str = ""
    processes: dict[int, Process] = field(default_factory=dict)

    def cpu_s(self, word: str = "", *, root: bool = False) -> float:
        """Return the CPU time of the command itself, or of its descendants with `word` in their command lines."""
        if root:
            return self.processes[self.root].cpu_s
        below = (process for number, process in self.processes.items() if number != self.root)
        return sum(process.cpu_s for process in below if word in process.command)


def run(*command: str, cwd: Path | None = None, environment: dict[str, str] | None = None) -> Tree:
    """Run the command to its end. Raises RuntimeError with its output if it fails."""
    began = time.perf_counter()
    program = subprocess.Popen(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    tree, over = Tree(program.pid), threading.Event()
    watch = threading.Thread(target=_watch, args=(tree, over))
    watch.start()
    try:
        tree.output, _ = program.communicate()
        tree.wall_s = time.perf_counter() - began
    finally:
        over.set()
        watch.join()
    if program.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {program.returncode}: {tree.output[-2000:]}")
    return tree


def _watch(tree: Tree, over: threading.Event) -> None:
    while not over.wait(LOOK_S):
        _look(tree, tree.root)
        for number in list(tree.processes):  # also those whose parent has ended
            _look(tree, number)


def _look(tree: Tree, number: int) -> None:
    """Record a process and its new children. One that has just ended keeps its last sample."""
    folder = Path("/proc", str(number))
    try:
        fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        children = {child for file in folder.glob("task/*/children") for child in file.read_text().split()}
    except OSError:
        return
    process = tree.processes.setdefault(number, Process(command))
    process.command = command or process.command  # a forked process gets its own program's name later
    process.cpu_s = max(process.cpu_s, (int(fields[11]) + int(fields[12])) * TICK_S)
    for child in map(int, children):
        if child not in tree.processes:
            _look(tree, child)
