"""The time until a game's kernels are warm, in a new process."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from figures import Figure

STORY = (
    "import importlib, sys, time; began = time.process_time(); "
    "importlib.import_module(f'palio_clients.games.{sys.argv[1]}.kernels').warm_up(); "
    "print(time.process_time() - began)"
)
COLD_S, CACHED_S = 20.0, 1.0  # of CPU time, with all imports


def cold_rows(*games: str) -> Iterator[Figure]:
    """Measure with an empty cache, and then with the filled one."""
    for game in games:
        with tempfile.TemporaryDirectory() as kept:
            for when, goal in (("cold", COLD_S), ("cached", CACHED_S)):
                command, environment = [sys.executable, "-c", STORY, game], {**os.environ, "NUMBA_CACHE_DIR": kept}
                done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                what = f"{game}: import and warm_up, {when}"
                yield Figure(what, float(done.stdout), "s", goal, less_is_better=True)
