"""A language model for tests: a server that speaks OpenAI's chat completions, and says what a test has written."""

import asyncio
import json
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus

from loopback import listening, thread_of


@dataclass
class Asked:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: dict

    @property
    def messages(self) -> list[dict]:
        return self.body["messages"]

    @property
    def last(self) -> str:
        return self.messages[-1]["content"]

    @property
    def text(self) -> str:
        return "\n".join(message["content"] for message in self.messages)

    @property
    def legal(self) -> list[str]:
        """The legal moves that the question lists."""
        found = re.findall(r"^Legal (?:moves|actions): (.*)$", self.text, re.MULTILINE)
        return found[-1].split()


Answer = Callable[[Asked], "bytes | Awaitable[bytes | None] | str"]


@dataclass
class ModelServer:
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    listed: bytes = b""  # the answer to the question for its models; by default all that tests name
    lists: int = 0  # how often that was asked

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


def completion(content, *, tokens=(100, 20), **message) -> bytes:
    """A whole answer; `content` is the model's text, or whatever else stands in its place."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content} | message, "finish_reason": "stop"}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}
    if tokens is not None:
        body["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return http_answer(body)


def http_answer(body, status: int = 200, **headers: str) -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {"Content-Type": "application/json", "Content-Length": str(len(data))}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{name}: {value}" for name, value in named.items())]
    return "\r\n".join([*lines, "", ""]).encode() + data


@asynccontextmanager
async def serving(answer: Answer, tls: ssl.SSLContext | None = None) -> AsyncIterator[ModelServer]:
    """A server on a free port; `answer` gets each request, and gives text, bytes of HTTP, or nothing: to hang up."""
    model = ModelServer()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        model.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
            if head[0].startswith("GET "):
                model.lists += 1
                writer.write(model.listed or http_answer({"data": [{"id": name} for name in ("m", "tiny", "tiny-1")]}))
                await writer.drain()
                return
            body = await reader.readexactly(int(headers["content-length"]))
            asked = Asked(head[0].split()[1], headers, json.loads(body))
            model.asked.append(asked)
            said = answer(asked)
            if asyncio.iscoroutine(said):
                said = await said
            if hasattr(said, "__aiter__"):
                async for part in said:
                    writer.write(part)
                    await writer.drain()
            elif said is not None:
                writer.write(completion(said) if isinstance(said, str) else said)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async with listening(connected, tls) as model.port:
        yield model


@contextmanager
def in_thread(answer: Answer) -> Iterator[ModelServer]:
    """The same for a test that waits for processes."""
    with thread_of(lambda: serving(answer)) as found:
        yield found
