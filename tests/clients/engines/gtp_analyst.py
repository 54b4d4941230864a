"""A program of Go for tests that analyses as KataGo and Leela Zero do: `gtp_analyst.py HOW LOG`.

An analysis goes on until any line comes, also an empty one; then its answer ends, and the line is answered. Black's
share is a half, and a tenth for each stone more on the board; a stone on A1 costs its owner half. `HOW` is one or more
words with `+` between: `kata` or `lz` for the commands, `black` or `white` for the side from which it counts, and the
faults that it has. LOG has what it was told.
"""

import os
import select
import sys
import time

how, log = set(sys.argv[1].split("+")), open(sys.argv[2], "w", buffering=1)  # noqa: PTH123, SIM115
COLS = "ABCDEFGHJKLMNOPQRST"
KNOWN = ["protocol_version", "name", "version", "list_commands", "boardsize", "clear_board", "komi", "play", "genmove"]
KNOWN += [each for each in ("kata", "lz") if each in how for each in (f"{each}-analyze",)]
FEW = 3 if "shallow" in how else 400  # visits of the best move
size, stones, moves = 9, {}, 0
rest = b""


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def lines():
    """Yield what is told; None while nothing is."""
    global rest  # noqa: PLW0603
    while True:
        line, broken, after = rest.partition(b"\n")
        if broken:
            rest = after
            yield line.decode()
        elif select.select([0], [], [], 0.01)[0]:
            if not (data := os.read(0, 65536)):
                return
            rest += data
        else:
            yield None


def report(kata, colour):
    black = sum(1 if colour == "b" else -1 for colour in stones.values())
    black -= {"b": 5, "w": -5}.get(stones.get("A1"), 0)
    share = min(0.98, max(0.02, 0.5 + 0.1 * black))
    if not ("black" in how or (colour == "b" and "white" not in how)):
        share = 1 - share
    free = [f"{col}{row}" for row in range(size, 0, -1) for col in COLS[:size] if f"{col}{row}" not in stones]
    best, other = [*free, "pass", "pass"][:2]
    rate = f"{share:.6f}" if kata else f"{share * 10000:.0f}"
    more = f"utility 0.1 scoreMean {black}.0 scoreStdev 9.5 scoreLead {black}.0 " if kata else ""
    return (
        f"info move {other} visits 2 winrate {'0.4' if kata else '4000'} prior 0.1 order 1 pv {other} "
        f"info move {best} visits {FEW} {more}winrate {rate} prior 0.2 lcb {rate} order 0 pv {best} {other} pass"
    )


if "broken" in how:
    print("no network", file=sys.stderr)  # noqa: T201
    sys.exit(7)
analysing, kata, colour, count, told_at = False, True, "b", 0, 0.0
for line in lines():
    if line is None:
        if analysing and "silent" not in how and time.monotonic() > told_at:
            told_at = time.monotonic() + 0.02
            if "garbage" in how:
                say("info move\ninfo move Z9 visits x winrate nan\ninfo depth 3\n\x00\xff info move A1\n")
            say(report(kata, colour) + "\n")
            if "talks" in how:  # long lines without a report
                say("info string " + "x" * 100_000 + "\n")
            if "ends" in how:
                analysing = False
                say("\n")
        continue
    if analysing and "deaf" not in how:
        analysing = False
        say("\n")
    if not (words := line.split()) or analysing:
        continue
    number = words.pop(0) if words[0].isdecimal() else ""
    log.write(" ".join(words) + "\n")
    sign, text = "=", ""
    match words:
        case ["protocol_version"]:
            text = "2"
        case ["name"]:
            text = "Analyst"
        case ["list_commands"]:
            text = "\n".join(KNOWN)
        case ["boardsize", new]:
            size, stones = int(new), {}
        case ["clear_board"]:
            stones = {}
        case ["play", who, point]:
            stones |= {} if point == "pass" else {point: who}
        case [("kata-analyze" | "lz-analyze") as word, colour, *_] if "refuses" not in how:
            count += 1
            if "dies" in how and count > 4:
                print("out of memory", file=sys.stderr, flush=True)  # noqa: T201
                sys.exit(3)
            kata, analysing = word.startswith("kata"), True
            say(f"={number}\n")
            continue
        case ["quit"]:
            say(f"={number}\n\n")
            break
        case [word, *_] if word not in KNOWN or word.endswith("analyze"):
            sign, text = "?", "unknown command"
    say(f"{sign}{number} {text}\n\n")
