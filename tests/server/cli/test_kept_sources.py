"""Matches of a running server: with few questions, at the pace that it wants, and a word on what it does not tell."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import made_matches
import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from palio_db.event_values import as_kept, record_of
from palio_server.cli import kept_sources
from palio_server.cli.palio import call

PLACE = replace(made_matches.duel().tournament, card=UNSET)
GAMES = 3


def event(number):
    """The match that is game `number` (from 0) of encounter 5."""
    record = made_matches.played("breakthrough", "ann", "bob", match=f"m{number}", random_seed=number)
    return as_kept(record, created_at=made_matches.THEN, tournament=replace(PLACE, game=number))


class Served(ThreadingHTTPServer):
    """A server's answers about one encounter, and a single match; every third request is refused for now."""

    def __init__(self, *, planned, refuses=True):
        super().__init__(("127.0.0.1", 0), Answering)
        self.kept = {kept.match: kept for kept in [*map(event, range(GAMES)), replace(made_matches.race(), match="m9")]}
        self.planned, self.refuses = planned, refuses
        self.asked, self.refused = Counter(), 0

    def answer(self, path):
        _, _, *words = path.split("/")
        match words:
            case ["matches"]:
                return [] if self.asked["/api/matches"] > 1 else [*map(self.item, reversed(self.kept.values()))]
            case ["matches", match, "record"]:
                return record_of(self.kept[match])
            case ["matches", _, "analysis"]:
                return None
            case ["matches", match]:
                return {"neighbours": {"game": self.kept[match].tournament.game + 1}}
            case ["tournaments", "3"]:
                return {"name": PLACE.name, "format": PLACE.format, "created_at": PLACE.created_at}
            case ["tournaments", "3", "rounds", "2"]:
                played = [{"match": f"m{number}"} for number in range(GAMES)]
                return {"encounters": [{"games": self.planned, "matches": played}]}
        raise AssertionError(path)

    def item(self, kept):
        place = kept.tournament
        where = (None, 0, None) if place is UNSET else (place.number, place.round, place.encounter)
        return {"id": kept.match, "created_at": made_matches.THEN} | dict(
            zip(("tournament", "round", "encounter"), where, strict=True)
        )


class Answering(BaseHTTPRequestHandler):
    server: Served

    def do_GET(self):
        path = urlsplit(self.path).path
        if self.server.refuses and sum(self.server.asked.values()) == 2 * (self.server.refused + 1):
            self.server.refused += 1
            self.send_response(429)
            self.send_header("Retry-After", "7")
            self.end_headers()
            self.wfile.write(b'{"error": {"code": "too-fast", "reason": "you ask too much"}}')
            return
        self.server.asked[path] += 1
        self.send_response(200)
        self.end_headers()
        self.wfile.write(msgspec.json.encode(self.server.answer(path)))

    def log_message(self, *_):
        pass


@pytest.fixture
def serve():
    started = []

    def start(**how):
        server = Served(**how)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        started.append((server, thread))
        return server, f"http://127.0.0.1:{server.server_port}"

    yield start
    for server, thread in started:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def waits(monkeypatch):
    """Instead of waiting."""
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr(kept_sources.PatientRemote.__init__, "__defaults__", (sleep,))
    return slept


def test_a_round_tells_of_all_its_games_and_too_many_questions_wait(serve, waits, capsys):
    server, url = serve(planned=GAMES)
    assert call(["export", url]) == 0
    told = capsys.readouterr()
    expected = [json.loads(msgspec.json.encode(kept)) for kept in server.kept.values()]
    found = [json.loads(line) for line in told.out.splitlines()]
    expected[-1]["created_at"] = found[-1]["created_at"]
    assert found == expected
    questions = sum(server.asked.values())
    assert questions == 2 + 2 * len(server.kept) + 2  # two pages, two of each match, the tournament, its round
    assert server.refused == len(waits) > 3
    assert all(7 < wait < 9 for wait in waits)
    slowly, cards = told.err.splitlines()
    assert slowly == f"palio: {url} wants to be asked more slowly, and is: you ask too much"
    assert cards.startswith(
        f"palio: {url} does not tell the cards of tournaments (entries, pairings, rules), here of =Cup"
    )


def test_of_an_encounter_whose_games_are_not_all_there_each_match_is_asked_for_itself(serve, capsys):
    server, url = serve(planned=GAMES + 1, refuses=False)
    assert call(["export", url]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["tournament"]["game"] for line in found[:GAMES]] == [0, 1, 2]
    assert server.asked["/api/matches/m1"] == 1


def test_where_no_card_is_missed_nothing_is_said(serve, capsys):
    _, url = serve(planned=GAMES, refuses=False)
    assert call(["export", url, "--format", "csv"]) == 0
    assert capsys.readouterr().err == ""
