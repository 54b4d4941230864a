"""A small real proxy for tests: it forwards absolute addresses, opens tunnels, and knows names that no DNS knows."""

import asyncio
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from loopback import listening, thread_of


@dataclass
class ProxyServer:
    hosts: dict[str, int]  # a port of this machine for each "name:port"
    login: str = ""  # "user:password", if it wants one
    answer: bytes = b""  # what it says in the place of all it could do
    early: bytes = b""  # what it sends through a tunnel before anybody is at its end
    port: int = 0
    requests: list[str] = field(default_factory=list)  # their first lines
    heads: list[str] = field(default_factory=list)
    seen: bytearray = field(default_factory=bytearray)  # whatever went from its client through a tunnel

    @property
    def url(self) -> str:
        return f"http://{self.login + '@' if self.login else ''}127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            self.heads.append(head)
            self.requests.append(head.partition("\r\n")[0])
            wanted = f"Proxy-Authorization: Basic {b64encode(self.login.encode()).decode()}\r\n"
            if self.answer:
                writer.write(self.answer)
            elif self.login and wanted not in head:
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            else:
                await self._connect(head, reader, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _connect(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        method, target, _ = head.partition("\r\n")[0].split()
        if method == "CONNECT":
            host = target
        else:
            url = urlsplit(target)
            host = url.netloc if url.port else f"{url.netloc}:80"
            head = head.replace(target, f"{url.path}{'?' + url.query if url.query else ''}", 1)
        if host not in self.hosts:
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return
        far, there = await asyncio.open_connection("127.0.0.1", self.hosts[host])
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n" + self.early)
        else:
            there.write(head.encode("latin-1"))
        up = asyncio.ensure_future(self._pump(reader, there, tunnel=method == "CONNECT"))
        try:
            await self._pump(far, writer, tunnel=False)
        finally:
            up.cancel()
            there.close()

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, tunnel: bool) -> None:
        while data := await source.read(65536):
            if tunnel:
                self.seen += data
            sink.write(data)
            await sink.drain()


@asynccontextmanager
async def proxying(tls: ssl.SSLContext | None = None, **known) -> AsyncIterator[ProxyServer]:
    proxy = ProxyServer(**known)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.CancelledError):  # which asyncio's streams would log
            await proxy.serve(reader, writer)

    async with listening(connected, tls) as proxy.port:
        yield proxy


@contextmanager
def proxy_in_thread(**known) -> Iterator[ProxyServer]:
    """The same for a test that waits for processes."""
    with thread_of(lambda: proxying(**known)) as found:
        yield found
