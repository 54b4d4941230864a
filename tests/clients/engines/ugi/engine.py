"""A UGI engine for tests: `engine.py GAME HOW LOG` plays the first legal move, and misbehaves in the way HOW.

What it is told stands in LOG afterwards, a line each.
"""

import sys
import time

from palio_rules.registry import game_from_spec

rules, options = game_from_spec(sys.argv[1])
how, log = sys.argv[2], open(sys.argv[3], "w", buffering=1)  # noqa: PTH123, SIM115
end = "\r\n" if how == "crlf" else "\n"


def say(text):
    sys.stdout.write(text + end)
    sys.stdout.flush()


def compact(text):
    return text if how == "notation" else text.replace("-", "").replace("x", "")


def answer(state):
    move = rules.notation(state, next(state.legal_moves()))
    if how == "illegal":
        return "a1a2"
    if how == "nonsense":
        return "e2e4q"
    if how == "none":
        return ""
    return compact(move).upper() if how == "shouting" else compact(move)


if how == "slow":
    time.sleep(0.3)
state = start = rules.start(options)
for line in sys.stdin:
    log.write(line)
    words = line.split()
    match words:
        case ["ugi"]:
            if how == "hangs":
                time.sleep(60)
            if how == "noise":
                say("Engine 1.0, compiled yesterday")
                say("option")
                say("info string hello bestmove a1a2")
            say("id name Tester 1.0")
            say("id author nobody")
            say("option name Hash type spin default 16 min 1 max 1024")
            say("option name Move Overhead type spin default 10 min 0 max 5000")
            say("option name Ponder type check default false")
            say("option name Style type combo default solid var solid var wild")
            say("option name Clear Hash type button")
            say("ugiok")
        case ["isready"]:
            if how == "unready":
                time.sleep(60)
            say("readyok")
        case ["position", place, *rest]:
            at = rest.index("moves") if "moves" in rest else len(rest)
            state = start if place == "startpos" else rules.parse_state(" ".join(rest[:at]))
            for text in rest[at + 1 :]:
                moves = {compact(rules.notation(state, move)): move for move in state.legal_moves()}
                state = state.play(moves[text])
        case ["go", *_]:
            if how == "dies":
                print("out of ideas", file=sys.stderr, flush=True)  # noqa: T201
                sys.exit(3)
            if how == "resigns":
                say("bestmove resign")
                continue
            if how == "waits":  # for `stop`
                continue
            say(f"info depth 3 seldepth 5 score cp -123 time 7 nodes 456 nps 789 pv {answer(state)} zz")
            if how == "mates":
                say("info depth 4 score mate 3")
            say("info currmove x currmovenumber 1")
            say(f"bestmove {answer(state)}" + (" ponder a1a2" if how == "noise" else ""))
        case ["stop"]:
            say(f"bestmove {answer(state)}")
        case ["quit"]:
            break
