"""A bot in a process of its own: whatever ends it, os._exit or a segmentation fault, ends no screen.

`python -m palio_clients.board.apart SPEC` plays one match, speaking the protocol of `palio_clients.stdio` on what were
its stdin and stdout, as `palio_clients.handouts.run` does for coursework.
"""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from palio_clients.clock import Clock
from palio_clients.events import MatchOver, MovePlayed, MoveRejected
from palio_clients.failures import BadBot, PlayerFailed, Resign
from palio_clients.handouts.entrant import PREFIX
from palio_clients.handouts.run import lines_of, private_pipes
from palio_clients.loader import EXEC, load
from palio_clients.player import Entrant, Player
from palio_clients.stdio import EnginePlayer
from palio_rules import messages, wire
from palio_rules.messages import BotMessage, ServerMessage, Turn
from palio_rules.wire import Encoding

MAX_TEXT = 8000  # characters of a traceback that travel


def apart(spec: str) -> Entrant:
    """The bot that `spec` names, playing each match in a new process. Raises BadBot, with the remedy, as `load` does.

    Programs and coursework have processes of their own already.
    """
    found = load(spec)
    if spec.startswith((EXEC, PREFIX)):
        return found
    here = [] if sys.path[:1] == [str(Path.cwd())] else ["-P"]  # what can be imported here can be imported there
    argv = [sys.executable, *here, "-m", "palio_clients.board.apart", spec]
    return Entrant(found.name, found.games, lambda report: EnginePlayer(argv, report, called="its process"))


class Host:
    """One match of one player: messages in, messages out."""

    def __init__(self, player: Player, say: BinaryIO) -> None:
        self._player, self._pipe = player, say
        self._turn: Turn | None = None

    async def run(self, lines: Iterator[bytes]) -> None:
        """Play until the match is over or given up."""
        match = ""
        try:
            while (line := await asyncio.to_thread(next, lines, None)) is not None:
                message = wire.decode_from_server(line, Encoding.JSON)
                match = getattr(message, "match", match)
                await self._take(message)
                if isinstance(message, messages.Over):
                    return
        except Resign:
            self._say(messages.Resign(match))
        except PlayerFailed as error:
            print(error, file=sys.stderr)  # noqa: T201  # its author may be watching
            self._say(messages.Error("crashed", str(error)[-MAX_TEXT:], match=match))
        finally:
            await self._player.close()

    async def _take(self, message: ServerMessage) -> None:
        match message:
            case messages.GameMessage():
                await self._player.prepare(message)
                self._say(messages.Ready(message.match))
            case Turn():
                self._turn = message
                await self._answer(message)
            case messages.Rejected(strikes_left=left):
                await self._player.hear(MoveRejected(message.match, message))
                if left and self._turn is not None:
                    await self._answer(self._turn)
            case messages.Played():
                await self._player.hear(MovePlayed(message.match, message))
            case messages.Over():
                await self._player.hear(MatchOver(message.match, message.outcome))
            case _:
                return

    async def _answer(self, turn: Turn) -> None:
        thought = await self._player.think(turn, Clock(limit_ms=turn.limit_ms))
        self._say(messages.Move(turn.match, turn.id, thought.move, thought.info))

    def _say(self, message: BotMessage) -> None:
        self._pipe.write(wire.encode(message, Encoding.JSON) + b"\n")
        self._pipe.flush()


def main(spec: str) -> int:
    """Play; the exit code."""
    listen, say = private_pipes()
    try:
        player = load(spec).make(lambda fault: print(fault, file=sys.stderr))  # noqa: T201  # as above
    except BadBot as error:
        print(error, file=sys.stderr)  # noqa: T201  # it could be loaded a moment ago: its author will want to know
        return 2
    asyncio.run(Host(player, say).run(lines_of(listen)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
