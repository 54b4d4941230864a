"""The size of the code that a newcomer has to learn: modules, and the files that one action passes.

Prints how many modules each package has and how long they are, and of a whole `palio run` on this machine: our files
that are entered before the first turn, those that one move passes between two of the referee's, and those of arena and
tournament between the last result of a round and the first turn of the next.

    python tools/house.py
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGES = {f"palio_{name}": ROOT / name / f"palio_{name}" for name in ("rules", "clients", "server", "db")}
RUN = ["run", "dominoes", "random", "greedy", "greedy:seed=2", "random:seed=2", "--option", "rows=4", "--option"]
RUN += ["cols=4", "--format", "swiss", "--rounds", "2", "--concurrency", "1", "--seed", "1", "--openings", "2"]
ROUND = ("arena", "tournament")  # the rooms that an event's next round is looked for in


class Ways:
    """The files that are entered, found by `sys.setprofile`; the referee's turns and events mark where a path begins
    and ends.
    """

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.calls = 0
        self.before: int | None = None  # the first turn
        self.moves: list[tuple[int, int]] = []  # files and calls of each move
        self.rounds: list[int] = []
        self._moving = False

    def hear(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call" or not (file := _ours(frame.f_code.co_filename)):
            return
        name = frame.f_code.co_name
        if file.endswith("/match/turns.py") and name == "_move":
            if self._moving:
                self.moves.append((len(self.files), self.calls))
            self._begin(moving=True)
        elif file.endswith("/match/turns.py") and name == "begin":
            if self.before is None:
                self.before = len(self.files)
            self.rounds.append(sum(_room(each) in ROUND for each in self.files))
            self._begin(moving=False)
        self.files.add(file)
        self.calls += 1

    def _begin(self, *, moving: bool) -> None:
        self.files, self.calls, self._moving = set(), 0, moving


def _ours(file: str) -> str:
    return file if any(f"/{package}/" in file for package in PACKAGES) else ""


def _room(file: str) -> str:
    return file.partition("/palio_server/")[2].partition("/")[0]


def measured_here(file: Path) -> None:
    """Run the tournament in this process, and write what was seen; to import a file is to enter it."""
    ways = Ways()
    sys.setprofile(ways.hear)
    from palio_server.cli.palio import call  # noqa: PLC0415

    code = call(RUN)
    sys.setprofile(None)
    file.write_text(json.dumps({"code": code, "before": ways.before, "moves": ways.moves, "rounds": ways.rounds}))


def measured() -> dict[str, Any]:
    """Return the findings of `measured_here` in a process of its own. Raises CalledProcessError if the tournament
    fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "ways.json")
        env = {**os.environ, "PALIO_DB": f"sqlite:///{folder}/house.db"}
        command = [sys.executable, "-P", __file__, str(file)]
        subprocess.run(command, env=env, cwd=folder, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  our own
        found: dict[str, Any] = json.loads(file.read_text())
    if found["code"]:
        raise SystemExit("palio run failed; see above")
    return found


def modules() -> dict[str, list[int]]:
    """The lines of each package's modules."""
    return {
        package: [len(file.read_text(encoding="utf-8").splitlines()) for file in folder.rglob("*.py")]
        for package, folder in PACKAGES.items()
    }


def main() -> None:
    sizes = modules()
    for package, lines in sizes.items():
        print(f"{package:14} {len(lines):4} modules, {median(lines):4.0f} lines at the median")
    every = [each for lines in sizes.values() for each in lines]
    print(f"{'all':14} {len(every):4} modules, {median(every):4.0f} lines at the median")
    found = measured()
    files, calls = (median(column) for column in zip(*found["moves"], strict=True))
    print(f"palio run enters {found['before']} files before the first turn")
    print(f"a move passes {files:.0f} files in {calls:.0f} calls")
    print(f"an event's next round passes {max(found['rounds'][1:])} files of {' and '.join(ROUND)}")


if __name__ == "__main__":
    if sys.argv[1:]:
        measured_here(Path(sys.argv[1]))
    else:
        main()
