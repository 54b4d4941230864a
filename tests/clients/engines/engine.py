"""An engine for tests: `engine.py GAME HOW LOG [uci]` plays the first legal move, and misbehaves in the way HOW.

What it is told stands in LOG afterwards, a line each. It speaks UGI, or UCI.
"""

import sys
import time

from palio_rules.registry import game_from_spec

rules, options = game_from_spec(sys.argv[1])
how, log = sys.argv[2], open(sys.argv[3], "w", buffering=1)  # noqa: PTH123, SIM115
language = sys.argv[4] if len(sys.argv) > 4 else "ugi"
chess = rules.name == "chess"
end = "\r\n" if how == "crlf" else "\n"


def say(text):
    sys.stdout.write(text + end)
    sys.stdout.flush()


def compact(text):
    if text == "pass":
        return "0000"
    return text if how == "notation" else text.replace("-", "").replace("x", "")


def text_of(state, move):
    return rules.move_to_wire(move) if chess else compact(rules.notation(state, move))


def answer(state):
    if how == "illegal":
        return "a1a2" if chess or rules.name == "breakthrough" else "h8v"
    if how == "nonsense":
        return "e2e4q"
    if how == "none":
        return ""
    if how in ("nomove", "null"):
        return "(none)" if how == "nomove" else "0000"
    text = text_of(state, next(state.legal_moves()))
    return text.upper() if how == "shouting" else text


def expected(state):
    """A ponder move: the reply that the opponent plays in the tests, its first one."""
    after = state.play(next(state.legal_moves()))
    return "" if after.to_move is None else f" ponder {text_of(after, next(after.legal_moves()))}"


if how == "slow":
    time.sleep(0.3)
if how == "broken":
    print("no net file", file=sys.stderr)  # noqa: T201
    sys.exit(7)
wrong = " a1a1" if how == "misled" else ""  # in its line
pondering = False
state = start = rules.start(options)
for line in sys.stdin:
    log.write(line)
    words = line.split()
    match words:
        case [word] if word == language and how == "stranger":
            say("uciok" if language == "ugi" else "ugiok")
        case [word] if word == language:
            if how == "babbles":
                say("Hello, I am an engine")
                time.sleep(60)
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
            if language == "uci" and not chess and how != "chess only":
                say(f"option name UCI_Variant type combo default chess var chess var {rules.name}")
            if how == "960":
                say("option name UCI_Chess960 type check default false")
            if how == "misfit":
                say("option name Depth type spin default 99 min 1 max 9")
            say(f"{language}ok")
        case ["isready"]:
            if how == "unready":
                time.sleep(60)
            say("readyok")
        case ["position", place, *rest]:
            at = rest.index("moves") if "moves" in rest else len(rest)
            state = start if place == "startpos" else rules.parse_state(" ".join(rest[:at]))
            for text in rest[at + 1 :]:
                moves = {text_of(state, move): move for move in state.legal_moves()}
                state = state.play(moves[text])
        case ["go", "ponder", *_] if how in ("ponders", "thinks"):
            pondering = True
        case ["go", *_]:
            if how == "gibberish":
                for number in range(20):
                    say(f"thinking about {number}")
                time.sleep(60)
            while how == "floods":
                say("info depth 1 currmove a1a2")
            if how == "once" and rules.format_state(state) != rules.format_state(start):
                sys.exit(9)
            if how == "dies":
                print("out of ideas", file=sys.stderr, flush=True)  # noqa: T201
                sys.exit(3)
            if how == "resigns":
                say("bestmove resign")
                continue
            if how == "patient" and "infinite" in words:
                continue
            if how == "unscored":
                say("info depth 3 score cp none")
            if how in ("waits", "deaf"):  # for `stop`
                continue
            if how == "rich":
                say("info string loaded 7 pieces")
                say(f"info depth 9 seldepth 14 multipv 1 score cp 31 wdl 90 880 30 nodes 5000 nps 250000 hashfull 17 "
                    f"tbhits 3 time 20 pv {answer(state)}")  # fmt: skip
                say("info depth 9 multipv 2 score cp -70 nodes 5100 pv zz")
                say(f"bestmove {answer(state)}")
                continue
            say(f"info depth 3 seldepth 5 score cp -123 time 7 nodes 456 nps 789 pv {answer(state)}{wrong}")
            if how == "mates":
                say("info depth 4 score mate 3")
            say("info currmove x currmovenumber 1")
            reply = " ponder a1a2" if how == "noise" else expected(state) if how in ("ponders", "thinks") else ""
            say(f"bestmove {answer(state)}{reply}")
        case ["ponderhit"]:
            pondering = False
            say(f"bestmove {answer(state)}{expected(state)}")
        case ["stop"] if how == "deaf":
            pass
        case ["stop"]:
            say(f"bestmove {answer(state)}")
        case ["quit"]:
            break
