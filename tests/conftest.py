"""The real services that tests talk to. Absent ones skip a test with the reason on a laptop, and fail it in CI."""

import argparse
import contextlib
import gc
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

# `make test` tries less than `make test-all` and `make test-deep`, which have --hypothesis-profile=full. In CI the
# quick tests always draw the same examples, so that a red one is the change's, and the deep ones new ones from a seed
# that is printed: `pytest --hypothesis-profile=full --hypothesis-seed=SEED` draws them again.
IN_CI = bool(os.environ.get("CI"))
settings.register_profile("full", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("full"), max_examples=10, derandomize=IN_CI)
settings.load_profile("quick")

# A developer with a server set up in this shell (PALIO_DB, PALIO_URL, PALIO_TOKEN) must be able to test, too.
for name in [name for name in os.environ if name.startswith("PALIO_") and not name.startswith("PALIO_TEST_")]:
    del os.environ[name]

# Programs are started by the hundred, and each would compile all of our modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

ROOT = Path(__file__).parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--turn", type=_turn, metavar="K/N", help="only deep tests (slow ones, property tests), the K-th of N parts"
    )


def _turn(text: str) -> tuple[int, int]:
    part, slash, parts = text.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is no turn; write 2/3 for the second of three parts")
    return int(part), int(parts)


def is_in_turn(item: pytest.Item, part: int, parts: int) -> bool:
    """Return True if a test is deep, and in this part by its name: all cases of a test are in the same one."""
    deep = item.get_closest_marker("slow") or is_hypothesis_test(getattr(item, "obj", None))
    return bool(deep) and zlib.crc32(item.nodeid.partition("[")[0].encode()) % parts == part - 1


@pytest.hookimpl(tryfirst=True)  # before hypothesis reads it
def pytest_configure(config: pytest.Config) -> None:
    """Draw a seed for the deep tests of CI, the same one in each worker process."""
    deep = config.getoption("--hypothesis-profile") == "full" and IN_CI
    if deep and config.getoption("--hypothesis-seed") is None and not hasattr(config, "workerinput"):
        config.option.hypothesis_seed = str(secrets.randbelow(2**32))


def pytest_report_header(config: pytest.Config) -> str:
    seed = config.getoption("--hypothesis-seed")
    return f"hypothesis: --hypothesis-seed={seed}" if seed else ""


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test with the marker `first(n)`, all cases but the first n are slow; with a browser, all but a file's first.

    What a file tests in a browser is one view of the page: `make test` sees that it opens and is drawn.
    """
    cases: Counter[str] = Counter()
    opened: set[Path] = set()
    for item in items:
        if item.get_closest_marker("browser") and not item.get_closest_marker("slow"):
            if item.path in opened:
                item.add_marker(pytest.mark.slow)
            opened.add(item.path)
        if marker := item.get_closest_marker("first"):
            test = item.nodeid.partition("[")[0]
            cases[test] += 1
            if cases[test] > marker.args[0]:
                item.add_marker(pytest.mark.slow)
    if turn := config.getoption("turn"):
        left = [item for item in items if not is_in_turn(item, *turn)]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if is_in_turn(item, *turn)]


def pytest_collection_finish() -> None:
    """Thousands of tests live until the end: the garbage collector need not look at them again and again."""
    gc.collect()
    gc.freeze()


def lacking(what: str, remedy: str) -> NoReturn:
    """A service is not there: fail in CI, where a skip would hide it; skip on a user's machine."""
    sentence = f"{what} is not available; {remedy}"
    if os.environ.get("CI"):
        pytest.fail(sentence, pytrace=False)
    pytest.skip(sentence)


