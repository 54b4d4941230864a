"""A whole Palio bot with only `websockets` and `msgpack`, written from docs/reference/protocol.md: it plays at random.

python examples/minimal_bot.py ws://127.0.0.1:8000/ws/bot my-name [token]
"""

import asyncio
import random
import sys

import msgpack
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

GAMES = ["breakthrough", "dominoes", "end_of_the_track"]


turns = {}  # match -> the newest turn and our answer to it


def reply(message):
    """Return the answer to a message of the server; None if it needs none."""
    match message:
        case {"type": "game", "match": match}:
            return {"type": "ready", "match": match}
        case {"type": "turn", "match": match, "id": number}:
            turn, answer = turns.get(match, ({"id": None}, None))
            return answer if turn["id"] == number else choose(message)  # a repeated turn gets the same answer
        case {"type": "rejected", "match": match, "reason": reason}:
            print("rejected:", reason, file=sys.stderr, flush=True)
            return choose(turns[match][0])
        case {"type": "over", "match": match, "outcome": outcome}:
            turns.pop(match, None)
            print("over:", outcome["reason"], outcome["scores"], flush=True)
        case {"type": "refused", "reason": reason}:
            sys.exit(f"refused: {reason}")
        case {"type": "error", "reason": reason}:
            print("error:", reason, file=sys.stderr, flush=True)
    return None


def choose(turn):
    answer = {"type": "move", "match": turn["match"], "id": turn["id"], "move": random.choice(turn["moves"])}
    turns[turn["match"]] = (turn, answer)
    return answer


async def play(url, name, token=None):
    session = None
    async for socket in connect(url, subprotocols=["palio.1.msgpack"], compression=None):  # reconnects when it is lost
        hello = {"type": "hello", "name": name, "games": GAMES}
        hello |= {"token": token} if token else {}
        hello |= {"resume": session} if session else {}
        try:
            await socket.send(msgpack.packb(hello))
            while True:
                try:
                    message = msgpack.unpackb(await socket.recv())
                except ValueError:
                    continue  # not a message of the protocol
                match message:
                    case {"type": "welcome", "session": session}:
                        pass  # stays in `turns` for a resumed session
                if answer := reply(message):
                    await socket.send(msgpack.packb(answer))
        except ConnectionClosed:
            continue


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    try:
        asyncio.run(play(*sys.argv[1:]))
    except KeyboardInterrupt:
        pass
