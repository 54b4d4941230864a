"""A server that is asked over HTTP, and what is said when it does not answer."""

import json
import re
import socket
import threading
from contextlib import ExitStack
from datetime import UTC, datetime

import pytest

from palio_rules.errors import BadOption
from palio_server.api.answers import unknown_match
from palio_server.api.tournaments import unknown_tournament
from palio_server.cli import source as source_module
from palio_server.cli.command import CommandFailed
from palio_server.cli.source import Remote, open_source


async def test_a_server_that_takes_too_long_is_not_said_to_be_away(monkeypatch):
    monkeypatch.setattr(source_module, "TIMEOUT_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(CommandFailed, match=r"has not answered within 0\.05 s; try again, or ask for less$"):
            await Remote(f"http://127.0.0.1:{port}").send("POST", "matches", {})
    with pytest.raises(CommandFailed, match=f"^no server answers at http://127.0.0.1:{port}; start one with"):
        await Remote(f"http://127.0.0.1:{port}").get("matches")


NOT_FOUND = b"HTTP/1.1 404 Not Found\r\n\r\n"
PAGE = b"HTTP/1.1 200 OK\r\n\r\n<html>"


def _until(connection, end):
    said = b""
    while end not in said and (more := connection.recv(65536)):
        said += more
        if not said.startswith((b"GET", b"POST", b"PUT")):
            break  # a handshake of TLS
    return said


@pytest.fixture
def answering():
    """Start a server that reads any request and answers with these bytes; return its address."""
    with ExitStack() as stack:

        def start(answer):
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

            def serve():
                connection, _ = listener.accept()
                with connection:
                    head, _, body = _until(connection, b"\r\n\r\n").partition(b"\r\n\r\n")
                    if length := re.search(rb"(?i)content-length: (\d+)", head):  # what is not read breaks a connection
                        while len(body) < int(length[1]):
                            body += connection.recv(65536)
                    connection.sendall(answer)

            thread = threading.Thread(target=serve)
            thread.start()
            stack.callback(thread.join)
            return f"127.0.0.1:{listener.getsockname()[1]}"

        yield start


@pytest.mark.parametrize(
    ("scheme", "answer", "what"),
    [
        ("http", b"", "Remote end closed connection without response"),
        ("http", b"SSH-2.0-nobody\r\n", "SSH-2.0-nobody"),
        ("http", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[", ".*1 bytes read, 8 more expected.*"),
        ("http", b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{", ".*IncompleteRead.*"),
        ("https", b"HTTP/1.1 400 Bad Request\r\n\r\n", ".*SSL.*"),
    ],
)
async def test_who_answers_but_not_as_a_server_should_is_not_said_to_be_away(answering, scheme, answer, what):
    url = f"{scheme}://{answering(answer)}"
    with pytest.raises(
        CommandFailed, match=rf"^{url} gives no whole answer \({what}\); check the address, or try again$"
    ):
        await Remote(url).get("matches")


@pytest.mark.parametrize("noun", ["match", "tournament"])
async def test_a_person_at_a_terminal_is_told_a_command_and_not_a_path_of_the_api(answering, noun):
    refusal = {"match": unknown_match("9"), "tournament": unknown_tournament(9)}[noun]
    body = json.dumps({"error": {"code": refusal.code, "reason": str(refusal)}}).encode()
    url = f"http://{answering(NOT_FOUND + body)}"
    with pytest.raises(CommandFailed, match=f"; `palio {noun} list --url {url}` shows what there is$"):
        await Remote(url).get(f"{noun}s/9")


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        ("422 Unprocessable Content", "bad-option", source_module.WrongRequest),
        ("400 Bad Request", "unreadable", source_module.WrongRequest),
        ("422 Unprocessable Content", "refused", CommandFailed),  # files that are handed in
        ("409 Conflict", "not-now", CommandFailed),
    ],
)
async def test_a_request_that_the_server_cannot_carry_out_at_any_time_is_wrong_use(answering, status, code, kind):
    body = json.dumps({"error": {"code": code, "reason": "write it anew"}})
    address = answering(f"HTTP/1.1 {status}\r\n\r\n{body}".encode())
    with pytest.raises(kind, match=r"^write it anew$") as caught:
        await Remote(f"http://{address}").send("POST", "tournaments", {})
    assert isinstance(caught.value, BadOption) == (kind is source_module.WrongRequest)


async def test_a_refusal_of_another_kind_of_server_is_a_failure(answering):
    address = answering(b"HTTP/1.1 400 Bad Request\r\n\r\n<html>")
    with pytest.raises(CommandFailed, match=r"answers with HTTP 400; is it a palio server"):
        await Remote(f"http://{address}").get("matches")


async def test_an_answer_that_is_no_json_is_reported_with_the_address(answering):
    url = f"http://{answering(PAGE)}"
    with pytest.raises(CommandFailed, match=f"^the server at {url} answers in a form that this palio cannot read: "):
        async with open_source(None, url) as source:
            await source.matches()


NOW = datetime(2026, 11, 20, 21, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("5", 5.0),
        (" 120 ", 120.0),
        ("Fri, 20 Nov 2026 21:00:30 GMT", 30.0),
        ("Fri, 20 Nov 2026 20:00:00 GMT", 0.0),
        (None, None),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("9" * 4000, None),
        ("\u0663", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value, seconds):
    assert source_module._after(value, NOW) == seconds


@pytest.mark.parametrize(("status", "after"), [("429 Too Many Requests", 5.0), ("503 Service Unavailable", 5.0)])
async def test_who_is_refused_for_now_knows_until_when(answering, status, after):
    url = answering(f"HTTP/1.1 {status}\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n".encode())
    with pytest.raises(source_module.Busy, match="answers with HTTP") as caught:
        await Remote(f"http://{url}").get("matches")
    assert caught.value.after == after
