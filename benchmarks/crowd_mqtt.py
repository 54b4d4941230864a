"""Bots of `crowd_bots.py` that play over MQTT: raw clients of MQTT 3.1.1, and a private Mosquitto for them.

Packets are read and written by hand, so that thousands of clients fit into one process. They publish with QoS 1, as the
protocol asks, and send no keep-alive: the broker is on the same machine.
"""

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from crowd_bots import Bot

from palio_rules.contract import topics
from palio_rules.contract.codec import encode
from palio_rules.contract.messages import Hello

CONNECT, CONNACK, PUBLISH, SUBSCRIBE, SUBACK = 0x10, 0x20, 0x30, 0x82, 0x90
QOS_1, RETAIN, CLEAN = 0x02, 0x01, 0x02
WILL, WILL_QOS_1, WILL_RETAIN = 0x04, 0x08, 0x20
ONLINE, OFFLINE = b'{"online": true}', b'{"online": false}'


def packet(kind: int, body: bytes) -> bytes:
    size, length = len(body), b""
    while True:
        size, rest = size >> 7, size & 0x7F
        length += bytes([rest | 0x80 if size else rest])
        if not size:
            return bytes([kind]) + length + body


def text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return len(data).to_bytes(2, "big") + data


class MqttBot(Bot):
    """A bot with a connection of its own to the broker."""

    def __init__(self, name: str, welcomed: asyncio.Future[None]) -> None:
        super().__init__(name, welcomed)
        self.rest = b""
        self._number = 0

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        flags = bytes([CLEAN | WILL | WILL_QOS_1 | WILL_RETAIN])
        will = text(topics.presence(self.name)) + text(OFFLINE)
        transport.write(packet(CONNECT, text("MQTT") + b"\x04" + flags + b"\0\0" + text(self.name) + will))

    def data_received(self, data: bytes) -> None:
        self.rest += data
        while (found := self._next()) is not None:
            kind, body = found
            if kind & 0xF0 == PUBLISH:  # with QoS 0, as the server sends
                self.hear(body[2 + int.from_bytes(body[:2], "big") :])
            elif kind == CONNACK:
                assert body[1] == 0, f"the broker refuses {self.name} with code {body[1]}"
                self.transport.write(packet(SUBSCRIBE, b"\0\x01" + text(topics.bot_in(self.name, "#")) + b"\x01"))
            elif kind == SUBACK:
                self.begin()

    def _next(self) -> tuple[int, bytes] | None:
        """Take a packet from what was received: its first byte and its body; None until it is complete."""
        size = shift = 0
        for at in range(1, min(5, len(self.rest))):
            size |= (self.rest[at] & 0x7F) << shift
            shift += 7
            if not self.rest[at] & 0x80:
                end = at + 1 + size
                if len(self.rest) < end:
                    return None
                found, self.rest = (self.rest[0], self.rest[at + 1 : end]), self.rest[end:]
                return found
        return None

    def begin(self) -> None:
        self.transport.write(self._published(topics.presence(self.name), ONLINE, RETAIN))
        self.transport.write(self.packed(encode(Hello(self.name, ["breakthrough"])), topics.LOBBY))

    def packed(self, payload: bytes, about: str) -> bytes:
        return self._published(topics.bot_out(self.name, about), payload)

    def _published(self, topic: str, payload: bytes, flags: int = 0) -> bytes:
        self._number = self._number % 0xFFFF + 1
        return packet(PUBLISH | QOS_1 | flags, text(topic) + self._number.to_bytes(2, "big") + payload)


@asynccontextmanager
async def broker_in(folder: Path) -> AsyncIterator[tuple[int, int]]:
    """Run a Mosquitto on a free port of loopback; yield its port and process."""
    program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if program is None:
        raise SystemExit("install Mosquitto (apt-get install mosquitto)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = folder / "mosquitto.conf"
    config.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\npersistence false\nmax_queued_messages 5000\n"
        "set_tcp_nodelay true\n"
    )
    broker = await asyncio.create_subprocess_exec(program, "-c", str(config), stderr=asyncio.subprocess.DEVNULL)
    try:
        yield port, broker.pid
    finally:
        broker.terminate()
        await broker.wait()
