"""One POST over a real socket, and everything that a server may do wrong."""

import asyncio
import gzip
import json

import pytest
from model_server import Asked, completion, http_answer, serving

from palio_clients.addons.llm import http
from palio_clients.addons.llm.http import Passing
from palio_clients.addons.llm.settings import Endpoint


def at(port: int) -> Endpoint:
    return Endpoint("127.0.0.1", port, False, "/v1/chat/completions?v=1")


async def post(answer, key: str = "") -> http.Response:
    async with serving(answer) as model:
        found = await http.post(at(model.port), b'{"messages": []}', key)
        assert model.asked[0].path == "/v1/chat/completions?v=1"
        return found


async def in_parts(*parts: bytes):
    for part in parts:
        yield part
        await asyncio.sleep(0)


async def test_a_request_and_its_answer_come_whole():
    seen: list[Asked] = []
    found = await post(lambda asked: seen.append(asked) or http_answer({"a": 1}), key="secret")
    assert (found.status, json.loads(found.body)) == (200, {"a": 1})
    assert seen[0].headers["authorization"] == "Bearer secret"
    assert seen[0].headers["content-type"] == "application/json"
    assert seen[0].headers["connection"] == "close"


async def test_without_a_key_none_is_sent():
    seen: list[Asked] = []
    await post(lambda asked: seen.append(asked) or http_answer({}))
    assert "authorization" not in seen[0].headers


async def test_each_request_has_a_connection_of_its_own():
    async with serving(lambda _: http_answer({}, Connection="keep-alive")) as model:
        await http.post(at(model.port), b"{}".replace(b"{}", b'{"messages": []}'), "")
        await http.post(at(model.port), b'{"messages": []}', "")
        assert model.connections == 2


@pytest.mark.parametrize(
    "parts",
    [
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"3\r\nabc\r", b"\n2;x=y\r\nde\r\n0\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\n\r\n", b"ab", b"cde"],
        [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.0 200\r\ncontent-length:5\r\n\r\nabcde and more"],
        [b"H", b"TTP/1.1 200 OK\r\nContent-Len", b"gth: 5\r\n\r\nab", b"c", b"de"],
        [http_answer(gzip.compress(b"abcde"), Content_Encoding="gzip")],
    ],
    ids=["chunks", "until it closes", "an interim answer", "a slow drip", "packed"],
)
async def test_an_answer_is_read_however_it_is_framed(parts):
    assert (await post(lambda _: in_parts(*parts))).body == b"abcde"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 two OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-3\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
        http_answer(b"no gzip", Content_Encoding="gzip"),
        http_answer(gzip.compress(bytes(http.MAX_BODY + 1)), Content_Encoding="gzip"),
        b"HTTP/1.1 200 OK\r\n\r\n" + bytes(http.MAX_BODY + 1),
    ],
)
async def test_what_is_no_answer_is_one_sentence(answer: bytes):
    with pytest.raises(Passing, match=r"^http://127\.0\.0\.1:\d+ broke off or sent what is no HTTP: "):
        await post(lambda _: in_parts(answer))


async def test_a_server_that_hangs_up_is_one_sentence():
    with pytest.raises(Passing, match="broke off"):
        await post(lambda _: None)


async def test_nobody_there_is_one_sentence():
    async with serving(lambda _: b"") as model:
        pass
    with pytest.raises(Passing, match="cannot be reached"):
        await http.post(at(model.port), b"{}", "")


async def test_a_host_without_tls_is_one_sentence():
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(Passing, match=r"cannot be (trusted|reached)"):
        await http.post(Endpoint("127.0.0.1", port, True, "/"), b"{}", "")
    server.close()


async def test_a_request_can_be_cancelled_while_its_answer_drips():
    began, ended = asyncio.Event(), asyncio.Event()

    async def drip(_):
        try:
            yield b"HTTP/1.1 200 OK\r\n\r\n"
            began.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with serving(drip) as model:
        asking = asyncio.create_task(http.post(at(model.port), b'{"messages": []}', ""))
        await began.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    await ended.wait()


async def test_a_completion_of_our_test_server_is_one():
    assert b'"choices"' in (await post(lambda _: completion("hello"))).body
