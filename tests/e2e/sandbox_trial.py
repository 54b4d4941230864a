"""Small programs in a sandbox, without a server: what they could do, and which limit they used up.

This file is a program, too, for trials as another user: `sandbox_trial.py FOLDER HIDDEN MEMORY PROCESSES SECONDS`
prints the trial of FOLDER/program.py as JSON.
"""

import contextlib
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from palio_server.sandbox.bubblewrap import MIB, SandboxLimits
from palio_server.sandbox.confinement import Confinement
from palio_server.sandbox.spec_files import SpecFiles, files_of

HEAD = """
import ctypes, errno, mmap, os, signal, socket, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def attempt(what, *arguments):
    try:
        print("DONE", repr(what(*arguments)))
    except (OSError, MemoryError) as error:
        print("denied:", error)
def call(*arguments):
    result = libc.syscall(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
"""
LIMITS = SandboxLimits(memory=192 * MIB, processes=16, scratch=16 * MIB, entries=2000)
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


@dataclass(frozen=True)
class Trial:
    """The end of a program: its exit code, its output, and the limit that was used up."""

    code: int
    out: str
    used_up: str
    seconds: float

    @property
    def denied(self) -> bool:
        """Return True if all its attempts were denied."""
        return "denied" in self.out and "DONE" not in self.out and self.code == 0


def trial(
    folder: Path,
    program: str,
    *,
    hidden: tuple[Path, ...] = (),
    limits: SandboxLimits = LIMITS,
    seconds: float = 30.0,
    extra: tuple[int, ...] = (),
    confinement: Confinement | None = None,
    spec: str = "",
) -> Trial:
    """Run `program` confined, as the bot in `folder`; `extra` files are open where it is started from.

    `spec` is the SPEC of the bot where it names more than the program.
    """
    (folder / "program.py").write_text(HEAD + program)
    return run(folder, hidden, limits, seconds, extra, confinement, spec)


def run(
    folder: Path,
    hidden: tuple[Path, ...],
    limits: SandboxLimits,
    seconds: float,
    extra: tuple[int, ...] = (),
    confinement: Confinement | None = None,
    spec: str = "",
) -> Trial:
    confinement = confinement or Confinement(limits, "require", hidden)
    file = str(folder / "program.py")
    return _run([sys.executable, "-I", "-S", "-u", file], files_of(spec or file), confinement, seconds, extra)


def run_words(folder: Path, program: Sequence[str], limits: SandboxLimits, seconds: float = 60.0) -> Trial:
    """Run a command line confined, which names files of `folder`: as `exec:` does it there."""
    words = [str(folder / word) if word.startswith("./") else word for word in program]
    words[0] = shutil.which(words[0]) or words[0]
    return _run(words, files_of(f"exec:{shlex.join(words)}"), Confinement(limits, "require"), seconds, ())


def _run(
    program: Sequence[str], found: SpecFiles, confinement: Confinement, seconds: float, extra: tuple[int, ...]
) -> Trial:
    reading, writing = os.pipe()
    try:
        words = confinement.command(program, found, socket=None, report=writing, network=False)
        begun = time.monotonic()
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[writing, *extra],
            timeout=seconds,
            check=False,
        )
        took = time.monotonic() - begun
    finally:
        os.close(writing)
    with os.fdopen(reading) as report:
        return Trial(done.returncode, done.stdout.decode(errors="replace"), report.read(), took)


@dataclass
class Running:
    """A confined program that runs, and the end of a socket by which the server tells its warden what it awaits."""

    process: "subprocess.Popen[bytes]"
    server: socket.socket

    def numbers(self) -> dict[int, int]:
        """All processes in the sandbox, by their numbers within: their numbers here."""
        namespace = _namespace(self._first())
        found = {}
        for each in Path("/proc").glob("[0-9]*"):
            try:
                if _namespace(int(each.name)) == namespace:
                    lines = (each / "status").read_bytes().split(b"\n")
                    within = next(line for line in lines if line.startswith(b"NSpid:")).split()[-1]
                    found[int(within)] = int(each.name)
            except OSError:
                continue
        return found

    def rests_within(self, seconds: float) -> bool:
        """Return True if there is a moment at which only the warden computes."""
        return self._within(seconds, self._rests)

    def moves_within(self, seconds: float) -> bool:
        return self._within(seconds, lambda: not self._rests())

    def warden_gets(self, number: int) -> None:
        os.kill(self.numbers()[1], number)

    def _first(self) -> int:
        """The warden, which is bubblewrap's child."""
        return int(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[0])

    def _rests(self) -> bool:
        before = self._used()
        time.sleep(0.1)
        after = self._used()
        return bool(after) and after.keys() <= before.keys() and all(after[each] <= before[each] for each in after)

    def _used(self) -> dict[int, int]:
        found = {}
        for within, number in self.numbers().items():
            if within != 1:
                with contextlib.suppress(OSError):
                    found[within] = time.clock_gettime_ns((~number << 3) | 2)  # its time on the processor
        return found

    def _within(self, seconds: float, holds: Callable[[], bool]) -> bool:
        until = time.monotonic() + seconds
        while not (found := holds()) and time.monotonic() < until:
            assert self.process.poll() is None, "it has ended"
        return found


