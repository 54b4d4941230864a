"""Runs the real `palio` in processes of their own, in an empty directory, and ends them all with the test."""

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

LIMIT_S = 100  # for what must end by itself; the test's own timeout is a little longer


class Started:
    """A process that goes on. Its lines are read as they come.

    With a `screen` its stderr is a terminal, on which it draws how far it is; each drawing is then a line in `errors`.
    """

    def __init__(self, command: list[str], folder: Path, env: dict[str, str], *, screen: bool = False) -> None:
        ours, theirs = pty.openpty() if screen else (None, subprocess.PIPE)
        if screen:
            env = env | {"TERM": "xterm", "COLUMNS": "120"}
        self.process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=theirs, text=True)
        if screen:
            os.close(theirs)
        self._streams = [self.process.stdout, self.process.stderr if ours is None else os.fdopen(ours)]
        self.lines: list[str] = []
        self.errors: list[str] = []
        self._news = threading.Condition()
        self._readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in zip(self._streams, (self.lines, self.errors), strict=True)
        ]
        for reader in self._readers:
            reader.start()

    def wait_for(self, wanted: Callable[[list[str]], Any], seconds: float = 60) -> Any:
        """What `wanted` makes of the lines on stdout and stderr, as soon as that is true."""
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
        for stream in self._streams:
            assert stream is not None
            stream.close()

    def _read(self, stream: Any, lines: list[str]) -> None:
        with suppress(OSError):  # EIO: what Linux says of a terminal that nobody has open any more
            for line in stream:
                with self._news:
                    lines.append(line.rstrip("\n"))
                    self._news.notify_all()
        with self._news:
            self._news.notify_all()


class Palio:
    """The command, for one test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("PALIO_")}
        self.env["PYTHONUNBUFFERED"] = "1"
        self._started: list[Started] = []

    def __call__(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run to the end, and insist on the exit code."""
        done = subprocess.run(
            self._command(words),
            check=False,
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
        assert done.returncode == code, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done

    def json(self, *words: str) -> Any:
        """Run with --json; what it prints."""
        return json.loads(self(*words, "--json").stdout)

    def start(self, *words: str, screen: bool = False) -> Started:
        """Run beside the test; with a `screen`, stderr is a terminal."""
        self._started.append(Started(self._command(words), self.folder, self.env, screen=screen))
        return self._started[-1]

    def close(self) -> None:
        for started in self._started:
            started.close()

    @staticmethod
    def _command(words: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-c", "from palio_server.cli import main; main()", *words]
