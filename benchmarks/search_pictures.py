"""Draw the searches: `python benchmarks/search_pictures.py [NAME...]` writes docs/explanation/search/NAME.svg.

Without names all of them are drawn. No time is measured: the same lines are drawn on every machine.
"""

import sys
from pathlib import Path

from pictures import NAMES, drawn

SHELF = Path(__file__).parents[1] / "docs" / "explanation" / "search"


def main(names: list[str]) -> None:
    if strangers := [name for name in names if name not in NAMES]:
        raise SystemExit(f"there is no picture of {', '.join(strangers)}; there are: {', '.join(NAMES)}")
    SHELF.mkdir(exist_ok=True)
    for name in names or NAMES:
        (SHELF / f"{name}.svg").write_text(drawn(name), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
