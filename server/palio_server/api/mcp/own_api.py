"""The server's own API, asked from within, on behalf of whoever calls a tool.

The request goes through the same application as one from outside, from the caller's address and with its token: what
may be read or done, how often, and the sentence of a refusal are decided in one place.
"""

import asyncio
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from starlette.requests import Request
from starlette.types import Message

from palio_rules.contract.endpoints import API

CARRIED = (b"authorization", b"host")  # headers of the caller that go along


class Refusal(Exception):
    """The API says no: its sentence, the code for programs, and the seconds after which to try again, or 0."""

    def __init__(self, status: int, code: str, reason: str, retry_s: int = 0) -> None:
        super().__init__(reason)
        self.status, self.code, self.retry_s = status, code, retry_s


class OwnApi:
    """The API as the sender of `request` sees it."""

    def __init__(self, request: Request, *, token: str | None = None) -> None:
        """`token` in the place of the caller's: a guest's."""
        self._request, self._token = request, token

    async def get(self, *path: str, **query: object) -> Any:
        """The answer to GET, decoded; a query that is None is left out. Raises Refusal."""
        return await self._ask("GET", path, query, None)

    async def text(self, *path: str, **query: object) -> str:
        """The same for an answer that is text. Raises Refusal."""
        return (await self._answer("GET", path, query, None)).decode()

    async def post(self, *path: str, body: object) -> Any:
        """The answer to POST, decoded. Raises Refusal."""
        return await self._ask("POST", path, {}, msgspec.json.encode(body))

    async def _ask(self, method: str, path: tuple[str, ...], query: dict[str, object], body: bytes | None) -> Any:
        return msgspec.json.decode(await self._answer(method, path, query, body))

    async def _answer(self, method: str, path: tuple[str, ...], query: dict[str, object], body: bytes | None) -> bytes:
        address = "/".join([API, *(quote(part, safe="") for part in path)])
        asked = {name: _text(value) for name, value in query.items() if value is not None}
        status, headers, answer = await self._call(method, address, urlencode(asked), body)
        if status >= 400:
            fault = msgspec.json.decode(answer)["error"]
            raise Refusal(status, fault["code"], fault["reason"], int(headers.get(b"retry-after", b"0")))
        return answer

    async def _call(
        self, method: str, address: str, query: str, body: bytes | None
    ) -> tuple[int, dict[bytes, bytes], bytes]:
        outer = self._request.scope
        headers = [(name, value) for name, value in outer["headers"] if name in CARRIED]
        if self._token is not None:
            headers = [pair for pair in headers if pair[0] != b"authorization"]
            headers.append((b"authorization", f"Bearer {self._token}".encode()))
        if body is not None:
            headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        kept = {name: outer[name] for name in ("type", "asgi", "http_version", "scheme", "server", "client")}
        scope = kept | {
            "method": method,
            "root_path": "",
            "path": address,
            "raw_path": address.encode(),
            "query_string": query.encode(),
            "headers": headers,
            "state": {},
        }
        said = iter([{"type": "http.request", "body": body or b"", "more_body": False}])
        status, answered, parts = 0, {}, []

        async def receive() -> Message:
            if (message := next(said, None)) is not None:
                return message
            await asyncio.Event().wait()  # the caller is there for as long as we are not cancelled
            raise AssertionError

        async def send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                answered.update(message["headers"])
            else:
                parts.append(message.get("body", b""))

        await self._request.app(scope, receive, send)
        return status, answered, b"".join(parts)


def _text(value: object) -> str:
    return ("false", "true")[value] if isinstance(value, bool) else str(value)
