"""Bodies of requests: any content is read or refused in one sentence with the remedy."""

import asyncio

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.api import operations
from palio_server.api.answers import ApiError
from palio_server.api.bodies import Body, as_struct, read_body
from palio_server.api.matches import StopRequest
from palio_server.api.start import StartRequest


@pytest.mark.parametrize("kind", [StartRequest, StopRequest])
def test_every_key_has_its_remedy_and_every_other_name_leads_to_a_key(kind):
    keys = {field.encode_name for field in msgspec.structs.fields(kind)}
    assert issubclass(kind, Body)
    assert set(kind.WRITE) == keys
    assert set(kind.MEANT.values()) <= keys
    assert not set(kind.MEANT) & keys


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text("abc", max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["bots", "time", "base_ms", "x"]), inner)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_whatever_is_sent_is_reported_in_one_sentence(value):
    with pytest.raises(ApiError) as refused:
        as_struct(value, StartRequest)  # all of them lack a game
    assert refused.value.status == 422
    message = str(refused.value)
    assert "; " in message
    assert not {"`", "$", "\n"} & {*message}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff", 400),
        (b"[" * 60_000, 400),
        (b"[]", 422),
        (b"null", 422),
        (b'{"game": 1}', 422),
        (b'{"game": "breakthrough", "bots": [1, 2]}', 422),
        (b" " * 70_000, 413),
    ],
)
async def test_a_body_that_is_no_request_never_ends_in_a_traceback(client, body, status):
    answer = await client.post("/api/matches", content=body)
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "reason"}


async def test_a_client_that_disconnects_while_it_asks_is_no_mistake_of_ours(url, caplog, monkeypatch):
    reading, ended = asyncio.Event(), asyncio.Event()

    async def watched(*args, **options):
        reading.set()
        try:
            return await read_body(*args, **options)
        finally:
            ended.set()

    monkeypatch.setattr(operations, "read_body", watched)
    host, port = url.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"POST /api/matches HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n\r\n{{".encode())
    await writer.drain()
    await reading.wait()
    writer.transport.abort()
    await ended.wait()
    async with httpx.AsyncClient(base_url=url) as other:
        assert (await other.get("/api/health")).status_code == 200
    assert "Exception in ASGI application" not in caplog.text
