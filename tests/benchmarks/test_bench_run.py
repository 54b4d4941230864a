"""The evaluation of runs in `bench_run.py`."""

import json
import subprocess
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def beside_the_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_the_cost_of_a_ply_and_of_a_match_are_told_apart_and_the_start_cancels_out():
    from bench_run import Run, costs
    from process_tree import Process, Tree

    def took(games: int, plies: int) -> Run:
        processes = {
            1: Process("palio run", 3.0 + 0.002 * games + 0.0001 * plies),
            2: Process("python -m palio_clients join", 0.5 + 0.00005 * plies),
            3: Process("python -m palio_clients join", 0.5 + 0.00005 * plies),
        }
        return Run(Tree(1, processes=processes), games, plies, span_s=1.0, first_s=0.5)

    ply, match, bot = costs((took(10, 600), took(100, 6000)), (took(10, 50), took(300, 1500)))

    assert (ply, match, bot) == pytest.approx((0.1, 2.0, 0.1))


@pytest.mark.node
@pytest.mark.parametrize("language", ["c", pytest.param("mjs", marks=pytest.mark.node)])
def test_an_instant_program_answers_with_a_legal_move(language, request, tmp_path):
    from bench_run import compiled

    request.getfixturevalue("cxx" if language == "c" else "node")  # a C++ compiler never comes without one for C
    command = [compiled(tmp_path, "instant.c")] if language == "c" else ["node", BENCHMARKS / "engines" / "instant.mjs"]
    moves = [[[1, 0], [2, 0]], [[1, 0], [2, 1]]]
    messages = [
        {"type": "game", "match": "m1", "game": "breakthrough"},
        {"type": "played", "match": "m1", "ply": 1},
        {"type": "turn", "match": "m1", "id": 1000001, "moves": moves, "clocks_ms": [10000, 10000]},
    ]
    lines = "".join(json.dumps(message, separators=(",", ":")) + "\n" for message in messages)
    answers = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout.splitlines()

    ready, move = map(json.loads, answers)
    assert ready == {"type": "ready", "match": "m1", "again": True}
    assert (move["type"], move["match"], move["id"]) == ("move", "m1", 1000001)
    assert move["move"] in moves
