"""`palio watch` follows what a server sends, and says why where there is nothing to follow."""

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator

import msgspec
import pytest
from websockets.sync.server import serve

from palio_rules.contract.endpoints import LATER, POLICY, UNKNOWN
from palio_rules.contract.messages import Result, SeatOf
from palio_rules.time_control import TimeControl
from palio_server import live
from palio_server.cli.palio import call

VIEW = live.View(0, 0, [None, None], "the board")
SEATS = [SeatOf("black", "ada"), SeatOf("white", "bob")]
SUMMARY = live.Summary("m1", "dominoes", "Dominoes", SEATS, TimeControl.parse(), "", VIEW, "duel", [])
SNAPSHOT = live.MatchSnapshot(0, SUMMARY, [], [])
FINISHED = live.Finished(1, "m1", Result("rule", "no-moves", [1.0, 0.0]), VIEW)


@pytest.fixture
def server() -> "Callable[..., str]":
    """Starts a server that answers each path with messages, or closes with a code and a reason; its address."""
    servers = []

    def start(answers):
        def answer(connection):
            found = answers[connection.request.path]
            if isinstance(found, Iterator):  # each connection gets the next one
                found = next(found)
            if isinstance(found, tuple):
                connection.close(*found)
            else:
                for message in found:
                    connection.send(msgspec.json.encode(message))
                connection.close(1001, "good night")

        server = serve(answer, "127.0.0.1", 0)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.socket.getsockname()[1]}"

    yield start
    for server in servers:
        server.shutdown()


def test_a_match_is_followed_to_its_end(server, capsys):
    url = server({"/ws/live/m1": [SNAPSHOT, FINISHED]})
    assert call(["watch", "m1", "--url", url]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "m1: Dominoes, ada (black) vs bob (white), inf",
        "the board",
        "the board",
        "ada vs bob: 1-0 {no-moves}",
    ]


def test_programs_get_each_message_as_a_line_of_json(server, capsys):
    url = server({"/ws/live/m1": [SNAPSHOT, FINISHED]})
    assert call(["watch", "m1", "--json", "--url", url]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [msgspec.json.decode(line, type=live.LiveMessage) for line in lines] == [SNAPSHOT, FINISHED]


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ((UNKNOWN, "there is no match m1"), "there is no match m1"),
        (
            (UNKNOWN, "there is no match m1; /api/matches lists them"),
            "there is no match m1; `palio match list --url URL` shows what there is",
        ),
        ((POLICY, "token-required"), "the server closed the connection: token-required"),
        ([FINISHED], "the server begins with Finished where a match's snapshot is due; is it a newer palio?"),
    ],
)
def test_why_a_match_cannot_be_followed_is_said(answers, sentence, server, capsys):
    url = server({"/ws/live/m1": answers})
    assert call(["watch", "m1", "--url", url]) == 1
    assert capsys.readouterr().err == f"palio: {sentence.replace('URL', url)}\n"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_who_speaks_no_http_is_not_said_to_be_away(scheme, capsys):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"{scheme}://127.0.0.1:{listener.getsockname()[1]}"

        def answer():
            with listener.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(b"SSH-2.0-nobody\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        assert call(["watch", "m1", "--url", url]) == 1
        thread.join()
    said = capsys.readouterr().err
    assert said.startswith(f"palio: {url.replace('http', 'ws')}/ws/live/m1 opens no WebSocket (")
    assert said.endswith("; is it a palio server?\n")


PLAYED = live.Played(1, "m1", live.PlyView(1, 0, "a1", 50), VIEW)
RETURNED = live.MatchSnapshot(3, SUMMARY, [PLAYED.line, live.PlyView(2, 1, "b2", 50)], [])


@pytest.mark.slow
@pytest.mark.parametrize("notice", [[], [live.ServerStopping("the server stops, come back in 0 s", 0)]])
def test_it_goes_on_when_the_server_is_back_and_says_the_loss_once(notice, server, capsys):
    later = (LATER, "the match is being taken up again; try again in a moment")
    answers = iter(
        [[SNAPSHOT, PLAYED, *notice], later, later, [RETURNED, live.Finished(4, "m1", FINISHED.result, VIEW)]]
    )
    assert call(["watch", "m1", "--url", server({"/ws/live/m1": answers})]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "m1: Dominoes, ada (black) vs bob (white), inf",
        "the board",
        "  1. ada a1 (0.05 s)",
        "  2. bob b2 (0.05 s)",
        "the board",
        "the board",
        "ada vs bob: 1-0 {no-moves}",
    ]
    reason = notice[0].reason if notice else "the server closed the connection: good night"
    assert said.err == f"{reason}; looking for it again\n"


def test_it_goes_on_at_another_server(server, capsys):
    first, second = server({"/ws/live/m1": [SNAPSHOT]}), server({"/ws/live/m1": [SNAPSHOT, FINISHED]})
    with socket.create_server(("127.0.0.1", 0)) as bound:
        nobody = f"http://127.0.0.1:{bound.getsockname()[1]}"
    assert call(["watch", "m1", "--url", f"{nobody},{first}", "--url", second]) == 0
    assert "looking for another server again" in capsys.readouterr().err


@pytest.mark.slow
def test_when_nobody_answers_for_long_it_gives_up(server, capsys):
    """The first answers once; then it says no more than that it is busy."""
    url = server({"/ws/live/m1": iter([[SNAPSHOT], *[(LATER, "busy")] * 100])})
    begun = time.monotonic()
    assert call(["watch", "m1", "--url", url, "--wait", "1"]) == 1
    assert 1 <= time.monotonic() - begun < 10
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert re.fullmatch(
        r"palio: no server has answered for 1 s; at last: the server closed the connection: busy", said[1]
    )


def test_at_first_nobody_is_waited_for(capsys):
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        urls = [f"http://127.0.0.1:{bound.getsockname()[1]}" for bound in (one, other)]
    assert call(["watch", "--url", ",".join(urls)]) == 1
    assert capsys.readouterr().err.startswith(f"palio: no server answers at {', '.join(urls)}; start one")
