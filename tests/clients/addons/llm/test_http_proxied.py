"""One POST through a real proxy: who reads what on the way, and every way in which a proxy says no."""

import asyncio
import json
from contextlib import suppress

import pytest
from certificates import server_context, trusted
from model_server import Asked, completion, http_answer, serving
from proxy_server import proxying

from palio_clients.addons.llm import http
from palio_clients.addons.llm.http import EndpointFailed, Passing, proxy
from palio_clients.addons.llm.settings import Endpoint

KEY = "sk-very-secret-0123456789"
LOGIN = "ann:open-sesame"
BODY = b'{"messages": []}'
PLAIN = Endpoint("models.lab", 80, False, "/v1/chat/completions?v=1")
SECURE = Endpoint("models.lab", 443, True, "/v1/chat/completions?v=1")


def by(url: str):
    """The proxy at this URL, for endpoints of both kinds."""
    return proxy(SECURE, {"HTTPS_PROXY": url})


async def post(endpoint: Endpoint, through, port: int = 0, **known):
    async with proxying(hosts={f"models.lab:{endpoint.port}": port}, **known) as between:
        return await http.post(endpoint, BODY, KEY, by(through or between.url)), between


async def test_without_tls_the_proxy_is_sent_the_whole_address():
    seen: list[Asked] = []
    async with serving(lambda asked: seen.append(asked) or http_answer({"a": 1})) as model:
        found, between = await post(PLAIN, None, model.port, login=LOGIN)
    assert (found.status, json.loads(found.body)) == (200, {"a": 1})
    assert between.requests == ["POST http://models.lab/v1/chat/completions?v=1 HTTP/1.1"]
    assert seen[0].headers["host"] == "models.lab"
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"


async def test_with_tls_the_proxy_opens_a_tunnel_and_reads_nothing_in_it(tmp_path, monkeypatch):
    context, authority = server_context(tmp_path, "models.lab")
    seen: list[Asked] = []
    with trusted(monkeypatch, authority):
        async with serving(lambda asked: seen.append(asked) or http_answer({"a": 1}), context) as model:
            found, between = await post(SECURE, None, model.port, login=LOGIN)
    assert json.loads(found.body) == {"a": 1}
    assert between.requests == ["CONNECT models.lab:443 HTTP/1.1"]
    assert KEY not in between.heads[0]
    assert KEY.encode() not in between.seen
    assert b"/v1/chat" not in between.seen
    assert seen[0].path == "/v1/chat/completions?v=1"
    assert "proxy-authorization" not in seen[0].headers


@pytest.mark.parametrize("endpoint", [PLAIN, SECURE], ids=["forwarded", "tunnelled"])
async def test_the_way_to_the_proxy_may_be_encrypted_too(endpoint: Endpoint, tmp_path, monkeypatch):
    context, authority = server_context(tmp_path, "models.lab", "localhost")
    with trusted(monkeypatch, authority):
        async with (
            serving(lambda _: completion("hello"), context if endpoint.tls else None) as model,
            proxying(context, hosts={f"models.lab:{endpoint.port}": model.port}, login=LOGIN) as between,
        ):
            found = await http.post(endpoint, BODY, KEY, by(f"https://{LOGIN}@localhost:{between.port}"))
    assert b"hello" in found.body


async def test_an_endpoint_that_nobody_has_signed_is_not_sent_the_key(tmp_path):
    context, _ = server_context(tmp_path, "models.lab")
    seen: list[Asked] = []
    async with serving(lambda asked: seen.append(asked) or completion("x"), context) as model:
        with pytest.raises(Passing, match=r"^https://models\.lab cannot be trusted: "):
            await post(SECURE, None, model.port)
    assert seen == []


async def test_a_certificate_for_another_host_is_not_trusted_in_a_tunnel(tmp_path, monkeypatch):
    context, authority = server_context(tmp_path, "other.lab")
    with trusted(monkeypatch, authority):
        async with serving(lambda _: completion("x"), context) as model:
            with pytest.raises(Passing, match=r"^https://models\.lab cannot be trusted: "):
                await post(SECURE, None, model.port)


