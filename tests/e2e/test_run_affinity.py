"""`palio run --affinity`: the programs of each game compute on its CPU, also in a sandbox."""

import os
import sys

import pytest
from command import Palio

from palio_rules.records import record_from_text

ENGINE = """
import json, os, sys, time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "game":
        print(json.dumps({"type": "ready", "match": message["match"]}), flush=True)
    elif message["type"] == "turn":
        time.sleep(0.02)
        cpus = " ".join(map(str, sorted(os.sched_getaffinity(0))))
        answer = {"type": "move", "match": message["match"], "id": message["id"], "move": message["moves"][0]}
        print(json.dumps({**answer, "info": {"text": cpus}}), flush=True)
"""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="CPUs are chosen on Linux only")]


def cpus_told(palio: Palio) -> list[set[str]]:
    """Return what both programs of each match have told of their CPUs."""
    texts = (palio.folder / "games").read_text().split("\n\n[")
    records = [record_from_text(text if text.startswith("[") else f"[{text}") for text in texts]
    return [{ply.info.text for ply in record.plies} for record in records]


@pytest.mark.parametrize("sandbox", ["off", "require"])
def test_the_programs_of_a_game_share_a_cpu_of_their_own(palio: Palio, sandbox: str):
    (palio.folder / "engine.py").write_text(ENGINE)
    engine, several = f"exec:{sys.executable} engine.py", min(2, len(os.sched_getaffinity(0)))
    bots, most = (f"a={engine}", f"b={engine}"), ("--affinity", "all", "--concurrency", str(several))
    done = palio.json("run", "breakthrough", *bots, "--rounds", "2", *most, "--sandbox", sandbox, "--records", "games")
    assert done["games"]["finished"] == 4
    told = cpus_told(palio)
    assert all(len(cpus) == 1 for cpus in told)
    assert len(set.union(*told)) == several
    assert set.union(*told) <= {str(cpu) for cpu in os.sched_getaffinity(0)}


def test_more_games_at_once_than_cpus_are_refused(palio: Palio):
    refused = palio("run", "breakthrough", "random", "greedy", "--affinity", "0", "--concurrency", "2", code=2)
    assert "each of 2 games at once needs a CPU, and there are 1; write --concurrency 1" in refused.stderr
    ponders = "uci:sh,option.Ponder=true"
    refused = palio("run", "chess", f"a={ponders}", f"b={ponders}", "--affinity", "0", "--concurrency", "1", code=2)
    assert "needs 2 CPUs, because its bots think at the same time" in refused.stderr
    refused = palio("run", "breakthrough", "random", "greedy", "--affinity", "0", "--cluster", "local:2", code=2)
    assert "--affinity is for bots on this machine; leave --cluster or --affinity out" in refused.stderr
