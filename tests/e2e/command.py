"""The real `palio` for a test: processes of its own, in an empty directory, which all end with the test."""

import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from fork_server import ForkServer

COLD = (sys.executable, "-c", "from palio_server.cli import main; main()")  # `palio`, imports and all
LIMIT_S = 100  # for what must end by itself; the test's own timeout is a little longer


class Process(Protocol):
    """The part of `subprocess.Popen` that is used."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float) -> int: ...
    def send_signal(self, number: signal.Signals) -> None: ...
    def kill(self) -> None: ...


Launch = Callable[[dict[str, str], int, int], Process]  # with an environment, stdout and stderr


class Started:
    """A process that goes on. Its lines are read as they come.

    With a `screen` its stderr is a terminal, on which it draws how far it is; each drawing is then a line in `errors`.
    """

    def __init__(self, launch: Launch, env: dict[str, str], *, screen: bool = False) -> None:
        pairs = os.pipe(), pty.openpty() if screen else os.pipe()
        if screen:
            env = env | {"TERM": "xterm", "COLUMNS": "120"}
        try:
            self.process = launch(env, pairs[0][1], pairs[1][1])
        finally:
            for _, theirs in pairs:
                os.close(theirs)
        self.lines: list[str] = []
        self.errors: list[str] = []
        self._news = threading.Condition()
        self._readers = [
            threading.Thread(target=self._read, args=(ours, lines), daemon=True)
            for (ours, _), lines in zip(pairs, (self.lines, self.errors), strict=True)
        ]
        for reader in self._readers:
            reader.start()

    def wait_for(self, wanted: Callable[[list[str]], Any], seconds: float = 60) -> Any:
        """Return the value of `wanted` for the lines on stdout and stderr, as soon as it is true."""
        with self._news:
            self._news.wait_for(lambda: wanted(self.lines + self.errors) or self.process.poll() is not None, seconds)
            if answer := wanted(self.lines + self.errors):
                return answer
        raise AssertionError(f"waited in vain; stdout: {self.lines}, stderr: {self.errors[-20:]}")

    def line_with(self, text: str) -> str:
        """The first line with `text` in it, as soon as it is there."""
        return str(self.wait_for(lambda lines: next((line for line in lines if text in line), "")))

    def end(self, how: signal.Signals) -> int:
        """Send a signal, wait for the end; the exit code."""
        self.process.send_signal(how)
        return self.wait()

    def wait(self) -> int:
        code = self.process.wait(LIMIT_S)
        for reader in self._readers:
            reader.join()
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.wait()

    def _read(self, file: int, lines: list[str]) -> None:
        with suppress(OSError), os.fdopen(file) as stream:  # EIO: Linux's error for a terminal that is not open
            for line in stream:
                with self._news:
                    lines.append(line.rstrip("\n"))
                    self._news.notify_all()
        with self._news:
            self._news.notify_all()


def program(command: list[str], folder: Path) -> Launch:
    """Starts any program in `folder`."""
    return lambda env, stdout, stderr: subprocess.Popen(command, cwd=folder, env=env, stdout=stdout, stderr=stderr)


class Palio:
    """The command, for one test."""

    def __init__(self, folder: Path, server: ForkServer) -> None:
        self.folder = folder
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("PALIO_")}
        self.env["PYTHONUNBUFFERED"] = "1"
        self._server = server
        self._started: list[Started] = []

    def __call__(self, *words: str, code: int = 0, seconds: float = LIMIT_S) -> subprocess.CompletedProcess[str]:
        """Run to the end within so many seconds, and insist on the exit code."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            process = self._server.start(words, self.folder, self.env, out.fileno(), err.fileno())
            try:
                process.wait(seconds)
            finally:
                process.kill()
            out.seek(0)
            err.seek(0)
            done = subprocess.CompletedProcess(words, process.wait(LIMIT_S), out.read(), err.read())
        assert done.returncode == code, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def json(self, *words: str) -> Any:
        """Run with --json; what it prints."""
        return json.loads(self(*words, "--json").stdout)

    def start(self, *words: str, screen: bool = False) -> Started:
        """Run beside the test; with a `screen`, stderr is a terminal."""

        def launch(env: dict[str, str], stdout: int, stderr: int) -> Process:
            return self._server.start(words, self.folder, env, stdout, stderr)

        self._started.append(Started(launch, self.env, screen=screen))
        return self._started[-1]

    def close(self) -> None:
        for started in self._started:
            started.close()
