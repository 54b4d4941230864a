"""Jobs of a batch system: submitted within a bound, refused in the system's own words, cancelled with the run."""

import asyncio
import os
import shlex
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio_rules.plain_text import one_line

if TYPE_CHECKING:
    from distributed import Security

SUBMIT_S = 30.0  # in which a batch system answers when a job is submitted
CANCEL_S = 10.0  # the same when a job is cancelled
WORDS = 300  # characters that are quoted
KEYS = ".palio-keys-"  # how the folders of certificates begin


class BatchSystemError(RuntimeError):
    """A command of the batch system was refused, did not answer, or could not be run; the message quotes it."""


class Jobs:
    """The jobs of one run: how many were asked for, and why some were refused."""

    def __init__(self, asked: int) -> None:
        self.asked = asked
        self.accepted = 0
        self.refused: list[str] = []
        self._submitting: set[asyncio.subprocess.Process] = set()
        self._ended = False

    @property
    def refusal(self) -> str:
        """The batch system's words if it has refused all jobs; else ""."""
        return self.refused[0] if self.asked and len(self.refused) >= self.asked else ""

    def end(self) -> None:
        """Submit nothing more, and wait for no answer."""
        self._ended = True
        for process in self._submitting:
            _kill(process)

    async def submit(self, command: Sequence[str], script: str, *, from_stdin: bool) -> str:
        """Return the answer to a submission. Raises BatchSystemError."""
        if self._ended:
            raise BatchSystemError("the run has ended")
        if not from_stdin:
            return await answer_of([*command, script], SUBMIT_S, running=self._submitting)
        with Path(script).open("rb") as file:  # noqa: ASYNC230  # a few lines
            return await answer_of(command, SUBMIT_S, stdin=file.fileno(), running=self._submitting)


async def answer_of(
    command: Sequence[str],
    seconds: float,
    *,
    stdin: int = asyncio.subprocess.DEVNULL,
    running: "set[asyncio.subprocess.Process] | None" = None,
) -> str:
    """Return what a command of the batch system prints within `seconds`. Raises BatchSystemError.

    `running` has the process while it runs, so that another task may kill it.
    """
    name, running = command[0], set() if running is None else running
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=stdin, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except OSError as error:
        reason = error.strerror or str(error)
        raise BatchSystemError(f"{name} cannot be run: {reason}; install the batch system's commands here") from None
    running.add(process)
    try:
        async with asyncio.timeout(seconds):
            out, err = await process.communicate()
    except TimeoutError:
        raise BatchSystemError(f"{name} has not answered within {seconds:g} s; try it by hand") from None
    finally:
        running.discard(process)
        if process.returncode is None:
            _kill(process)
            await process.wait()
    if process.returncode:
        words = _words(err) or _words(out) or f"it ended with code {process.returncode}"
        raise BatchSystemError(f"{name} refuses: {words}")
    return out.decode(errors="replace")


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _words(output: bytes) -> str:
    lines = [line.strip() for line in output.decode(errors="replace").splitlines()]
    return one_line("; ".join(filter(None, lines)))[:WORDS]


def job_type(usual: Any, jobs: Jobs) -> Any:
    """Return a class of jobs like `usual`, one of dask-jobqueue, that notes in `jobs` what becomes of them."""
    from distributed.core import Status  # half a second, and only for those who have a cluster

    class BoundedJob(usual):  # type: ignore[misc]  # it is known at run time
        async def start(self) -> None:
            """Submit it. A refusal is noted: others may be accepted, and the run says what is wrong."""
            try:
                await super().start()
                jobs.accepted += 1
            except (BatchSystemError, OSError) as error:
                jobs.refused.append(str(error))
                self.status = Status.running  # for SpecCluster, which would wait for it

        async def _submit_job(self, script_filename: str) -> str:
            command = shlex.split(self.submit_command)
            return await jobs.submit(command, script_filename, from_stdin=getattr(self, "use_stdin", False))

        def _job_id_from_submit_output(self, out: str) -> str:
            try:
                number: str = super()._job_id_from_submit_output(out)
            except ValueError:
                words = _words(out.encode()) or "nothing"
                raise BatchSystemError(f"{self.submit_command} has named no job; it says: {words}") from None
            return number

        @staticmethod
        async def _call(cmd: Sequence[str], **_options: Any) -> str:
            return await answer_of(cmd, CANCEL_S)

        async def close(self) -> None:
            await super().close()
            self.status = Status.closed

    BoundedJob.__name__ = usual.__name__  # dask-jobqueue derives messages from it
    return BoundedJob


# The certificates of a run lie where the nodes see them, in a folder that no other user can read.


@contextmanager
def key_folder(parent: Path) -> Iterator[Path]:
    """Yield a private folder in `parent`; it is removed in the end, as are those of runs that were killed."""
    here = socket.gethostname()
    _remove_stale(parent, here)
    folder = Path(tempfile.mkdtemp(prefix=f"{KEYS}{os.getpid()}-{here}-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def in_files(security: "Security", folder: Path) -> "Security":
    """Return the same security with its certificates in files of `folder`, where jobs can read them."""
    found: dict[str, Any] = {}
    for role in ("scheduler", "worker", "client"):
        for what, text in security.get_tls_config_for_role(role).items():
            if what in ("ca_file", "cert", "key") and text is not None:
                file = folder / f"{role}-{what}.pem"
                file.touch(0o600)
                file.write_text(text)
                found["tls_ca_file" if what == "ca_file" else f"tls_{role}_{what}"] = str(file)
    return type(security)(require_encryption=True, **found)


def _remove_stale(parent: Path, host: str) -> None:
    for folder in parent.glob(f"{KEYS}*-{host}-*"):
        number = folder.name.removeprefix(KEYS).partition("-")[0]
        if number.isdigit() and folder.stat().st_uid == os.getuid() and not _lives(int(number)):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
