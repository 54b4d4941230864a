"""A whole Palio bot with `websockets` and `msgpack` alone, written from docs/protocol.md: it plays at random.

python examples/minimal_bot.py ws://127.0.0.1:8000/ws/bot my-name [token]
"""

import asyncio
import random
import sys

import msgpack
from websockets.asyncio.client import connect

GAMES = ["breakthrough", "dominoes", "end_of_the_track"]


def reply(message):
    """What to answer to a message of the server; None where there is nothing to say."""
    match message["type"]:
        case "game":
            return {"type": "ready", "match": message["match"]}
        case "turn":
            move = random.choice(message["moves"])
            return {"type": "move", "match": message["match"], "id": message["id"], "move": move}
        case "over":
            print("over:", message["outcome"]["reason"], message["outcome"]["scores"], flush=True)
        case "refused" | "rejected" | "error":
            print(f"{message['type']}: {message['reason']}", file=sys.stderr, flush=True)
    return None


async def play(url, name, token=None):
    session = None
    async for socket in connect(url, subprotocols=["palio.1.msgpack"], compression=None):  # connects again when lost
        hello = {"type": "hello", "name": name, "games": GAMES}
        hello |= {"token": token} if token else {}
        hello |= {"resume": session} if session else {}
        await socket.send(msgpack.packb(hello))
        async for data in socket:
            message = msgpack.unpackb(data)
            if message["type"] == "refused":
                sys.exit(f"refused: {message['reason']}")
            session = message.get("session", session)
            if answer := reply(message):
                await socket.send(msgpack.packb(answer))


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    try:
        asyncio.run(play(*sys.argv[1:]))
    except KeyboardInterrupt:
        pass
