"""Run every benchmark, one after the other, and print their tables: `make bench`. `--quick` for smaller sizes."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
QUICK = {"bench_leaderboard.py": ["--matches", "20000"], "bench_viewers.py": ["--viewers", "100"]}


def main() -> int:
    quick = "--quick" in sys.argv[1:]
    failed = []
    for script in sorted(HERE.glob("bench_*.py")):
        print(f"\n=== {script.stem.removeprefix('bench_')}", flush=True)
        arguments = QUICK.get(script.name, []) if quick else []
        if subprocess.run([sys.executable, script, *arguments], check=False).returncode:
            failed.append(script.name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
