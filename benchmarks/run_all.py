"""Run every benchmark, one after the other: `python benchmarks/run_all.py [--quick] [--peers PYTHON]`, or `make bench`.

Each prints its own table; the last table has all figures with a goal. `--quick` takes smaller sizes. `--peers` names
the Python of an environment with the packages of `benchmarks/peers.txt`, which is then measured in the same run;
without it the peers' figures are quoted.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from figures import FILE, Figure, table

HERE = Path(__file__).parent
QUICK = {
    "bench_cluster.py": ["--quick"],
    "bench_audience.py": ["--viewers", "500", "--seconds", "5"],
    "bench_bot_link.py": ["--turns", "5000", "--runs", "3"],
    "bench_broker.py": ["--messages", "10000"],
    "bench_books.py": ["--lines", "200000"],
    "bench_champion.py": ["--games", "6", "--seconds", "0.02"],
    "bench_crowd.py": ["--quick"],
    "bench_crowd_page.py": ["--quick"],
    "bench_environments.py": ["--seconds", "0.2"],
    "bench_events.py": ["--games", "20"],
    "bench_export.py": ["--plies", "30000", "--runs", "1"],
    "bench_flood.py": ["--seconds", "5"],
    "bench_gtp.py": ["--quick"],
    "bench_hogs.py": ["--pairs", "2"],
    "bench_import.py": ["--matches", "4000", "--sizes", "2"],
    "bench_leaderboard.py": ["--matches", "20000", "--times", "100"],
    "bench_many_bots.py": ["--bots", "1000"],
    "bench_network.py": ["--rounds", "1", "--seconds", "2"],
    "bench_page.py": ["--loads", "2"],
    "bench_page_hour.py": ["--minutes", "2"],
    "bench_pairing.py": ["--rounds", "3"],
    "bench_ratings.py": ["--bots", "200", "--results", "50000", "--runs", "3"],
    "bench_rules.py": ["--seconds", "0.2"],
    "bench_run.py": ["--quick"],
    "bench_takeover.py": ["--kills", "2"],
    "bench_tours.py": ["--runs", "1"],
    "bench_uci.py": ["--quick"],
    "bench_viewers.py": ["--viewers", "100", "--seconds", "5"],
    "bench_wall.py": ["--seconds", "5"],
}
WITH_PEERS = ("bench_environments.py", "bench_kernels.py", "bench_tours.py")


def run(script: Path, asked: argparse.Namespace, kept: Path) -> bool:
    """Run a script; return whether it succeeded."""
    words = QUICK.get(script.name, []) if asked.quick else []
    if script.name == "bench_page_hour.py" and not asked.quick:
        words = ["--minutes", str(asked.minutes)]
    if asked.peers and script.name in WITH_PEERS:
        words = [*words, "--peer", asked.peers]
    print(f"\n=== {script.stem.removeprefix('bench_')}", flush=True)
    environment = {**os.environ, FILE: str(kept)}
    return subprocess.run([sys.executable, script, *words], env=environment, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument("--minutes", type=int, default=60, help="for which the page is left open")
    parser.add_argument("--peers", metavar="PYTHON", help="measure these, too")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "figures"
        kept.touch()
        scripts = sorted(HERE.glob("bench_*.py"))
        failed = [script.name for script in scripts if not run(script, asked, kept)]
        goals = [Figure(**json.loads(line)) for line in kept.read_text().splitlines()]
    missed = sum(not figure.met for figure in goals)
    print(f"\n=== {len(goals)} goals, {missed} missed; {load()}\n{table(goals)}")
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return bool(failed)


def load() -> str:
    """Return whether other programs were running."""
    return f"load of the machine at the end {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


if __name__ == "__main__":
    sys.exit(main())
