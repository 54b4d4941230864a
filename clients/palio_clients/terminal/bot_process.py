"""A bot in a process of its own: whatever ends it, os._exit or a segmentation fault, ends no screen.

`python -m palio_clients.terminal.bot_process SPEC` plays one match on its stdin and stdout, see `sdk.pipe`.
"""

import asyncio
import sys
from collections.abc import Iterator

from msgspec import UNSET

from palio_clients.sdk.clock import Clock
from palio_clients.sdk.entrant import Entrant
from palio_clients.sdk.events import MatchOver, MovePlayed, MoveRejected
from palio_clients.sdk.failures import BadBot, PlayerFailed, Resign
from palio_clients.sdk.loader import load
from palio_clients.sdk.pipe import Pipe
from palio_clients.sdk.player import Player, settled
from palio_clients.sdk.stdio import EnginePlayer
from palio_rules.contract import messages
from palio_rules.contract.messages import ServerMessage, Turn
from palio_rules.interpreter import python


def isolated(spec: str) -> Entrant:
    """The bot that `spec` names, playing each match in a new process. Raises BadBot, as `load` does."""
    found = load(spec)
    if found.own_process:
        return found
    argv = python("-m", "palio_clients.terminal.bot_process", spec)
    return Entrant(found.name, found.games, lambda report: EnginePlayer(argv, report, called="its process"), True)


class Host:
    """One match of one player: messages in, messages out."""

    def __init__(self, player: Player, pipe: Pipe) -> None:
        self._player, self._pipe = player, pipe
        self._turn: Turn | None = None

    async def run(self, received: Iterator[ServerMessage]) -> None:
        """Play until the match is over or given up."""
        match = ""
        try:
            while (message := await asyncio.to_thread(next, received, None)) is not None:
                match = getattr(message, "match", match)
                await self._handle(message)
                if isinstance(message, messages.Over):
                    return
        except Resign as resigned:
            self._pipe.send(messages.Resign(match, str(resigned)[: messages.MAX_TRACEBACK] or UNSET))
        except PlayerFailed as error:
            self._pipe.crashed(match, str(error))
        finally:
            await self._player.close()

    async def _handle(self, message: ServerMessage) -> None:
        match message:
            case messages.GameMessage():
                await settled(self._player.prepare(message))
                self._pipe.send(messages.Ready(message.match))
            case Turn():
                self._turn = message
                await self._answer(message)
            case messages.Rejected(strikes_left=left):
                await settled(self._player.hear(MoveRejected(message.match, message)))
                if left and self._turn is not None:
                    await self._answer(self._turn)
            case messages.Played():
                await settled(self._player.hear(MovePlayed(message.match, message)))
            case messages.Over():
                await settled(self._player.hear(MatchOver(message.match, message.outcome)))
            case _:
                return

    async def _answer(self, turn: Turn) -> None:
        thought = await settled(self._player.think(turn, Clock(limit_ms=turn.limit_ms)))
        self._pipe.send(messages.Move(turn.match, turn.id, thought.move, thought.info))


def main(spec: str) -> int:
    pipe = Pipe()
    try:
        player = load(spec).make(lambda fault: print(fault, file=sys.stderr))  # noqa: T201  # its author may be watching
    except BadBot as error:
        print(error, file=sys.stderr)  # noqa: T201  # it could be loaded a moment ago: its author will want to know
        return 2
    asyncio.run(Host(player, pipe).run(pipe.messages()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
