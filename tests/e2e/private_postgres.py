"""A PostgreSQL server of a test's own, which may be stopped and started again."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

USER = "postgres"  # whom root lends its files to: PostgreSQL does not run as root


def programs() -> Path | None:
    """The folder of initdb and pg_ctl; None if they are not installed."""
    folders = [Path(found).parent for found in [shutil.which("initdb")] if found]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


class PrivatePostgres:
    """Listens on a free port of loopback; its files are in a temporary folder."""

    def __init__(self) -> None:
        found = programs()
        assert found is not None
        self._programs = found
        self._folder = Path(tempfile.mkdtemp(prefix="palio-postgres-"))
        if os.geteuid() == 0:
            shutil.chown(self._folder, USER)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._run("initdb", "--auth=trust", f"--username={USER}", "--no-sync", "--pgdata", self._data)
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def start(self) -> None:
        options = f"-p {self.port} -k {self._folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        log = str(self._folder / "log")
        self._run("pg_ctl", "--pgdata", self._data, "--wait", "--log", log, "--options", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "--pgdata", self._data, "--wait", "--mode", "fast", "stop")

    def close(self) -> None:
        """Stop in any state, and leave nothing behind."""
        command = [self._programs / "pg_ctl", "--pgdata", self._data, "--mode", "immediate", "stop"]
        subprocess.run(command, check=False, capture_output=True, **self._as_user())
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [self._programs / program, *words], check=True, stdout=subprocess.DEVNULL, timeout=60, **self._as_user()
        )

    def _as_user(self) -> dict[str, int | str]:
        if os.geteuid() != 0:
            return {}
        user = pwd.getpwnam(USER)
        return {"user": user.pw_uid, "group": user.pw_gid, "cwd": "/"}