async def test_what_a_proxy_sends_before_tls_is_never_taken_for_the_endpoints_answer(tmp_path, monkeypatch):
    context, authority = server_context(tmp_path, "models.lab")
    planted = completion("MOVE: planted")
    with trusted(monkeypatch, authority):
        async with serving(lambda _: completion("honest"), context) as model:
            try:
                found, _ = await post(SECURE, None, model.port, early=planted)
            except Passing:
                return  # it came while TLS was being agreed on, which breaks that
    assert b"planted" not in found.body


@pytest.mark.parametrize("endpoint", [PLAIN, SECURE], ids=["forwarded", "tunnelled"])
@pytest.mark.parametrize(
    ("through", "words"),
    [("", "wants a user and a password"), ("ann:wrong@", "refuses its user and password")],
    ids=["none", "wrong"],
)
async def test_a_proxy_that_wants_another_login_is_one_sentence(endpoint: Endpoint, through: str, words: str):
    async with proxying(hosts={}, login=LOGIN) as between:
        with pytest.raises(EndpointFailed) as raised:
            await http.post(endpoint, BODY, KEY, by(f"http://{through}127.0.0.1:{between.port}"))
    assert not isinstance(raised.value, Passing)
    assert f"the proxy http://127.0.0.1:{between.port} {words} (407); write HTTPS_PROXY=" in str(raised.value)
    assert "wrong" not in str(raised.value)


@pytest.mark.parametrize(
    ("status", "kind"),
    [("403 Forbidden", EndpointFailed), ("502 Bad Gateway", Passing), ("302 Found\r\nLocation: http://evil", None)],
)
async def test_a_proxy_that_opens_no_tunnel_is_one_sentence(status: str, kind):
    with pytest.raises(
        EndpointFailed, match=rf"does not connect us with https://models\.lab \({status[:3]}\)"
    ) as found:
        await post(SECURE, None, answer=f"HTTP/1.1 {status}\r\n\r\n".encode())
    assert isinstance(found.value, Passing) == (kind is Passing)
    assert "evil" not in str(found.value)


@pytest.mark.parametrize("answer", [b"nonsense\r\n\r\n", b"HTTP/1.1 200", b"X: " + bytes(200_000)])
async def test_a_proxy_that_speaks_no_http_is_one_sentence(answer: bytes):
    with pytest.raises(Passing, match=r"^the proxy http://127\.0\.0\.1:\d+ broke off or sent what is no HTTP: "):
        await post(SECURE, None, answer=answer)


async def test_a_proxy_that_is_not_there_is_one_sentence():
    async with proxying(hosts={}) as between:
        pass
    with pytest.raises(Passing, match=r"^the proxy http://127\.0\.0\.1:\d+ cannot be reached: "):
        await http.post(SECURE, BODY, KEY, by(f"http://{LOGIN}@127.0.0.1:{between.port}"))


async def test_a_proxy_that_repeats_what_it_was_sent_is_not_quoted_with_it():
    login = by(f"http://{LOGIN}@127.0.0.1:9").credentials
    for endpoint, secret in ((SECURE, login), (SECURE, "open-sesame"), (PLAIN, KEY), (PLAIN, login)):
        for before in range(0, 60, 7):  # wherever a sentence is cut
            answer = ("x" * before + secret + "\r\n\r\n").encode()
            async with proxying(hosts={}, answer=answer) as between:
                with pytest.raises(Passing) as raised:
                    await http.post(endpoint, BODY, KEY, by(f"http://{LOGIN}@127.0.0.1:{between.port}"))
            assert secret[:8] not in str(raised.value)


async def test_a_request_can_be_cancelled_while_a_proxy_says_nothing():
    asked, gone = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        with suppress(ConnectionError):
            await reader.read()
        writer.close()
        gone.set()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    asking = asyncio.create_task(http.post(SECURE, BODY, KEY, by(f"http://127.0.0.1:{port}")))
    await asked.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await gone.wait()
    server.close()
