"""A socket of no network: for tests of what is said on it."""

import asyncio

from palio_server.network.corked_socket import Credit


class PaperSocket:
    """Keeps what is written, and whether it is text; says how it was ended."""

    def __init__(self) -> None:
        self.credit = Credit(asyncio.get_running_loop().time)
        self.written: list[tuple[bytes, bool]] = []
        self.goodbye: tuple[int, str] | None = None
        self.aborted = False

    @property
    def closed(self) -> bool:
        return self.aborted or self.goodbye is not None

    def write(self, data: bytes, *, text: bool, urgent: bool) -> None:
        self.written.append((data, text))

    def silent_s(self) -> float | None:
        return None

    def close(self, code: int, reason: str) -> None:
        self.goodbye = self.goodbye or (code, reason)

    def abort(self) -> None:
        self.aborted = True
