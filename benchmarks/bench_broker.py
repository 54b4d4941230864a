"""The CPU cost of a message through the broker: a sending Palio, Mosquitto, and a receiving Palio.

Two `MqttBus`es in separate processes on a private Mosquitto; one publishes as fast as the other receives, messages of
the size of a turn. CPU times, so that a busy machine gives the same figures. docs/evidence/scale.md uses them.
"""

import argparse
import asyncio
import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import uvloop
from figures import Figure, keep, table

from palio_server.addons.shared.mqtt import MqttBus

SIZE = 300  # bytes, about a turn with its position
WINDOW = 2000  # messages on their way at most: fewer than the broker queues
TOPIC = "palio/bot/ann/in/bench"
BACK = "palio/bot/ann/out/bench"


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def hear(url: str, count: int, told) -> None:
    async def main() -> None:
        async with MqttBus(url) as bus:
            await bus.connection.online.wait()
            heard, done = 0, asyncio.Event()

            def sink(_topic: str, _envelope) -> None:
                nonlocal heard
                heard += 1
                if heard % (WINDOW // 2) == 0:
                    bus.publish(BACK, b"go on")
                if heard == count:
                    done.set()

            bus.subscribe(TOPIC, sink)
            await asyncio.sleep(0.5)
            told.send("ready")
            cpu = time.process_time()
            await done.wait()
            told.send(time.process_time() - cpu)
            await asyncio.sleep(0.2)

    uvloop.run(main())


async def publish(url: str, count: int, told) -> tuple[float, float]:
    async with MqttBus(url) as bus:
        await bus.connection.online.wait()
        room, free = WINDOW, asyncio.Event()

        def more(_topic: str, _envelope) -> None:
            nonlocal room
            room += WINDOW // 2
            free.set()

        bus.subscribe(BACK, more)
        await asyncio.sleep(0.5)
        await asyncio.to_thread(told.recv)
        cpu, began = time.process_time(), time.monotonic()
        data = b"x" * SIZE
        for _ in range(count):
            while room == 0:
                free.clear()
                await free.wait()
            room -= 1
            bus.publish(TOPIC, data)
        await asyncio.wait_for(bus.outbox.drained.wait(), 60)
        return time.process_time() - cpu, time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=50_000)
    args = parser.parse_args()
    count = args.messages // WINDOW * WINDOW
    program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if program is None:
        sys.exit("install Mosquitto (apt-get install mosquitto)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "mosquitto.conf"
        config.write_text(
            f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\npersistence false\nmax_queued_messages 5000\n"
        )
        broker = subprocess.Popen([program, "-c", str(config)], stderr=subprocess.DEVNULL)
        try:
            ours, theirs = multiprocessing.Pipe()
            url = f"mqtt://127.0.0.1:{port}"
            hearer = multiprocessing.get_context("spawn").Process(target=hear, args=(url, count, theirs))
            hearer.start()
            sending, took = uvloop.run(publish(url, count, ours))
            hearing = ours.recv()
            brokering = cpu_of(broker.pid)
            hearer.join(10)
        finally:
            broker.terminate()
            broker.wait()
    figures = [
        Figure("a message to the broker: CPU of the server that sends", 1e6 * sending / count, "us"),
        Figure("CPU of the server that hears it", 1e6 * hearing / count, "us"),
        Figure("CPU of Mosquitto, for one that hears", 1e6 * brokering / count, "us"),
        Figure("messages", count / took, "/s"),
    ]
    keep(figures)
    print(f"{table(figures)}\nload of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
