"""The speed of the environments for learners: `python benchmarks/bench_environments.py [--peer PYTHON]`.

Steps a second of CPU time on one core, with random legal actions and resets: all the cost that a learner without a
network would have. Medians of five runs, alternating with the peers', so that a busy machine affects all.

`--peer` names the Python of an environment with `benchmarks/peers.txt`: PettingZoo's own Connect Four is then measured
in the same loop as our duels, and OpenSpiel's Breakthrough in a loop with the same data, observation and mask.
"""

import argparse
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from figures import Figure, quantity, report

from palio_rules.addons.gymnasium import env as race_of
from palio_rules.addons.pettingzoo import env as turns_of

RUNS = 5
TURNS = ("breakthrough", "breakthrough:rows=8,cols=8", "dominoes:rows=8,cols=8", "end_of_the_track", "chexers")
RACES = ("rush_hour:size=6,moves=8", "chexers_solo", "tsp:size=50")
PEERS = {  # by the words of PEER, at their positions
    "breakthrough": {"connect_four": "PettingZoo's Connect Four", "breakthrough 6": "OpenSpiel's Breakthrough 6x6"},
    "breakthrough:rows=8,cols=8": {"breakthrough 8": "OpenSpiel's Breakthrough 8x8"},
}
PEER = """
import sys, time
import numpy as np

name, _, side = sys.argv[1].partition(" ")
seconds, choose = float(sys.argv[2]), np.random.default_rng(1)


def turns(game):
    until, steps = time.process_time() + seconds, 0
    while time.process_time() < until:
        game.reset(seed=steps)
        for _ in game.agent_iter():
            seen, _, terminated, truncated, _ = game.last()
            if terminated or truncated:
                game.step(None)
                continue
            game.step(int(choose.choice(np.flatnonzero(seen["action_mask"]))))
            steps += 1
    return steps


def spiel(game):
    until, steps, shape = time.process_time() + seconds, 0, game.observation_tensor_shape()
    while time.process_time() < until:
        state = game.new_initial_state()
        while not state.is_terminal():
            np.asarray(state.observation_tensor(state.current_player()), np.float32).reshape(shape)
            state.apply_action(int(choose.choice(np.flatnonzero(state.legal_actions_mask()))))
            steps += 1
    return steps


if name == "connect_four":
    from pettingzoo.classic import connect_four_v3

    run, game = turns, connect_four_v3.env()
else:
    import pyspiel

    run, game = spiel, pyspiel.load_game(f"breakthrough(rows={side},columns={side})")
began = time.process_time()
print(run(game) / (time.process_time() - began))
"""


def turns_speed(game: Any, seconds: float) -> float:
    """Return steps a second in PettingZoo's loop, the same as the peer's."""
    choose, began, steps = np.random.default_rng(1), time.process_time(), 0
    while time.process_time() - began < seconds:
        game.reset(seed=steps)
        for _ in game.agent_iter():
            seen, _, terminated, truncated, _ = game.last()
            if terminated or truncated:
                game.step(None)
                continue
            game.step(int(choose.choice(np.flatnonzero(seen["action_mask"]))))
            steps += 1
    return steps / (time.process_time() - began)


def race_speed(race: Any, seconds: float) -> float:
    """Return steps a second in Gymnasium's loop; instances were made before."""
    choose, began, steps, done = np.random.default_rng(1), time.process_time(), 0, True
    while time.process_time() - began < seconds:
        if done:
            _, info = race.reset()
        _, _, terminated, truncated, info = race.step(int(choose.choice(np.flatnonzero(info["action_mask"]))))
        steps, done = steps + 1, terminated or truncated
    return steps / (time.process_time() - began)


def peer_speed(python: str, words: str, seconds: float) -> float:
    command = [python, "-c", PEER, words, str(seconds)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1])


def medians(measures: dict[str, Callable[[], float]]) -> dict[str, float]:
    """Return the median of each measure, taken in turns; the first round, which warms caches, does not count."""
    found = [{name: measure() for name, measure in measures.items()} for _ in range(RUNS + 1)][1:]
    return {name: statistics.median(run[name] for run in found) for name in measures}


def rows(seconds: float, python: str | None) -> Iterator[Figure]:
    for text in TURNS:
        peers = PEERS.get(text, {}) if python else {}
        measures = {text: partial(turns_speed, turns_of(text), seconds)}
        measures |= {words: partial(peer_speed, python, words, seconds) for words in peers}
        found = medians(measures)
        told = ", ".join(f"{peer} {quantity(found[words])} steps/s" for words, peer in peers.items())
        yield Figure(f"PettingZoo, {text}", found[text], "steps/s", peer=told)
    for text in RACES:
        race = race_of(text, seed=1, instances=5)
        for seed in range(race.instances or 0):
            race.reset(options={"instance": seed})
        yield Figure(f"Gymnasium, {text}", medians({text: partial(race_speed, race, seconds)})[text], "steps/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="length of each run (default 1)")
    parser.add_argument("--peer", metavar="PYTHON", help="a Python that has open_spiel and pettingzoo[classic]")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    asked = parser.parse_args()
    report(rows(asked.seconds, asked.peer), RUNS, as_json=asked.json)


if __name__ == "__main__":
    main()
