"""Runs `palio` without its imports: one process has done them, and forks for every command.

What runs is a process like any other, with its own directory, environment, files, signals and exit code. Only the
second is missing that every interpreter takes to load the server; `test_command.py` starts without it.

This file is the program, too: its argument is the socket on which requests come. Each is JSON (`words`, `folder` and
`env`) with four files: stdin, stdout and stderr of the command, and where to write its process id, then its exit code.
"""

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

LONGEST = 1 << 20  # bytes of a request: an environment and a command line
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}  # a process with threads must not fork, and numpy would start some


class Forked:
    """A command that runs: what tests use of `subprocess.Popen`."""

    def __init__(self, answers: socket.socket) -> None:
        self._answers = answers
        self.returncode: int | None = None
        self.pid = self._answer()

    def poll(self) -> int | None:
        if self.returncode is None and select.select([self._answers], [], [], 0)[0]:
            self._ended()
        return self.returncode

    def wait(self, timeout: float) -> int:
        """The exit code, or minus the signal. Raises TimeoutError after `timeout` seconds."""
        if self.returncode is None:
            if not select.select([self._answers], [], [], timeout)[0]:
                raise TimeoutError(f"process {self.pid} has not ended within {timeout} s")
            self._ended()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ends just now, and the news is still on its way
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _ended(self) -> None:
        self.returncode = self._answer()
        self._answers.close()

    def _answer(self) -> int:
        text = self._answers.recv(16)
        if not text:
            raise RuntimeError("the fork server has died; what it wrote on stderr says why")
        return int(text)


class ForkServer:
    """The process that forks. It starts with the first command, and ends with `close`."""

    def __init__(self) -> None:
        self._requests: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, words: tuple[str, ...], folder: Path, env: dict[str, str], stdout: int, stderr: int) -> Forked:
        """Run `palio WORDS` in `folder`, with these open files."""
        self._requests = self._requests or self._launch()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = json.dumps({"words": words, "folder": str(folder), "env": env}).encode()
        with theirs, Path(os.devnull).open() as stdin:
            socket.send_fds(self._requests, [request], [stdin.fileno(), stdout, stderr, theirs.fileno()])
        return Forked(ours)

    def close(self) -> None:
        if self._requests is not None and self._process is not None:
            self._requests.close()
            self._process.wait(30)

    def _launch(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno())]
            environment = os.environ | ONE_THREAD | {"PYTHONUNBUFFERED": "1"}
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment)
        return ours


# --- the program -----------------------------------------------------------------------------------------------------


def serve(requests: socket.socket) -> None:
    """Fork for every request; return in the new process, which shall run the command, or at the end of it all."""
    while True:
        text, files, _, _ = socket.recv_fds(requests, LONGEST, 4)
        _reap(os.WNOHANG)
        if not text:
            requests.close()
            _reap(0)
            sys.exit()
        if os.fork() == 0:
            requests.close()
            if _watch(*files):
                _become(files, **json.loads(text))
                return
        for file in files:
            os.close(file)


def _watch(*files: int) -> bool:
    """Be the parent of the command, and tell when and how it ends; True in the command itself."""
    child = os.fork()
    if child == 0:
        return True
    *used, answers = files
    for file in used:
        os.close(file)
    os.write(answers, str(child).encode())
    _, status = os.waitpid(child, 0)
    os.write(answers, str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _become(files: list[int], words: list[str], folder: str, env: dict[str, str]) -> None:
    """Take on all that makes one process differ from another."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["palio", *words]
    for target, file in enumerate(files[:3]):
        os.dup2(file, target)
    for file in files:
        os.close(file)


def _reap(how: int) -> None:
    """Wait for those that have ended, or for all."""
    try:
        while os.waitpid(-1, how)[0]:
            pass
    except ChildProcessError:
        return


def _load() -> Any:
    """Import what any command would; what starts a `palio`."""
    from importlib import import_module
    from importlib.metadata import entry_points
    from pkgutil import walk_packages

    import palio_server.cli

    for module in walk_packages(palio_server.__path__, "palio_server."):
        import_module(module.name)
    for command in entry_points(group="palio.commands"):
        command.load()
    gc.freeze()  # or each command would look through all of it, and copy the pages to do so
    return palio_server.cli.main


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    del sys.path[0]  # this folder: a command finds no helper of the tests
    main = _load()
    serve(socket.socket(fileno=int(sys.argv[1])))
    main()
