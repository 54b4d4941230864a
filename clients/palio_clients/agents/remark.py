"""What a bot that ships has to say to whoever has started it, on stderr."""

import sys
from functools import cache

REMARK = "remark: "  # begins the line; `palio run` and `palio demo` pass such lines on


@cache
def remark(agent: str, text: str) -> None:
    """Say it; once is enough for all matches."""
    print(f"{REMARK}{agent}: {text}", file=sys.stderr, flush=True)  # noqa: T201 - stderr is where it is looked for
