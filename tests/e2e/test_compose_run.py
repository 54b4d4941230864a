"""The services of docker-compose.yml, by their own commands: no engine, but the real broker, database, server and bots.

The words are read out of the file; only addresses are exchanged for free ones of this machine.
"""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from command import Started, program
from compose_file import ROOT, command, compose, env_example, health, localised

pytestmark = [pytest.mark.mosquitto, pytest.mark.postgres, pytest.mark.timeout(180)]


def free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    found = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return found


class Services:
    """The services of the file, each started as its container would be: with its own environment and nothing else."""

    def __init__(self, folder: Path, broker: Path, database: str) -> None:
        self.file = compose()["services"]
        self.folder, self.running = folder, dict[str, Started]()
        port, broker_port, viewer_port, servers_port, self.nobody = free_ports(5)
        self.url = f"http://127.0.0.1:{port}"
        at = urlsplit(database)
        self.addresses = {
            f"palio:{env_example()['POSTGRES_PASSWORD']}@postgres/palio": f"{at.netloc}{at.path}",
            "mosquitto:1883": f"127.0.0.1:{broker_port}",
            "server:8000": f"127.0.0.1:{port}",
            "127.0.0.1:8000": f"127.0.0.1:{port}",
            "-p 1884": f"-p {viewer_port}",
            "/palio/": f"{ROOT}/broker/",
        }
        self.whole = {
            "0.0.0.0": "127.0.0.1",
            "8000": str(port),
            "1885": str(servers_port),
            "--host=127.0.0.1": f"--host={at.hostname}",
        }
        where = {"HOST": "127.0.0.1", "PORT": str(broker_port), "VIEWER_PORT": str(viewer_port), "RUN": str(broker)}
        self.here = {"mosquitto": where, "postgres": {"PGPORT": str(at.port or 5432)}}

    def words(self, name: str) -> list[str]:
        return localised(command(self.file[name]), self.addresses, self.whole)

    def environment(self, name: str) -> dict[str, str]:
        given = self.file[name].get("environment", {})
        local = dict(zip(given, localised(list(given.values()), self.addresses, self.whole), strict=True))
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # `palio` and `python` are those of the tests
        return {"PATH": path, "PYTHONUNBUFFERED": "1", **self.here.get(name, {}), **local}

    def start(self, name: str) -> Started:
        self.running[name] = Started(program(self.words(name), self.folder), self.environment(name))
        return self.running[name]

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        """A service that ends by itself."""
        return self._run(self.words(name), self.environment(name))

    def check(self, name: str, **otherwise: str) -> bool:
        """Ask the service's health check once."""
        words = localised(health(self.file[name]), self.addresses, self.whole)
        return self._run(words, self.environment(name) | otherwise).returncode == 0

    def until_well(self, name: str, *, well: bool = True, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while self.check(name) is not well:
            said = self.running[name].lines + self.running[name].errors
            assert time.monotonic() < deadline, f"{name} is {'not ' if well else 'still '}well: {said}"
            time.sleep(0.1)

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return json.load(answer)

    def _run(self, words: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=30, check=False
        )


@pytest.fixture
def tools() -> None:
    for tool, package in (("mosquitto_sub", "mosquitto-clients"), ("pg_isready", "postgresql-client")):
        if shutil.which(tool) is None:
            (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{tool} is not there; install {package}")


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    """An empty database of the test's own."""
    name = f"palio_compose_{secrets.token_hex(6)}"
    with psycopg.connect(f"{postgres_url}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{postgres_url}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def services(tools, mosquitto, database: str, tmp_path: Path) -> Iterator[Services]:
    """`mosquitto` is asked for to know whether there is one; the broker here is another."""
    folder = Path(tempfile.mkdtemp())  # not pytest's: the broker becomes another user, who may not look in there
    found = Services(tmp_path, folder, database)
    yield found
    for started in found.running.values():
        started.close()
    shutil.rmtree(folder)


def until(ready: Callable[[], Any], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.2)


def arrivals(broker: Started) -> int:
    """Return how often the server has connected to the broker."""
    return sum(" as server " in line for line in broker.errors)


@pytest.mark.slow
def test_two_bots_play_each_other_and_the_health_checks_tell_the_truth(services: Services):
    assert services.check("postgres")
    assert not services.check("postgres", PGPORT=str(services.nobody))
    assert not services.check("mosquitto")
    broker = services.start("mosquitto")
    services.until_well("mosquitto")

    first, second = services.run("setup"), services.run("setup")
    assert (first.returncode, first.stdout.splitlines()) == (
        0,
        [f"{name} has the given token now" for name in ("alpha", "beta", "prometheus")],
    ), first.stderr
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")

    assert not services.check("server")
    server = services.start("server")
    services.until_well("server")
    assert not services.check("alpha")
    assert not services.check("beta")
    for name in ("alpha", "beta"):
        services.start(name)
    for name in ("alpha", "beta"):
        services.until_well(name)
    transports = {bot["name"]: bot["transport"] for bot in services.get("/api/bots")}
    assert transports == {"alpha": "websocket", "beta": "mqtt"}

    until(lambda: services.get("/api/matches?status=finished"), "the first match on the ladder")
    match = services.get("/api/matches?status=finished")[-1]
    assert (match["event"], set(match["bots"])) == ("ladder", {"alpha", "beta"})
    assert match["termination"] not in ("illegal", "crashed", "stalled", "disconnected"), match
    board = services.get(f"/api/leaderboard/{match['game']}")
    assert {leader["bot"] for leader in board["leaders"]} == {"alpha", "beta"}

    for name in ("postgres", "mosquitto", "server", "alpha", "beta"):  # and the check disconnects no client
        assert all(services.check(name) for _ in range(3)), name
    assert arrivals(broker) == 1, broker.errors
    assert not any("broker" in line for line in server.errors), server.errors

    services.running["beta"].end(signal.SIGKILL)  # a bot that goes without a word
    services.until_well("beta", well=False)
    assert services.check("alpha")
    assert services.running["alpha"].end(signal.SIGTERM) == 0
    services.until_well("alpha", well=False)
    assert server.end(signal.SIGTERM) == 0
    assert not services.check("server")
    assert not services.check("alpha")
    broker.end(signal.SIGTERM)
    assert not services.check("mosquitto")
    for name, started in services.running.items():
        said = "\n".join(started.lines + started.errors)
        assert "Traceback" not in said, name
        assert not any(secret in said for secret in env_example().values()), name


@pytest.mark.slow
def test_a_check_under_the_servers_name_would_be_noticed(services: Services):
    broker, user = services.start("mosquitto"), ["-u", "server", "-P", env_example()["SERVER_PASSWORD"]]
    services.until_well("mosquitto")
    host, port = services.addresses["mosquitto:1883"].split(":")
    connect = ["mosquitto_sub", "-h", host, "-p", port, *user, "-t", "palio/server", "-E"]
    for times in (1, 2):
        subprocess.run(connect, check=True, timeout=10)
        broker.wait_for(lambda _, wanted=times: arrivals(broker) == wanted, 10)


def test_the_broker_refuses_a_secret_that_would_be_cut_off(services: Services):
    given = services.environment("mosquitto")
    for secret in ("colon:in-the-middle", "p@ss-of-some-length", "half/of/an/address"):
        done = subprocess.run(
            services.words("mosquitto"),
            env=given | {"ALPHA_SECRET": secret},
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
        assert done.returncode == 1
        assert done.stderr == "ALPHA_SECRET has one of the signs : @ / ? # % or a space; choose one without\n"
