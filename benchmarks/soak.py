"""A soak test: two hundred bots play on a server for hours, one in twenty misbehaves, and no figure may grow.

A real `palio serve --ladder` on loopback, with a database, and a broker if there is one. Steady bots connect by
WebSocket in both encodings and by lines, some over the broker; others are killed, disconnect, flood, send garbage, do
not read, leave frames half sent, or lose their token. Every few seconds the server's memory, descriptors, threads,
tasks, its database and the bots' counts are written to a CSV file. In the end the second half is judged
(`soak_verdict`), every result that bots got must be in the database, and `palio verify` must find nothing. Exit code 0:
all checks passed.

Linux only. The load needs a quarter of a core.
"""

import argparse
import asyncio
import contextlib
import csv
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

from figures import environment
from soak_verdict import COLUMNS, Sample, faults, picture

HERE = Path(__file__).parent
PALIO = Path(sys.executable).parent / "palio"
SAMPLE_S = 5.0
KILL_S = 45.0  # between two kills of the misbehaving bots
REVOKE_S = 60.0  # between two revocations
OVER_BROKER = 3
TOKENED = "trouble-token6"  # the bot that has a token, and loses it
TIME_CONTROL = "60+2"
SLOW_BOT = """import random, time
from palio_clients import Bot

class Slow(Bot):
    def choose(self, state, clock):
        time.sleep(random.uniform(0.5, 2.5))
        return random.choice(list(state.legal_moves()))
"""