def build_wheel(folder: Path, source: Path = ROOT) -> Path:
    """Build a wheel in `folder`, at the second try if need be: an index may fail to answer once."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    for _ in range(2):
        built = subprocess.run(command, check=False, capture_output=True, text=True)
        if built.returncode == 0:
            [found] = folder.glob("palio-*.whl")
            return found
    lacking("a wheel", f"let pip reach a package index, for hatchling ({built.stderr.strip()[-3000:]})")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def bubblewrap() -> str:
    """The program that confines others, where it works."""
    from palio_server.sandbox.bubblewrap import this_machine

    machine = this_machine()
    if not machine.bwrap:
        lacking("a sandbox", f"{machine.lacks}; {machine.remedy}")
    return machine.bwrap


@pytest.fixture(scope="session")
def stockfish() -> str:
    """The chess engine Stockfish."""
    return chess_engine("stockfish")


@pytest.fixture(scope="session")
def gnuchess() -> str:
    """The chess engine GNU Chess, which speaks UCI with `--uci`."""
    return chess_engine("gnuchess")


@pytest.fixture(scope="session")
def pgn_extract() -> str:
    """The program pgn-extract, which reads PGN and complains of faults."""
    return chess_engine("pgn-extract")


@pytest.fixture(scope="session")
def gnugo() -> str:
    """The program GNU Go, which speaks GTP with `--mode gtp`."""
    return chess_engine("gnugo", "the program of Go")


def chess_engine(name: str, kind: str = "the chess engine") -> str:
    """Return the program of an engine; Debian keeps games in a folder of their own."""
    if (found := shutil.which(name) or shutil.which(name, path="/usr/games")) is None:
        lacking(f"{kind} {name}", f"apt-get install {name}")
    return found


@pytest.fixture
def loaded_by() -> Callable[[str], set[str]]:
    """Runs code in an interpreter of its own: the libraries that it loads, the standard library aside.

    What the interpreter loads by itself does not count (Debian's has a sitecustomize), nor typing_extensions, which
    msgspec looks for.
    """
    report = "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)"

    def loaded(code: str) -> set[str]:
        command = [sys.executable, "-I", "-c", code + report]
        found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split()
        return {name for name in found if not name.startswith("_")}

    bare = loaded("") | {"typing_extensions"}
    return lambda code: loaded(code) - bare


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(ready: Callable[[], bool], what: str, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not happen within {seconds} s")
        time.sleep(0.02)


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Mosquitto:
    """A private broker on a free port, that a test may kill and start again."""

    def __init__(self, folder: Path, config: str | None = None) -> None:
        self.port = free_port()
        self.url = f"mqtt://127.0.0.1:{self.port}"
        self._config = folder / f"mosquitto-{self.port}.conf"
        self._log = folder / f"mosquitto-{self.port}.log"
        lines = config if config is not None else "allow_anonymous true"
        # Started by root, mosquitto would change to a user who cannot read the temporary folder.
        self._config.write_text(f"listener {self.port} 127.0.0.1\nuser root\npersistence false\n{lines}\n")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        binary = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
        if binary is None:
            lacking("the mosquitto broker", "install it (apt-get install mosquitto)")
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([binary, "-c", str(self._config)], stdout=log, stderr=log)
        wait_until(lambda: accepts(self.port) or self._exited(), "mosquitto's start")
        if self._exited():
            raise RuntimeError(f"mosquitto did not start: {self._log.read_text()}")

    def kill(self) -> None:
        """End the broker with SIGKILL, as a crash would."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def log(self) -> str:
        return self._log.read_text()

    def _exited(self) -> bool:
        return self._process is not None and self._process.poll() is not None


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A running private broker that accepts every client."""
    broker = Mosquitto(tmp_path)
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def mosquitto_with(tmp_path: Path) -> Iterator[Callable[[str], Mosquitto]]:
    """Starts private brokers with configurations of the test's own (everything but the listener)."""
    brokers: list[Mosquitto] = []

    def start(config: str) -> Mosquitto:
        brokers.append(Mosquitto(tmp_path, config))
        brokers[-1].start()
        return brokers[-1]

    yield start
    for broker in brokers:
        broker.kill()


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """A PostgreSQL server on which the user may create databases, as a URL without a database."""
    import psycopg

    url = os.environ.get("PALIO_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432").rstrip("/")
    try:
        psycopg.connect(f"{url}/postgres", connect_timeout=3).close()
    except psycopg.OperationalError as error:
        lacking("PostgreSQL", f"start one or set PALIO_TEST_POSTGRES to its URL ({str(error).splitlines()[0]})")
    return url


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium executable."""
    for name in (os.environ.get("PALIO_TEST_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"):
        if name and (path := shutil.which(name)):
            return path
    lacking("Chromium", "install it (apt-get install chromium) or set PALIO_TEST_CHROMIUM to its path")


@pytest.fixture(scope="session")
def node() -> str:
    """The path of Node.js, version 20 or newer."""
    path = shutil.which("node")
    if path is None:
        lacking("Node.js", "install version 20 or newer")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < 20:
        lacking("Node.js 20 or newer", f"this one is {version}")
    return path


def program(name: str, package: str) -> str:
    """The path of a system's program, which Debian has in `package`."""
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if path is None:
        lacking(name, f"install it (apt-get install {package})")
    return path


@pytest.fixture(scope="session")
def promtool() -> str:
    return program("promtool", "prometheus")


@pytest.fixture(scope="session")
def prometheus() -> str:
    return program("prometheus", "prometheus")


@pytest.fixture(scope="session")
def nginx() -> str:
    return program("nginx", "nginx-light")


@pytest.fixture(scope="session")
def cxx() -> str:
    """The path of a C++ compiler."""
    for name in (os.environ.get("CXX"), "g++", "clang++", "c++"):
        if name and (path := shutil.which(name)):
            return path
    lacking("a C++ compiler", "install one (apt-get install g++) or set CXX to its path")


@pytest.fixture(scope="session")
def python() -> str:
    """Return the interpreter that runs the tests, for starting our programs."""
    return sys.executable


class SmallDisk:
    """A file system of a test's own in memory, which can be filled to the last byte."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Fill the disk completely."""
        with contextlib.suppress(OSError), self._filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    def make_room(self) -> None:
        self._filler.unlink()

    def remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.folder)], check=True, capture_output=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A disk of three MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m,mode=777", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        lacking("a disk of a test's own", f"run as root, who may mount one ({mounted.stderr.decode().strip()})")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False, capture_output=True)


@pytest.fixture
def own_games(monkeypatch):
    """For a test that names games of files: afterwards this process knows the installed ones only."""
    from palio_rules import registry

    modules = set(sys.modules)
    paths = list(sys.path)
    monkeypatch.setattr(registry, "_given", {})
    monkeypatch.setattr(registry, "_read", set())
    monkeypatch.setenv(registry.GIVEN, "")
    registry.game.cache_clear()
    yield
    registry.game.cache_clear()
    sys.path[:] = paths
    for name in set(sys.modules) - modules:
        if (Path(getattr(sys.modules[name], "__file__", None) or ROOT)).parent.name.startswith("test_"):
            del sys.modules[name]
