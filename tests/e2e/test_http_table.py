"""RFC 9112, request by request, and the handshakes of RFC 6455 and of JSON lines.

A connection that goes on is asked for something more; one that ends must not answer that: then no two programs can
disagree about where a request ends (request smuggling).
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from served_thread import Peer, served

HOST = b"Host: 127.0.0.1\r\n"
LAST = b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
KEY = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
VERSION = b"Sec-WebSocket-Version: 13\r\n"
UPGRADE = b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
HELLO = b'{"type": "hello", "name": "ann", "games": ["chexers"]}\n'
GAMES, NO_SUCH = b"GET /api/games HTTP/1.1\r\n", b"GET /api/nothing HTTP/1.1\r\n"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str:
        return json.loads(self.body)["error"]["code"]


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[tuple[str, int]]:
    with served(tmp_path_factory.mktemp("http")) as address:
        yield address


def answers(peer: Peer) -> Iterator[Answer]:
    """Until the connection ends, or becomes a WebSocket."""
    while True:
        while b"\r\n\r\n" not in peer.got:
            if not peer.more():
                assert peer.got == b"", "it ends with a whole answer"
                return
        line, *lines = peer.until(b"\r\n\r\n").decode("latin-1").rstrip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        status = int(line.split(" ")[1])
        body = b""
        if headers.get("transfer-encoding") == "chunked":
            while size := int(peer.until(b"\r\n"), 16):
                while len(peer.got) < size + 2:
                    assert peer.more()
                body, peer.got = body + peer.got[:size], peer.got[size + 2 :]
            peer.until(b"\r\n")
        elif "content-length" in headers:
            while len(peer.got) < int(headers["content-length"]):
                assert peer.more(), "it ends amid an answer"
            size = int(headers["content-length"])
            body, peer.got = peer.got[:size], peer.got[size:]
        yield Answer(status, headers, body)
        if status == 101:
            return


def exchange(address: tuple[str, int], *pieces: bytes) -> list[Answer]:
    peer = Peer(address)
    with peer.socket:
        for piece in pieces:
            peer.send(piece)
        return list(answers(peer))


def post(headers: bytes, body: bytes = b"", path: bytes = b"/api/matches") -> bytes:
    return b"POST " + path + b" HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n" + headers + b"\r\n" + body


CHUNKED = b"Transfer-Encoding: chunked\r\n"

# --- requests that are answered, after which the connection goes on ---------------------------------------------------

GOES_ON = {
    "plain": (GAMES + HOST + b"\r\n", 200),
    "unknown": (NO_SUCH + HOST + b"\r\n", 404),
    "names of headers in any case": (GAMES + b"hOsT: 127.0.0.1\r\n\r\n", 200),
    "no blank after a header's colon": (GAMES + b"Host:127.0.0.1\r\n\r\n", 200),
    "blanks around a header's value": (GAMES + b"Host: \t 127.0.0.1 \t \r\n\r\n", 200),
    "an empty header": (GAMES + HOST + b"X-Empty:\r\n\r\n", 200),
    "line feeds alone": (GAMES.replace(b"\r", b"") + b"Host: 127.0.0.1\n\n", 200),
    "an empty line before it": (b"\r\n" + GAMES + HOST + b"\r\n", 200),
    "some empty lines before it": (b"\r\n\n\r\n\r\n" + GAMES + HOST + b"\r\n", 200),
    "a header that is folded": (GAMES + HOST + b"X-Long: a\r\n b\r\n\tc\r\n\r\n", 200),
    "the absolute form": (b"GET http://127.0.0.1/api/games HTTP/1.1\r\n" + HOST + b"\r\n", 200),
    "the absolute form, whose host counts": (
        b"GET http://127.0.0.1/api/games HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        200,
    ),
    "the absolute form of a foreign host": (b"GET http://evil.example/api/games HTTP/1.1\r\n" + HOST + b"\r\n", 403),
    "the absolute form with a query": (b"GET HTTP://127.0.0.1:80?a=1 HTTP/1.1\r\n" + HOST + b"\r\n", 200),
    "an Expect": (post(b"Expect: 100-continue\r\nContent-Length: 2\r\n", b"{}"), 422),
    "a body": (post(b"Content-Length: 2\r\n", b"{}"), 422),
    "the same length twice": (post(b"Content-Length: 2\r\nContent-Length: 2\r\n", b"{}"), 422),
    "a body in chunks": (post(CHUNKED, b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"), 422),
    "chunks with extensions": (post(CHUNKED, b"2;a=b\r\n{}\r\n0;last\r\n\r\n"), 422),
    "chunks with a trailer": (post(CHUNKED, b"2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n"), 422),
    "a size of a chunk with zeros before": (post(CHUNKED, b"00002\r\n{}\r\n0\r\n\r\n"), 422),
    "a body with a GET": (GAMES + HOST + b"Content-Length: 2\r\n\r\n{}", 200),
    "another minor version": (b"GET /api/games HTTP/1.2\r\n" + HOST + b"\r\n", 200),
    "an upgrade that is unknown": (GAMES + HOST + b"Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n", 200),
}


@pytest.mark.parametrize("name", GOES_ON)
@pytest.mark.parametrize("cut", [False, True], ids=["at once", "byte by byte"])
def test_what_is_a_request_is_answered_and_the_connection_goes_on(address, name: str, cut: bool) -> None:
    request, status = GOES_ON[name]
    pieces = [request[at : at + 1] for at in range(len(request))] if cut else [request]
    found = [answer for answer in exchange(address, *pieces, LAST) if answer.status != 100]
    assert [answer.status for answer in found] == [status, 200]


def test_who_asks_whether_to_go_on_is_told_before_the_body_comes(address) -> None:
    peer = Peer(address)
    with peer.socket:
        peer.send(post(b"Expect: 100-continue\r\nContent-Length: 2\r\n"))
        assert peer.until(b"\r\n\r\n").startswith(b"HTTP/1.1 100 ")
        peer.send(b"{}" + LAST)
        assert [answer.status for answer in answers(peer)] == [422, 200]


def test_requests_that_come_together_are_answered_in_order(address) -> None:
    requests = (GAMES + HOST + b"\r\n", NO_SUCH + HOST + b"\r\n", post(b"Content-Length: 2\r\n", b"{}"))
    assert [answer.status for answer in exchange(address, b"".join(requests) * 5 + LAST)] == [200, 404, 422] * 5 + [200]


# --- requests that are refused, and with them the connection ----------------------------------------------------------

BOTH = CHUNKED + b"Content-Length: 4\r\n"
ENDS = {
    "a length and chunks": (post(BOTH, b"0\r\n\r\n" + SMUGGLED), 400),
    "chunks and a length": (post(b"Content-Length: 6\r\n" + CHUNKED, b"0\r\n\r\nG" + SMUGGLED), 400),
    "a length and chunks, folded": (
        post(b"Content-Length: 6\r\nTransfer-Encoding:\r\n chunked\r\n", b"0\r\n\r\nG"),
        400,
    ),
    "a length and chunks, in other cases": (
        post(b"CONTENT-LENGTH: 6\r\ntransfer-encoding: CHUNKED\r\n", b"0\r\n\r\n"),
        400,
    ),
    "chunks by HTTP/1.0": (post(CHUNKED, b"0\r\n\r\n").replace(b"HTTP/1.1", b"HTTP/1.0"), 400),
    "xchunked": (post(b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n" + SMUGGLED), 501),
    "xchunked and a length": (
        post(b"Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n", b"0\r\n\r\n" + SMUGGLED),
        501,
    ),
    "gzip, chunked": (post(b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n"), 501),
    "chunked, identity": (post(b"Transfer-Encoding: chunked, identity\r\n", b"0\r\n\r\n"), 501),
    "chunked twice": (post(CHUNKED + CHUNKED, b"0\r\n\r\n"), 501),
    "chunked after a control character": (post(b"Transfer-Encoding: \x0bchunked\r\n", b"0\r\n\r\n"), (400, 501)),
    "chunked after a blank before the colon": (post(b"Transfer-Encoding : chunked\r\n", b"0\r\n\r\n"), 400),
    "two lengths": (post(b"Content-Length: 2\r\nContent-Length: 40\r\n", b"{}" + SMUGGLED), 400),
    "two lengths in one header": (post(b"Content-Length: 2, 40\r\n", b"{}"), 400),
    "a negative length": (post(b"Content-Length: -2\r\n", b"{}"), 400),
    "a length with a plus": (post(b"Content-Length: +2\r\n", b"{}"), 400),
    "a length in hexadecimal": (post(b"Content-Length: 0x2\r\n", b"{}"), 400),
    "an empty length": (post(b"Content-Length:\r\n", b"{}"), 400),
    "a length with a blank in it": (post(b"Content-Length: 1 2\r\n", b"{}"), 400),
    "a length of other digits": (post("Content-Length: ٢\r\n".encode(), b"{}"), 400),
    "a length that no machine has": (post(b"Content-Length: " + b"9" * 40 + b"\r\n", b"{}"), 400),
    "a chunk of a negative size": (post(CHUNKED, b"-2\r\n{}\r\n0\r\n\r\n"), 400),
    "a chunk of a size with a plus": (post(CHUNKED, b"+2\r\n{}\r\n0\r\n\r\n"), 400),
    "a chunk of a size with 0x": (post(CHUNKED, b"0x2\r\n{}\r\n0\r\n\r\n"), 400),
    "a chunk without a size": (post(CHUNKED, b"\r\n{}\r\n0\r\n\r\n"), 400),
    "a chunk of no size": (post(CHUNKED, b"zz\r\n{}\r\n0\r\n\r\n"), 400),
    "a chunk of a size that no machine has": (post(CHUNKED, b"f" * 21 + b"\r\n{}\r\n0\r\n\r\n"), 400),
    "a chunk longer than its size": (post(CHUNKED, b"1\r\n{}\r\n0\r\n\r\n"), 400),
    "no Host": (GAMES + b"\r\n", 400),
    "two Hosts": (GAMES + HOST + HOST + b"\r\n", 400),
    "two other Hosts": (GAMES + HOST + b"Host: evil.example\r\n\r\n", 400),
    "a Host with a path": (GAMES + b"Host: 127.0.0.1/x\r\n\r\n", 400),
    "a Host with a user": (GAMES + b"Host: me@127.0.0.1\r\n\r\n", 400),
    "a Host with a blank": (GAMES + b"Host: 127.0.0.1 x\r\n\r\n", 400),
    "two Hosts in one": (GAMES + b"Host: 127.0.0.1, evil.example:80:80\r\n\r\n", 400),
    "a port that is no number": (GAMES + b"Host: 127.0.0.1:eighty\r\n\r\n", 400),
    "a user in the absolute form": (b"GET http://me@127.0.0.1/ HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    "a target without a slash": (b"GET api/games HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    "a star for a GET": (b"GET * HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    "another scheme": (b"GET ftp://127.0.0.1/api/games HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    "a blank before the colon": (GAMES + HOST + b"X-A : b\r\n\r\n", 400),
    "a blank before the first header": (GAMES + b" X-A: b\r\n" + HOST + b"\r\n", 400),
    "a header without a name": (GAMES + HOST + b": b\r\n\r\n", 400),
    "a header without a colon": (GAMES + HOST + b"nonsense\r\n\r\n", 400),
    "a NUL in a header": (GAMES + HOST + b"X-A: a\x00b\r\n\r\n", 400),
    "a carriage return in a header": (GAMES + HOST + b"X-A: a\rX-B: b\r\n\r\n", 400),
    "two blanks in the first line": (b"GET  /api/games HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    "a blank in the target": (b"GET /api games HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    "a blank before the method": (b" GET /api/games HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    "no version": (b"GET /api/games\r\n" + HOST + b"\r\n", 400),
    "a version in lower case": (b"GET /api/games http/1.1\r\n" + HOST + b"\r\n", 400),
    "the preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (400, 505)),
    "HTTP/2.0": (b"GET /api/games HTTP/2.0\r\n" + HOST + b"\r\n", 505),
    "HTTP/0.9": (b"GET /api/games HTTP/0.9\r\n" + HOST + b"\r\n", 505),
    "letters beyond ASCII in the target": ("GET /é HTTP/1.1\r\n".encode() + HOST + b"\r\n", 400),
    "a head without end": (GAMES + HOST + b"X-A: " + b"a" * 100_000, 431),
    "a long head that ends": (GAMES + HOST + b"X-A: " + b"a" * 100_000 + b"\r\n\r\n", 431),
    "thousands of headers": (GAMES + HOST + b"X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n" * 3000 + b"\r\n", 431),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 100 + b"\r\n\r\n", 400),
}


@pytest.mark.parametrize("name", ENDS)
def test_what_is_no_request_is_answered_once_and_the_connection_ends(address, name: str) -> None:
    request, status = ENDS[name]
    (found,) = exchange(address, request, b"" if name.endswith("without end") else LAST)
    assert found.status in (status if isinstance(status, tuple) else (status,))
    assert found.headers["connection"] == "close"
    assert found.code == "unreadable"
    assert "RFC 9112" in json.loads(found.body)["error"]["reason"]


def test_a_refused_peer_that_is_still_sending_gets_its_answer(address) -> None:
    (found,) = exchange(address, post(b"Content-Length: -1\r\n"), *[b"x" * 65536] * 64)
    assert found.status == 400


# --- WebSockets -------------------------------------------------------------------------------------------------------

SOCKETS = ["/ws/bot", "/ws/live"]
IS_ONE = {
    "plain": UPGRADE + KEY + VERSION,
    "names and values in other cases": (UPGRADE + VERSION).upper() + KEY.replace(b"Sec-WebSocket", b"sec-WEBSOCKET"),
    "several connection options": b"Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n" + KEY + VERSION,
    "several headers Connection": UPGRADE + b"Connection: keep-alive\r\n" + KEY + VERSION,
    "a length of zero": UPGRADE + KEY + VERSION + b"Content-Length: 0\r\n",
    "extensions": UPGRADE
    + KEY
    + VERSION
    + b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits, x\r\n",
    "extensions that are none": UPGRADE + KEY + VERSION + b"Sec-WebSocket-Extensions: ;;=,\r\n",
    "a subprotocol": UPGRADE + KEY + VERSION + b"Sec-WebSocket-Protocol: palio.1.json\r\n",
    "subprotocols in two headers": UPGRADE + KEY + VERSION + b"Sec-WebSocket-Protocol: x\r\n"
    b"Sec-WebSocket-Protocol: palio.1.json\r\n",
    "an own origin": UPGRADE + KEY + VERSION + b"Origin: http://127.0.0.1\r\n",
    "a folded header": b"Upgrade:\r\n websocket\r\nConnection: Upgrade\r\n" + KEY + VERSION,
}


@pytest.mark.parametrize("path", SOCKETS)
@pytest.mark.parametrize("name", IS_ONE)
def test_a_handshake_is_one_however_it_is_written(address, path: str, name: str) -> None:
    (found,) = exchange(address, f"GET {path} HTTP/1.1\r\n".encode() + HOST + IS_ONE[name] + b"\r\n")
    assert found.status == 101
    assert found.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    assert "sec-websocket-extensions" not in found.headers


@pytest.mark.parametrize("before", [b"", b"\r\n", GAMES + HOST + b"\r\n"])
def test_a_handshake_may_come_behind_something_else_in_one_piece(address, before: bytes) -> None:
    found = exchange(address, before + b"GET /ws/bot HTTP/1.1\r\n" + HOST + UPGRADE + KEY + VERSION + b"\r\n")
    assert [answer.status for answer in found] == ([200] if before.startswith(b"GET") else []) + [101]


IS_NONE = {
    "no key": (UPGRADE + VERSION, 400),
    "two keys": (UPGRADE + KEY + KEY + VERSION, 400),
    "an empty key": (UPGRADE + b"Sec-WebSocket-Key:\r\n" + VERSION, 400),
    "a key that is too short": (UPGRADE + b"Sec-WebSocket-Key: c2hvcnQ=\r\n" + VERSION, 400),
    "a key that is too long": (UPGRADE + b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZSE=\r\n" + VERSION, 400),
    "a key that is no base64": (UPGRADE + b"Sec-WebSocket-Key: ????????????????????????\r\n" + VERSION, 400),
    "no version": (UPGRADE + KEY, 400),
    "version 8": (UPGRADE + KEY + b"Sec-WebSocket-Version: 8\r\n", 426),
    "version 0": (UPGRADE + KEY + b"Sec-WebSocket-Version: 0\r\n", 426),
    "version 14": (UPGRADE + KEY + b"Sec-WebSocket-Version: 14\r\n", 426),
    "version 013": (UPGRADE + KEY + b"Sec-WebSocket-Version: 013\r\n", 426),
    "version thirteen": (UPGRADE + KEY + b"Sec-WebSocket-Version: thirteen\r\n", 426),
    "two versions": (UPGRADE + KEY + VERSION + b"Sec-WebSocket-Version: 8\r\n", 426),
    "a body": (UPGRADE + KEY + VERSION + b"Content-Length: 5\r\n", 400),
    "a body in chunks": (UPGRADE + KEY + VERSION + CHUNKED, 400),
    "a very long header": (UPGRADE + KEY + VERSION + b"X-A: " + b"a" * 10_000 + b"\r\n", 431),
    "very many headers": (UPGRADE + KEY + VERSION + b"X-A: a\r\n" * 200, 431),
}


@pytest.mark.parametrize("path", SOCKETS)
@pytest.mark.parametrize("name", IS_NONE)
def test_what_is_no_handshake_is_refused_with_a_reason(address, path: str, name: str) -> None:
    headers, status = IS_NONE[name]
    (found,) = exchange(address, f"GET {path} HTTP/1.1\r\n".encode() + HOST + headers + b"\r\n")
    assert found.status == status
    assert found.code == "no-websocket"
    assert "close" in found.headers["connection"]
    if "version" in name:
        assert found.headers["sec-websocket-version"] == "13"
    if status == 426:
        assert found.headers["upgrade"] == "websocket"


@pytest.mark.parametrize("path", SOCKETS)
def test_http_1_0_becomes_no_websocket(address, path: str) -> None:
    (found,) = exchange(address, f"GET {path} HTTP/1.0\r\n".encode() + HOST + UPGRADE + KEY + VERSION + b"\r\n" + LAST)
    assert (found.status, found.code) == (400, "no-websocket")


@pytest.mark.parametrize("path", SOCKETS)
def test_a_post_becomes_no_websocket(address, path: str) -> None:
    (found,) = exchange(address, f"POST {path} HTTP/1.1\r\n".encode() + HOST + UPGRADE + KEY + VERSION + b"\r\n")
    assert (found.status, found.headers["allow"]) == (405, "GET")


@pytest.mark.parametrize("path", SOCKETS)
@pytest.mark.parametrize("host", [b"", HOST * 2, b"Host: a/b\r\n"])
def test_a_websocket_needs_one_host(address, path: str, host: bytes) -> None:
    (found,) = exchange(address, f"GET {path} HTTP/1.1\r\n".encode() + host + UPGRADE + KEY + VERSION + b"\r\n")
    assert (found.status, found.code) == (400, "unreadable")


# --- JSON lines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [b"", b"\n", b"\r\n\r\n", b" \t\r\n ", b"\n" * 500])
@pytest.mark.parametrize("behind", [b"", b"\n" * 2000, b"\r\n" * 500, b"  \r\n\t\n" * 300])
def test_lines_that_say_nothing_are_ignored(address, before: bytes, behind: bytes) -> None:
    peer = Peer(address)
    with peer.socket:
        for piece in (before, HELLO.replace(b"\n", b"\r\n") + behind):
            peer.send(piece)
        assert json.loads(peer.until(b"\n"))["type"] == "welcome"
        peer.send(b"\r\n" * 100 + b'{"type": "ready", "match": "m"}\r\n')
        assert json.loads(peer.until(b"\n"))["code"] == "unknown-match"