def _namespace(number: int) -> str:
    return str(Path(f"/proc/{number}/ns/pid").readlink())


@contextlib.contextmanager
def started(folder: Path, program: str, limits: SandboxLimits = LIMITS) -> Iterator[Running]:
    """Run `program` confined while the context lasts; it has said a line."""
    (folder / "program.py").write_text(HEAD + program)
    file = str(folder / "program.py")
    ours, theirs = socket.socketpair()
    words = Confinement(limits, "require").command(
        [sys.executable, "-I", "-S", "-u", file], files_of(file), socket=None, report=theirs.fileno(), network=False
    )
    with (
        ours,
        subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[theirs.fileno()],
        ) as process,
    ):
        theirs.close()
        assert process.stdout is not None
        process.stdout.readline()
        out = threading.Thread(target=process.stdout.read, daemon=True)
        out.start()
        try:
            yield Running(process, ours)
        finally:
            process.kill()
            out.join()


def trial_as_nobody(folder: Path, program: str, *, hidden: Path | None = None, limits: SandboxLimits = LIMITS) -> Trial:
    """The same by an ordinary user's bubblewrap; only root can become that user."""
    (folder / "program.py").write_text(HEAD + program)
    for place in (folder, *folder.parents):
        if place.stat().st_uid == os.getuid() and place != Path("/") and place.is_relative_to("/tmp"):
            place.chmod(place.stat().st_mode | 0o055 | (0o1000 if place == Path("/tmp") else 0))
    needed = [Path(each) for each in (*sys.path, sys.prefix, sys.base_prefix) if each]
    script = _as_nobody([*needed, Path(__file__).parent, folder.parent])
    numbers = (str(limits.memory), str(limits.processes), "30")
    done = subprocess.run(
        [
            "unshare",
            "-m",
            "sh",
            "-e",
            "-c",
            script,
            "sh",
            sys.executable,
            __file__,
            folder,
            str(hidden or ""),
            *numbers,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd="/",
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    return Trial(**json.loads(done.stdout))


def _as_nobody(needed: Sequence[Path]) -> str:
    """Return a script that runs its arguments as user 65534, in a mount namespace of its own."""
    below: dict[Path, set[Path]] = {}
    for place in needed:
        closed = next((each for each in (*reversed(place.parents), place) if not _is_open(each)), None)
        if closed is not None:
            below.setdefault(closed, set()).add(place)
    lines = ["umask 022", "mount --make-rprivate /"]
    for closed, places in below.items():
        lines += ["aside=$(mktemp -d)", f'mount --rbind {shlex.quote(str(closed))} "$aside"']
        lines += [f"mount -t tmpfs -o mode=755 tmpfs {shlex.quote(str(closed))}"]
        for place in sorted(places):
            there, kept = shlex.quote(str(place)), shlex.quote(str(place.relative_to(closed)))
            lines.append(f'if [ -d "$aside"/{kept} ]; then mkdir -p {there}; mount --rbind "$aside"/{kept} {there}; fi')
        lines.append('umount -l "$aside"')
    return "\n".join((*lines, f'exec {shlex.join(NOBODY)} "$@"'))


def _is_open(folder: Path) -> bool:
    """Return True if all users can enter `folder`, or if it does not exist."""
    return not folder.is_dir() or bool(folder.stat().st_mode & 0o001)


if __name__ == "__main__":
    folder, hidden, memory, processes, seconds = sys.argv[1:]
    limits = SandboxLimits(int(memory), int(processes), scratch=LIMITS.scratch, entries=LIMITS.entries)
    found = run(Path(folder), (Path(hidden),) if hidden else (), limits, float(seconds))
    sys.stdout.write(json.dumps(asdict(found)))
