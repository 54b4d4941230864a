"""The figures of benchmarks, with their goals and their peers' values.

Scripts print their figures as a table, or with `--json` as one object. If `BENCH_FIGURES` names a file, those
with a goal are written there as well, a JSON object a line: `run_all.py` makes one table of them.
"""

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path

FILE = "BENCH_FIGURES"  # not PALIO_…: our commands refuse settings that they do not know


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. A value at or above `goal` meets it, or at or below if `less_is_better`."""

    what: str
    value: float
    unit: str
    goal: float | None = None
    less_is_better: bool = False
    peer: str = ""
    note: str = ""

    @property
    def met(self) -> bool | None:
        if self.goal is None:
            return None
        return self.value <= self.goal if self.less_is_better else self.value >= self.goal

    def aim(self) -> str:
        """Return the goal and whether it is reached, in words; "" without a goal."""
        if self.goal is None:
            return ""
        return f"{'<=' if self.less_is_better else '>='} {said(self.goal, self.unit)}{'' if self.met else '  MISSED'}"

    def line(self, width: int) -> str:
        extra = "; ".join(filter(None, (self.peer and f"peer: {self.peer}", self.note)))
        return f"{self.what:<{width}}  {said(self.value, self.unit):>24}  {self.aim():<26}  {extra}".rstrip()


def said(value: float, unit: str) -> str:
    """Return a value with its unit; short times in smaller units."""
    if unit == "s" and abs(value) < 0.1:
        return f"{quantity(1000 * value)} ms"
    return f"{quantity(value)} {unit}".rstrip()


def quantity(value: float) -> str:
    """Return three digits, or all of those before the point; M and G are millions and thousands of millions."""
    if not isfinite(value):
        return str(value)
    for size, word in ((1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return f"{value / size:.3g} {word}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def environment() -> dict[str, str]:
    """Return the environment for a measured command, without this shell's settings for other programs.

    A server refuses PALIO_ names that it does not know; PYTHONDONTWRITEBYTECODE would make each start compile modules.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith(("PALIO_", "PYTHONDONTWRITE"))}


def table(figures: Iterable[Figure]) -> str:
    rows = list(figures)
    width = max((len(row.what) for row in rows), default=0)
    return "\n".join(row.line(width) for row in rows)


def keep(figures: Iterable[Figure]) -> None:
    """Write figures with a goal, for the table of all benchmarks."""
    if name := os.environ.get(FILE):
        with Path(name).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(each)) + "\n" for each in figures if each.goal is not None)


def report(figures: Iterable[Figure], runs: int, *, as_json: bool) -> None:
    """Print the figures, and write them to the file."""
    rows, python = list(figures), f"{platform.python_implementation()} {platform.python_version()}"
    keep(rows)
    if as_json:
        print(json.dumps({"python": python, "runs": runs, "figures": [asdict(row) for row in rows]}))
    else:
        print(f"{python}, one core, CPU time, medians of {runs}\n\n{table(rows)}")
