"""A bot that speaks JSON over a WebSocket, as the protocol's page says, and remembers what it hears."""

import json

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed


class Bot:
    """Plays first moves until `plies` have been played, and then thinks."""

    def __init__(self, name: str) -> None:
        self.name, self.heard, self.session = name, [], None

    async def play(self, socket: ClientConnection, until: int) -> None:
        resume = {"resume": self.session} if self.session else {}
        await socket.send(json.dumps({"type": "hello", "name": self.name, "games": ["breakthrough"], **resume}))
        try:
            async for data in socket:
                self.heard.append(message := json.loads(data))
                match message["type"]:
                    case "welcome":
                        self.session = message["session"]
                    case "game":
                        await socket.send(json.dumps({"type": "ready", "match": message["match"]}))
                    case "turn" if message["ply"] < until:
                        move = {"type": "move", "match": message["match"], "id": message["id"]}
                        await socket.send(json.dumps({**move, "move": message["moves"][0]}))
                    case "turn" | "over":
                        return
        except ConnectionClosed:
            self.heard.append({"type": "closed", "code": socket.close_code})


def of(heard: list[dict], kind: str) -> list[dict]:
    return [message for message in heard if message["type"] == kind]
