"""What an endpoint may try against the bot that asks it: to get its key elsewhere, its memory, or its time."""

import asyncio
import gzip
import itertools
import tracemalloc
import zlib

import pytest
from model_server import http_answer, serving

from palio_clients.addons.llm import http
from palio_clients.addons.llm.http import EndpointFailed, Passing
from palio_clients.addons.llm.model import Model
from palio_clients.addons.llm.settings import Endpoint, read

KEY = "sk-very-secret-0123456789"
QUESTION = [{"role": "user", "content": "?"}]
OPEN = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


async def ask(answer, more: str = ",retries=0"):
    async with serving(answer) as server:
        return await Model(*read(f"{server.url},model=m{more}"), KEY).ask(QUESTION)


async def at_once(*parts: bytes):
    for part in parts:
        yield part
        await asyncio.sleep(0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_told_and_neither_followed_nor_sent_the_key(status: int):
    async with serving(lambda _: http_answer({})) as other:
        with pytest.raises(EndpointFailed, match=rf"has moved \({status}\) to {other.url}/x; write that URL") as raised:
            await ask(lambda _: http_answer({}, status, Location=f"{other.url}/x"))
        assert not isinstance(raised.value, Passing)
        assert other.connections == 0


@pytest.mark.parametrize(
    "to", ["file:///etc/passwd", "http://169.254.169.254/latest/meta-data", "//[", "\x1b[2Jgone", ""]
)
async def test_a_redirect_to_whatever_place_reads_nothing_there(to: str):
    with pytest.raises(EndpointFailed, match=r"has moved \(302\)") as raised:
        await ask(lambda _: http_answer(b"", 302, Location=to))
    assert str(raised.value).isprintable()
    assert "root:" not in str(raised.value)


async def endless(begin: bytes, part: bytes):
    """Goes on for as long as anybody reads."""
    yield begin
    while True:
        yield part
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("begin", "part"),
    [
        (OPEN + b"\r\n", b"x" * 65536),
        (OPEN + b"Transfer-Encoding: chunked\r\n\r\n", b"8000\r\n" + b"x" * 0x8000 + b"\r\n"),
        (OPEN, b"X: " + b"x" * 4096 + b"\r\n"),
        (OPEN + b"Transfer-Encoding: chunked\r\n\r\n1;", b"x" * 65536),
        (b"HTTP/1.1 200 ", b"x" * 65536),
    ],
    ids=["body", "chunks", "headers", "a chunk's size", "the first line"],
)
async def test_what_never_ends_is_given_up_after_so_many_bytes(begin: bytes, part: bytes):
    async with asyncio.timeout(30):
        with pytest.raises(Passing, match="broke off or sent what is no HTTP"):
            await ask(lambda _: endless(begin, part), ",retries=0,timeout_s=29")


async def test_interim_answers_without_end_get_no_more_than_timeout_s():
    with pytest.raises(Passing, match=r"no answer within 0\.3 s \(timeout_s\)"):
        await ask(lambda _: endless(b"", b"HTTP/1.1 102 Processing\r\n\r\n"), ",retries=0,timeout_s=0.3")


@pytest.mark.parametrize("begin", [b"", OPEN, OPEN + b"\r\n", OPEN + b"Transfer-Encoding: chunked\r\n\r\n"])
async def test_whoever_sends_a_byte_now_and_then_gets_no_more_than_timeout_s(begin: bytes):
    async def drip(_):
        for byte in itertools.chain(begin, itertools.cycle(b"1")):
            yield bytes([byte])
            await asyncio.sleep(0.01)

    with pytest.raises(Passing, match=r"no answer within 0\.3 s \(timeout_s\)"):
        await ask(drip, ",retries=0,timeout_s=0.3")


BOMB = 64 * http.MAX_BODY


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
async def test_what_unpacks_to_hundreds_of_megabytes_never_takes_so_much_memory(coding: str):
    packer = zlib.compressobj(9, wbits=31 if coding == "gzip" else 15)
    packed = b"".join(packer.compress(bytes(http.MAX_BODY)) for _ in range(BOMB // http.MAX_BODY)) + packer.flush()
    assert len(packed) < http.MAX_BODY
    tracemalloc.start()
    try:
        with pytest.raises(Passing, match=f"an answer has at most {http.MAX_BODY} bytes here"):
            await ask(lambda _: at_once(http_answer(packed, Content_Encoding=coding)))
        assert tracemalloc.get_traced_memory()[1] < 6 * http.MAX_BODY
    finally:
        tracemalloc.stop()


async def test_what_is_packed_twice_is_no_answer():
    twice = gzip.compress(gzip.compress(bytes(BOMB)))
    with pytest.raises(Passing, match="no JSON object"):
        await ask(lambda _: http_answer(twice, Content_Encoding="gzip, gzip"))


@pytest.mark.parametrize("host", ["a" * 64 + ".example", ".".join(["a"] * 200), "a..b"])
async def test_a_host_that_no_network_can_have_is_one_sentence(host: str):
    with pytest.raises(Passing, match=r"^http://\S+ cannot be reached: "):
        await http.post(Endpoint(host, 80, False, "/"), b"{}", KEY)