class Soak:
    """All programs of one soak, in one folder. They always end with it."""

    def __init__(self, args: argparse.Namespace, folder: Path) -> None:
        self.args, self.folder = args, folder
        self.began = time.monotonic()
        self.port = free_port()
        self.server: asyncio.subprocess.Process | None = None
        self.programs: list[asyncio.subprocess.Process] = []
        self.loads: dict[str, asyncio.subprocess.Process] = {}
        self.told: dict[str, dict[str, Any]] = {"steady": {}, "trouble": {}}
        self.samples: list[Sample] = []
        self.database = folder / "palio.db"
        self.broker: str | None = None
        self.kills = 0

    async def start(self, *command: Any, told: str = "") -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE if told else asyncio.subprocess.DEVNULL
        with (self.folder / "log").open("ab") as log:
            program = await asyncio.create_subprocess_exec(
                *map(str, command), env=environment(), cwd=self.folder, stdout=pipe, stderr=log, start_new_session=True
            )
        self.programs.append(program)
        return program

    async def start_server(self) -> None:
        words = ["serve", "--port", self.port, "--db", f"sqlite:///{self.database}", "--ladder", "--tc", TIME_CONTROL]
        words += ["--concurrency", self.args.bots, "--house-bots", 0]
        if self.broker:
            words += ["--mqtt", self.broker]
        self.server = await self.start(sys.executable, HERE / "soak_server.py", self.folder / "tasks", *words)
        async with asyncio.timeout(60):
            while not accepts(self.port):
                if self.server.returncode is not None:
                    raise SystemExit(f"the server has ended: {(self.folder / 'log').read_text()[-2000:]}")
                await asyncio.sleep(0.1)

    async def start_broker(self) -> None:
        """Start a private broker, if the program is installed."""
        binary = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
        if binary is None or self.args.no_broker:
            return
        port = free_port()
        file = self.folder / "mosquitto.conf"
        user = "user root\n" if os.geteuid() == 0 else ""
        file.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n{user}")
        await self.start(binary, "-c", file)
        self.broker = f"mqtt://127.0.0.1:{port}"

    async def load(self, kind: str, bots: int) -> None:
        """Run one process of bots until it ends; its last printed line is stored."""
        command = (sys.executable, HERE / "soak_bots.py", kind, self.port, bots, self.folder)
        program = await self.start(*command, told=kind)
        assert program.stdout is not None
        self.loads[kind] = program
        while line := await program.stdout.readline():
            with contextlib.suppress(ValueError):
                self.told[kind] = json.loads(line)
        await program.wait()

    async def trouble(self) -> None:
        """Kill the misbehaving bots repeatedly."""
        bots = max(1, self.args.bots // 20)
        while True:
            loading = asyncio.create_task(self.load("trouble", bots))
            try:
                await asyncio.wait([loading], timeout=KILL_S)
            except asyncio.CancelledError:
                loading.cancel()
                raise
            if (program := self.loads.get("trouble")) is not None and program.returncode is None:
                program.kill()
                self.kills += 1
            await loading
            self.programs = [program for program in self.programs if program.returncode is None]

    async def revoke(self) -> None:
        """Revoke the token of the bot with one, and give it another."""
        db = ("--db", f"sqlite:///{self.database}")
        while True:
            adding = await self.start(PALIO, "bot", "add", TOKENED, *db, told="token")
            said = (await adding.communicate())[0].decode()
            if words := re.findall(r"[\w-]{30,}", said):
                (self.folder / "token").write_text(words[-1])
            await asyncio.sleep(REVOKE_S)
            revoking = await self.start(PALIO, "bot", "revoke", TOKENED, *db)
            await revoking.wait()

    async def kill_server(self) -> None:
        """Kill the server once, after a quarter of the time: then the warm-up of another process follows."""
        await asyncio.sleep(self.args.minutes * 60 / 4)
        if self.server is not None:
            self.server.kill()
            await self.server.wait()
            await self.start_server()

    async def sample(self) -> None:
        with (self.folder / "soak.csv").open("w", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(COLUMNS)
            while True:
                await asyncio.sleep(SAMPLE_S)
                if (seen := await self.look()) is not None:
                    self.samples.append(seen)
                    lines.writerow(astuple(seen))
                    file.flush()

    async def look(self) -> Sample | None:
        """Sample the server; return None while it does not run."""
        server = self.server
        if server is None or server.returncode is not None:
            return None
        tasks = self.folder / "tasks"
        tasks.unlink(missing_ok=True)
        try:
            server.send_signal(signal.SIGUSR1)
            await asyncio.sleep(0.3)
            status, descriptors = seen_of(server.pid)
        except (OSError, ProcessLookupError):
            return None
        figure = {name: int(re.search(rf"(?m)^{name}:\s+(\d+)", status)[1]) for name in ("VmRSS", "Threads")}  # type: ignore[index]
        steady = self.told["steady"]
        size = sum(file.stat().st_size for file in self.folder.glob("palio.db*"))
        return Sample(
            round(time.monotonic() - self.began, 1), figure["VmRSS"], descriptors, figure["Threads"],
            int(tasks.read_text()) if tasks.exists() else -1, size // 1024, steady.get("heard", 0),
            steady.get("connected", 0) + self.told["trouble"].get("connected", 0), steady.get("p99_ms", -1.0),
        )  # fmt: skip

    async def run(self) -> None:
        await self.start_broker()
        await self.start_server()
        (self.folder / "slow.py").write_text(SLOW_BOT)
        for number in range(OVER_BROKER if self.broker else 0):
            words = ("join", self.broker, "./slow.py", "--name", f"broker{number}", "--game", "breakthrough", "--quiet")
            await self.start(PALIO, *words)
        acts = [
            self.load("steady", self.args.bots - self.args.bots // 20),
            self.trouble(),
            self.sample(),
            self.revoke(),
        ]
        if self.args.kill_server:
            acts.append(self.kill_server())
        acting = [asyncio.create_task(act) for act in acts]
        done, _ = await asyncio.wait(acting, timeout=self.args.minutes * 60, return_when=asyncio.FIRST_EXCEPTION)
        for act in acting:
            act.cancel()
        await asyncio.gather(*acting, return_exceptions=True)
        for act in done:
            if not act.cancelled() and (error := act.exception()) is not None:
                raise error

    async def end(self) -> None:
        """End the bots first, then the server, which has ten seconds."""
        for program in reversed(self.programs):
            if program.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    program.send_signal(signal.SIGTERM)
                try:
                    async with asyncio.timeout(15):
                        await program.communicate()  # to the end of its output: its pipe is closed with this loop
                except TimeoutError:
                    program.kill()
                    await program.communicate()


def seen_of(pid: int) -> tuple[str, int]:
    """Return a process's status from Linux, and how many descriptors it has open."""
    return Path(f"/proc/{pid}/status").read_text(errors="replace"), sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def results_are_there_once(folder: Path) -> list[str]:
    """Compare the results that bots got with the stored ones, and run `palio verify`."""
    heard = set((folder / "heard").read_text().split()) if (folder / "heard").exists() else set()
    with contextlib.closing(sqlite3.connect(folder / "palio.db")) as database:
        kept = {match for (match,) in database.execute("SELECT id FROM matches WHERE status = 'finished'")}
    found = [f"{len(heard - kept)} results were announced and are not kept"] if heard - kept else []
    command = [str(PALIO), "verify", "--db", f"sqlite:///{folder}/palio.db"]
    verified = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    if verified.returncode:
        found.append(f"palio verify: {(verified.stdout + verified.stderr)[-1000:]}")
    print(f"{len(heard):,} results heard, {len(kept):,} kept", flush=True)
    return found


@contextlib.asynccontextmanager
async def ended(soak: Soak) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await soak.end()


async def played(soak: Soak) -> None:
    async with ended(soak):
        await soak.run()


def judge(soak: Soak, args: argparse.Namespace, folder: Path) -> int:
    found = [*faults(soak.samples), *results_are_there_once(folder)]
    if "Traceback" in (log := (folder / "log").read_text(errors="replace")):
        found.append(f"the log has a traceback: {log[log.index('Traceback') :][:3000]}")
    if args.csv:
        shutil.copy(folder / "soak.csv", args.csv)
    if args.svg:
        with_what = f"{args.bots} bots, {soak.kills} times all that misbehave killed, {args.minutes:g} minutes"
        Path(args.svg).write_text(picture(soak.samples, f"Soak: {with_what}"))
    last = soak.samples[-1] if soak.samples else None
    print(f"{soak.kills} kills; the last sample: {last}", flush=True)
    for fault in found:
        print(f"FAULT {fault}", flush=True)
    return 1 if found else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--csv", help="copy the samples there")
    parser.add_argument("--svg", help="draw the samples there")
    parser.add_argument("--kill-server", action="store_true", help="kill -9 the server once, after a quarter")
    parser.add_argument("--no-broker", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palio-soak-") as folder:
        soak = Soak(args, Path(folder))
        asyncio.run(played(soak))
        return judge(soak, args, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
