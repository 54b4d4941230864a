"""A program that plays nim over stdin and stdout, without our SDK; its argument says how it misbehaves."""

# ruff: noqa: T201  # a program on stdin and stdout prints: that is the point

import json
import os
import signal
import sys
import time

how = sys.argv[1] if len(sys.argv) > 1 else "well"
again = {"again": True} if how in ("again", "mortal") else {}
late = "late" in sys.argv
former = None
if "resigns" in sys.argv:
    how = "resigns"
if how == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("engine", os.getpid(), "is up", file=sys.stderr, flush=True)
refused = 0


def say(**message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "game":
        if how == "garrulous":
            print("hello, I am an engine", flush=True)
            print("x" * 200_000, flush=True)
        if how == "unready":
            sys.exit(4)
        if late and former:
            say(type="move", match=former, id=1, move=[0, 1])
            say(type="resign", match=former)
            say(type="error", code="crashed", reason="of old age", match=former)
            say(type="ready", match=former)
        former = message["match"]
        say(type="ready", match=message["match"], **again)
    elif kind in ("turn", "rejected"):
        refused += kind == "rejected"
        if how == "dies":
            print("out of ideas", file=sys.stderr, flush=True)
            sys.exit(3)
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "mute":
            os.close(1)
            time.sleep(60)
        if how == "resigns":
            say(type="resign", match=message["match"])
            continue
        if how == "garrulous":
            say(type="move", match=message["match"], id=99, move=[0, 1])
            say(type="error", code="confused", reason="what is this")
        if kind == "turn":
            heaps = [int(heap) for heap in message["state"].split()[0].split(",")]
        full = [i for i, heap in enumerate(heaps) if heap]
        move = [full[refused % len(full)], 1]
        say(type="move", match=message["match"], id=message["id"], move=move, info={"nodes": 1, "text": kind})
    elif kind == "over" and how == "stubborn":
        while True:
            time.sleep(1)
    elif kind == "over" and how == "mortal":
        sys.exit(0)
