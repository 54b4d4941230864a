"""The programs on the hosts: PostgreSQL, Mosquitto, gateways, referees, with their start, kill and restart."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from figures import environment

from chaos.network import Network

POSTGRES = "postgres"  # the user: PostgreSQL does not run as root
PALIO = (sys.executable, "-c", "from palio_server.cli import main; main()")
FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
PORT = 8000
START_S = 60.0


def lacks() -> str:
    """Return which program is missing; "" if all are there."""
    if _postgres() is None:
        return "PostgreSQL's programs (Debian: postgresql)"
    if _mosquitto() is None:
        return "mosquitto"
    if not FAKETIME:
        return "libfaketime (Debian: faketime)"
    return ""


def _postgres() -> Path | None:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def _mosquitto() -> str | None:
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


class Host:
    """One program on one host."""

    def __init__(
        self,
        network: Network,
        name: str,
        command: Sequence[str | Path],
        folder: Path,
        env: dict[str, str] | None = None,
    ) -> None:
        self.network, self.name, self.folder = network, name, folder
        self._command, self._env = command, env or {}
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self, **more: str) -> None:
        """Start it, with more in its environment."""
        self.starts += 1
        with (self.folder / f"{self.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*self.network.on(self.name), *self._command],
                env=environment() | self._env | more,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is handled by this program
            )

    def send(self, number: signal.Signals) -> None:
        if self.alive and self.process is not None:
            self.process.send_signal(number)

    def end(self, number: signal.Signals, patience_s: float = 15.0) -> None:
        """Send a signal and wait for its end; a process that does not end in time is killed."""
        if self.process is None:
            return
        self.send(number)
        if number != signal.SIGKILL:
            try:
                self.process.wait(patience_s)
            except subprocess.TimeoutExpired:
                self.send(signal.SIGKILL)
        self.process.wait()

    def log(self) -> str:
        return (self.folder / f"{self.name}.log").read_text(errors="replace")


class Postgres(Host):
    """The database host, which the controller reaches by a Unix socket, without a cable."""

    CRASH = signal.SIGQUIT  # it ends at once, and recovers when it is restarted

    def __init__(self, network: Network, name: str, folder: Path) -> None:
        programs = _postgres()
        assert programs is not None
        data = folder / "data"
        shutil.chown(folder, POSTGRES)
        user = pwd.getpwnam(POSTGRES)
        subprocess.run(
            [programs / "initdb", "--auth=trust", f"--username={POSTGRES}", "--no-sync", "--pgdata", data],
            check=True,
            stdout=subprocess.DEVNULL,
            user=user.pw_uid,
            group=user.pw_gid,
            cwd="/",
        )
        with (data / "pg_hba.conf").open("a") as rules:
            rules.write("host all all samenet trust\n")
        options = f"-c listen_addresses={network.address(name)} -c unix_socket_directories={folder} -c fsync=off"
        switch = ["setpriv", f"--reuid={POSTGRES}", f"--regid={POSTGRES}", "--clear-groups"]
        command = [*switch, programs / "postgres", "-D", data, *options.split(), "-c", "max_connections=200"]
        super().__init__(network, name, command, folder)
        self.url = f"postgresql://{POSTGRES}@{network.address(name)}:5432/postgres"
        self.own_url = f"postgresql://{POSTGRES}@/postgres?host={folder}"

    def wait(self) -> None:
        import psycopg  # noqa: PLC0415  # only for simulated failures

        def answers() -> bool:
            try:
                psycopg.connect(self.own_url, connect_timeout=2).close()
            except psycopg.OperationalError:
                return False
            return True

        until(answers, "PostgreSQL answers")


def mosquitto(network: Network, name: str, folder: Path) -> Host:
    program = _mosquitto()
    assert program is not None
    config = folder / "mosquitto.conf"
    config.write_text(
        f"listener 1883 {network.address(name)}\nallow_anonymous true\nuser root\nmax_queued_messages 10000\n"
    )
    return Host(network, name, [program, "-c", config], folder)


def palio(network: Network, name: str, role: str, db: str, broker: str, lease_s: float, folder: Path) -> Host:
    """Return a server of that role. It writes its name with its writes into the database: triggers there check it."""
    words = ["serve", "--role", role, "--worker", name, "--db", db, "--mqtt", f"mqtt://{broker}:1883"]
    words += ["--host", network.address(name), "--port", str(PORT), "--no-auth", "--house-bots", "0"]
    words += ["--concurrency", "16", "--back-in", "1s"]
    return Host(network, name, [*PALIO, *words], folder, {"PALIO_LEASE_S": f"{lease_s:g}", "PGAPPNAME": name})


def clock_ahead(seconds: int) -> dict[str, str]:
    """Return an environment in which the wall clock is ahead. The monotonic one is not."""
    return {"LD_PRELOAD": str(FAKETIME[0]), "FAKETIME": f"+{seconds}s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


def until(ready: Callable[[], bool], what: str, seconds: float = START_S) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise RuntimeError(f"not within {seconds:g} s: {what}")
        time.sleep(0.1)
