"""A program of Go for tests: `gtp_engine.py HOW LOG` plays the first legal move, and misbehaves in the way HOW.

What it is told stands in LOG afterwards, a line each, without numbers.
"""

import sys
import time
from dataclasses import replace

from palio_rules.registry import game_from_spec

how, log = sys.argv[1], open(sys.argv[2], "w", buffering=1)  # noqa: PTH123, SIM115
end = "\r\n" if how == "crlf" else "\n"
NEEDED = ["protocol_version", "name", "version", "list_commands", "boardsize", "clear_board", "komi", "play", "genmove"]
MORE = ["fixed_handicap", "set_free_handicap", "time_settings", "time_left", "kgs-rules"]
KNOWN = [*NEEDED, "quit"] if how == "plain" else [*NEEDED, *MORE, "final_status_list", "kgs-genmove_cleanup", "quit"]
if how == "nomove":
    KNOWN.remove("genmove")
if how == "japanese":
    KNOWN.remove("kgs-genmove_cleanup")
if how == "silent":
    KNOWN.remove("final_status_list")
if how.startswith("kata"):
    KNOWN.append("kata-set-rules")
if how == "periods":
    KNOWN.append("kgs-time_settings")


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def answer(number, text="", sign="="):
    shown = "" if how == "numberless" else number
    more = "" if how == "bare" and "\n" not in text else end
    text = text.replace("\n", end)
    say(f"{sign}{shown} {text}{end}{more}")


def start(size):
    rules, options = game_from_spec(f"go:size={size}")
    return rules.start(options)


if how == "broken":
    print("no weights", file=sys.stderr)  # noqa: T201
    sys.exit(7)
state = start(9)
for line in sys.stdin:
    number, words = "", line.split()
    if words[0].isdecimal():
        number, *words = words
    log.write(" ".join(words) + "\n")
    if how == "noise":
        say("GNU Go is thinking\n\n= 7\n?\n\n" if words != ["protocol_version"] else "hello\n")
    state = replace(state, passes=0)  # as engines do: two passes do not end what it is told to play
    match words:
        case ["protocol_version"] if how == "hangs":
            time.sleep(60)
        case ["protocol_version"]:
            answer(number, "2" if how != "old" else "1")
        case ["list_commands"] if how == "cut":
            say(f"={number} " + "\n".join(KNOWN) + "\n")
        case ["list_commands"] if how == "unlisting":
            answer(number, "unknown command", "?")
        case ["list_commands"]:
            answer(number, "\n".join(KNOWN))
        case ["name"]:
            answer(number, "Tester")
        case ["version"]:
            answer(number, "1.0")
        case ["boardsize", size]:
            if int(size) > 13:
                answer(number, "unacceptable size", "?")
                continue
            state = start(size)
            answer(number)
        case ["clear_board"]:
            state = start(state.board.size)
            answer(number)
        case ["fixed_handicap", _] | ["set_free_handicap", *_]:
            answer(number, "C3 G7")
        case ["play", _, _] if how == "refuses":
            answer(number, "illegal move", "?")
        case ["play", _, move] if how != "careless" and move not in state.legal_moves():
            answer(number, "illegal move", "?")
        case ["play", _, move] if how != "careless" or move in state.legal_moves():
            state = state.play(move if move == "pass" else move.upper())
            answer(number)
        case [("genmove" | "kgs-genmove_cleanup") as word, _]:
            if how == "dies":
                print("out of ideas", file=sys.stderr, flush=True)  # noqa: T201
                sys.exit(3)
            if how in ("deaf", "floods"):
                while how == "floods":
                    say("thinking\n")
                time.sleep(60)
            if how == "errs":
                answer(number, "no move", "?")
                continue
            if how == "shows":
                lines = "reading the book\ngogui-gfx: VAR b A9 w B9 b A9\ngogui-gfx: TEXT 61 % of 500 playouts\n"
                sys.stderr.write(lines)
                sys.stderr.flush()
            move = next(state.legal_moves())
            if how in ("dead", "japanese", "wild", "silent") and word == "genmove":
                move = "pass"
            state = state.play(move)
            special = {"resigns": "resign", "illegal": "b2", "nonsense": "I5", "shouting": move.lower()}
            answer(number, special.get(how, move))
        case ["final_status_list", "dead"]:
            answer(number, {"dead": "E4 E5\nB2", "japanese": "E4 E5\nB2", "wild": "A1 E5"}.get(how, ""))
        case ["play", *_]:
            answer(number)
        case ["kata-set-rules", rules] if how == "kata-strict" or (how == "kata-old" and "friendlyPassOk" in rules):
            answer(number, "Unknown or unsupported rules", "?")
        case ["kgs-rules", _] if how == "kata-strict":
            answer(number, "syntax error", "?")
        case ["quit"]:
            answer(number)
            break
        case [word, *_]:
            known = word in KNOWN
            answer(number, "" if known else "unknown command", "=" if known else "?")
