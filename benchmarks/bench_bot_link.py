"""The CPU time that a bot spends on one turn's messages, beside the public interface of the library websockets.

Two ways answer the same turns of Breakthrough: the SDK's link, which takes a message by a plain call, and a link over
`connect`, `recv` and `send` with the same codec. Both run here, in turns; the peer who asks is another process. A bot
that answers at once spends most of its time here, so the share is what it would lose with the public interface.
"""

import argparse
import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Callable, Coroutine
from multiprocessing.connection import Connection

import msgspec
from figures import Figure, keep, table
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from palio_clients.sdk.failures import LinkLost
from palio_clients.sdk.transport import Link
from palio_clients.sdk.websocket import WebSocketTransport
from palio_rules.contract import codec
from palio_rules.contract.codec import Encoding
from palio_rules.contract.messages import Move, ServerMessage, Turn
from palio_rules.errors import WireError
from palio_rules.registry import game

Answer = Callable[[str], Coroutine[None, None, None]]


def turn() -> Turn:
    rules = game("breakthrough")
    state = rules.start(rules.options_type())
    moves = [rules.move_to_wire(move) for move in state.legal_moves()]
    return Turn("m" * 24, 1, 0, rules.format_state(state), moves, [60_000, 60_000], 60_000)


def ask(turns: int, told: Connection) -> None:
    """Serve connections: each gets `turns` turns, one after the other's answer. Sends the port to `told`."""
    message = codec.encode(turn(), Encoding.MSGPACK)

    async def play(socket: ServerConnection) -> None:
        for _ in range(turns):
            await socket.send(message)
            await socket.recv()

    async def main() -> None:
        protocol = Subprotocol(Encoding.MSGPACK.subprotocol)
        async with serve(play, "127.0.0.1", 0, subprotocols=[protocol], compression=None) as server:
            told.send(next(iter(server.sockets)).getsockname()[1])
            await server.serve_forever()

    asyncio.run(main())


def answer(message: ServerMessage | WireError) -> Move:
    assert isinstance(message, Turn)
    assert message.moves
    return Move(message.match, message.id, message.moves[0])


async def by_plain_calls(url: str) -> None:
    async with WebSocketTransport(url).connect() as link:
        await _listen(link)


async def _listen(link: Link) -> None:
    try:
        await link.listen(lambda message: link.send(answer(message)))
    except LinkLost:
        return  # all turns were asked


async def by_public_interface(url: str) -> None:
    protocol = Subprotocol(Encoding.MSGPACK.subprotocol)
    async with connect(url, subprotocols=[protocol], compression=None, proxy=None) as socket:
        async for data in socket:
            assert isinstance(data, bytes)
            await socket.send(codec.encode(answer(codec.decode_from_server(data, Encoding.MSGPACK)), Encoding.MSGPACK))


def cost(way: Answer, url: str, turns: int) -> float:
    """Return the CPU time of this process for one turn, in seconds."""
    began = time.process_time()
    asyncio.run(way(url))
    return (time.process_time() - began) / turns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=20_000, help="in one run")
    parser.add_argument("--runs", type=int, default=5, help="of each way, in turns")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    ours: list[float] = []
    theirs: list[float] = []
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=ask, args=(args.turns, there), daemon=True)
    server.start()
    url = f"ws://127.0.0.1:{here.recv()}/ws/bot"
    try:
        for _ in range(args.runs):
            ours.append(cost(by_plain_calls, url, args.turns))
            theirs.append(cost(by_public_interface, url, args.turns))
    finally:
        server.terminate()
        server.join()
    mine, peers = statistics.median(ours), statistics.median(theirs)
    figures = [
        Figure("CPU of one turn, by plain calls", mine, "s"),
        Figure("CPU of one turn, websockets' recv and send", peers, "s"),
        Figure("share that a bot would lose by recv and send", 100 * (1 - mine / peers), "%", 10.0),
    ]
    keep(figures)
    print(msgspec.json.encode(figures).decode() if args.json else table(figures))


if __name__ == "__main__":
    main()
