"""Disasters across machines: a short run of the whole, and its witnesses, who must see what they are there to see."""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import psycopg
import pytest
from conftest import lacking

from palio_db.store import Store
from palio_db.values import Claim
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def beside_the_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, BENCHMARKS / "chaos", "--keep", folder, *words]
    environment = {**os.environ, "BENCH_FIGURES": str(folder / "figures")}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def machine() -> None:
    """Skip on machines without such networks."""
    from chaos import hosts, network

    if missing := network.lacks() or hosts.lacks():
        lacking("a network of namespaces with PostgreSQL, mosquitto and libfaketime", missing)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not pytest's: PostgreSQL runs as another user, who may not look in there."""
    found = Path(tempfile.mkdtemp(prefix="palio-chaos-test-"))
    found.chmod(0o755)
    yield found
    shutil.rmtree(found)


def namespaces() -> list[str]:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^palio-chaos-\d+", listed, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("words", ["--matches 60", "--swiss 5 --bots 12"])
def test_whatever_fails_each_match_has_one_result_and_nothing_is_left_behind(folder, words):
    with start(folder, *words.split(), "--every", "2", "--most", "240", "--verbose") as running:
        said, errors = running.communicate()
    assert running.returncode == 0, said + errors
    assert re.search(r"matches with one result +60 ", said)
    assert re.search(r"stale writes +0 ", said)
    assert int(re.search(r"last positions that viewers saw +(\d+)", said)[1]) > 0
    assert sum(map(int, re.findall(r"^ +(\d+) x ", said, re.MULTILINE))) > 3
    assert f"palio-chaos-{running.pid}" not in namespaces()


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.usefixtures("machine")
def test_one_that_is_interrupted_leaves_nothing_behind(folder):
    with start(folder, "--matches", "1000") as running:
        deadline = time.monotonic() + 60
        while not list(folder.glob("ref3.log")) and time.monotonic() < deadline:
            time.sleep(0.1)
        there = namespaces()
        running.send_signal(signal.SIGTERM)
        _, errors = running.communicate()
    assert f"palio-chaos-{running.pid}" in there, errors
    assert (running.returncode, errors.splitlines()[-1]) == (130, "chaos: ended by SIGTERM")
    assert f"palio-chaos-{running.pid}" not in namespaces()
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(folder) not in listed
    assert f"palio-chaos-{running.pid}-" not in listed


# --- the witnesses ----------------------------------------------------------------------------------------------------


@pytest.fixture
def url(postgres_url, monkeypatch):
    name = f"palio_test_{secrets.token_hex(6)}"
    monkeypatch.setenv("PGAPPNAME", "ann")
    with psycopg.connect(f"{postgres_url}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{postgres_url}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


BREACHES = {
    "it renews what another one holds": ("UPDATE matches SET lease_until = lease_until + 60", "ann held it"),
    "it ends what another one holds": (
        "UPDATE matches SET status = 'finished', record = '{}', lease_until = NULL",
        "ann held it",
    ),
    "it takes a match before its lease is over": (
        "UPDATE matches SET worker = 'bob', epoch = epoch + 1",
        "taken from ann before its lease was over",
    ),
    "it writes the journal of another one's match": (
        "INSERT INTO journal SELECT id, 'ply', 1, epoch, '[]' FROM matches",
        "a line of epoch 1; ann held it under 1",
    ),
}


@pytest.mark.postgres
@pytest.mark.parametrize("breach", BREACHES)
async def test_the_database_tells_who_breaks_the_fence(url, breach):
    from chaos.event import witnessed
    from chaos.verdict import judge

    await witnessed(url, 1, 2, 1)
    async with await Store.open(url) as store:
        claim = await store.claim("ann", 30)
        await store.renew([claim], 60)
        statement, what = BREACHES[breach]
        assert (await judge(store, 1, Path("/nowhere"))).stale == 0
        with psycopg.connect(url, autocommit=True, application_name="bob") as connection:
            connection.execute(statement)
            if "finished" in statement:
                connection.execute("UPDATE matches SET status = 'running', record = NULL")
        found = await judge(store, 1, Path("/nowhere"))
        assert found.stale > 0
        assert any(what in complaint for complaint in found.complaints), found.complaints


@pytest.mark.postgres
async def test_a_run_without_a_breach_has_nothing_to_complain_of_and_a_wrong_witness_does(url, tmp_path):
    from chaos.event import witnessed
    from chaos.verdict import judge

    from palio_server.live.replay import ended

    await witnessed(url, 1, 2, 1)
    async with await Store.open(url) as store:
        claim = await store.claim("ann", 30)
        record = played(claim)
        await store.finish(claim, record)
        shown = ended(record).snapshot()
        lines = [[each.ply, each.seat, each.move] for each in shown.lines]
        seen = {"match": claim.match, "ply": shown.summary.view.ply, "text": shown.summary.view.text, "lines": lines}
        heard = {"bot": "bot00", "match": claim.match, "scores": list(record.result.scores)}
        write(tmp_path, heard, seen)
        assert (await judge(store, 1, tmp_path)).complaints == []
        write(tmp_path, heard | {"scores": [0.5, 0.5]}, seen)
        assert "bot00 heard" in (await judge(store, 1, tmp_path)).complaints[0]
        write(tmp_path, heard, seen | {"lines": lines[:-1]})
        assert "is not the record's" in (await judge(store, 1, tmp_path)).complaints[0]
        write(tmp_path, heard, {"match": claim.match, "failed": "nobody answers"})
        assert "gave up" in (await judge(store, 1, tmp_path)).complaints[0]
        assert "of 2 matches" in (await judge(store, 2, tmp_path)).complaints[0]


def write(folder: Path, heard: dict[str, object], seen: dict[str, object]) -> None:
    (folder / "heard").write_text(json.dumps(heard))
    (folder / "seen").write_text(json.dumps(seen))


def played(claim: Claim) -> Record:
    """First moves to the end, which the seat that moves last wins."""
    state, plies = claim.setup.first(), list[Ply]()
    while state.to_move is not None:
        move = next(iter(state.legal_moves()))
        plies.append(Ply(state.to_move, msgspec.to_builtins(move), 5))
        state = state.play(move)
    moment = datetime.now(UTC)
    result = Result("rule", "reached-far-row", list(state.outcome().scores))
    return Record(claim.match, claim.setup, tuple(plies), result, moment, moment)
