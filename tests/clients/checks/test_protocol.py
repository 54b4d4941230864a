"""A good bot passes every check; a bot that is broken in one way is caught by exactly the check for it."""

import asyncio
import random
import re
import sys
from dataclasses import replace

import msgpack
import pytest
import websockets

from palio_clients.checks import check_bot
from palio_clients.checks.subject import CheckTimes, ConnectingSubject, JoinedSubject
from palio_clients.sdk.join import join
from palio_clients.sdk.loader import load

# Each test shortens what it waits for to the end; all other limits must be kept, on a busy machine, too.
PATIENCE = CheckTimes(connect=30, ready=30, move=30, quiet=0.1, leave=30, margin_ms=2000, race_ms=1000)

BASICS = ["says hello", "gets ready", "answers a turn"]
GAMES = ["plays dominoes as vertical", "plays dominoes as horizontal", "keeps a short clock in dominoes"]
SAME, AGAIN, QUIET, UNREADABLE, RESUMES, ENDS = (
    "gives the same answer to the same turn",
    "answers again when a move is rejected",
    "is quiet when a match is over",
    "survives unreadable messages",
    "resumes after a cut",
    "ends when told to",
)
ALL = [*BASICS, *GAMES, SAME, AGAIN, QUIET, UNREADABLE, RESUMES]


def failures(findings):
    return [finding.check for finding in findings if finding.verdict == "FAIL"]


# --- bots written with our SDK ----------------------------------------------------------------------------------------

MINE = """
import threading, time
from palio_clients import Bot
class Mine(Bot):
    games = ("dominoes",)
    def choose(self, state, clock):
        return next(state.legal_moves())
"""


PREPARED = """
    def prepare(self, game, options, seat):
        assert options.board
"""


async def check_file(tmp_path, text, **limits):
    """The findings about the bot in a file, in a process of its own."""
    path = tmp_path / "mine.py"
    path.write_text(text)
    subject = JoinedSubject(str(path), ("dominoes",), "mine", stop_s=0.5)
    return [finding async for finding in check_bot(subject, patience=replace(PATIENCE, **limits))]


async def check_program(program, **limits):
    """The findings about a bot that connects by itself: `program(url)` runs it, in this process."""
    tasks = []

    def announce(line):
        tasks.append(asyncio.create_task(program(line.rpartition(" ")[2])))

    try:
        return [f async for f in check_bot(ConnectingSubject(announce), patience=replace(PATIENCE, **limits))]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
def check_here(tmp_path, monkeypatch):
    """Checks the bot in a file, in this process."""
    monkeypatch.setattr(sys, "path", list(sys.path))

    def check(text, **limits):
        path = tmp_path / "mine.py"
        path.write_text(text)
        entrant = load(str(path))
        return check_program(lambda url: join(url, entrant), **limits)

    yield check
    sys.modules.pop("palio_bot_mine", None)


@pytest.mark.slow
async def test_of_a_race_a_bot_is_told_the_instance_that_was_drawn(check_here):
    findings = await check_here(MINE.replace("dominoes", "rush_hour") + PREPARED)
    assert ("gets ready", "ok") in [(finding.check, finding.verdict) for finding in findings]


@pytest.mark.slow
async def test_a_good_bot_passes_every_check(tmp_path):
    findings = await check_file(tmp_path, MINE)
    assert [(finding.check, finding.verdict) for finding in findings] == [(name, "ok") for name in [*ALL, ENDS]]


@pytest.mark.slow
async def test_a_bot_that_does_not_end_is_caught(tmp_path):
    flaw = "    def prepare(self, *args): threading.Thread(target=time.sleep, args=(20,), daemon=False).start()"
    findings = await check_file(tmp_path, f"{MINE}\n{flaw}\n", leave=0.5)
    assert failures(findings) == [ENDS]
    failed = next(finding for finding in findings if finding.verdict == "FAIL")
    assert failed.remedy
    assert failed.detail == "still runs 0.5 s after SIGTERM"


@pytest.mark.parametrize(
    ("flaw", "limits", "caught", "sentence"),
    [
        ("    def prepare(self, *args): time.sleep(20)", {"ready": 0.2}, ["gets ready"], r"no ready within 0\.2 s"),
        ("    def __init__(self): 1 / 0", {}, ["gets ready"], "gives the match up: Traceback.*ZeroDivisionError"),
        (
            "    def choose(self, state, clock): return 7",
            {},
            ["answers a turn"],
            r"choose\(\) returned 7, which is no move",
        ),
        (
            "    def choose(self, state, clock): return next(iter([*state.legal_moves()][20:]), (0, 0))",
            {},
            GAMES[:2],
            r"plays \[0, 0\] in .* \(",
        ),
        (
            "    def choose(self, s, clock): return time.sleep((clock.limit_ms == 10) / 10) or next(s.legal_moves())",
            {"limit_ms": 10, "margin_ms": 20},
            ["keeps a short clock in dominoes"],
            "takes [0-9]+ ms where 10 ms and 20 ms for the network are allowed",
        ),
        ("    def move_rejected(self, *args): raise KeyError(args)", {}, [AGAIN], "KeyError"),
    ],
)
async def test_a_broken_bot_is_caught_by_the_check_for_it(check_here, flaw, limits, caught, sentence):
    findings = await check_here(f"{MINE}\n{flaw}\n", **limits)
    assert failures(findings) == caught
    failed = next(finding for finding in findings if finding.verdict == "FAIL")
    assert failed.remedy
    assert re.search(sentence, failed.detail, re.DOTALL), failed


RACER = """
import time
from palio_clients import Bot, Resign
class Racer(Bot):
    games = ("tsp",)
    def choose(self, state, clock):
        HOW
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "failed", "detail"),
    [
        ("return next(state.legal_moves())", [], "until time is up"),
        (
            "if state.best: raise Resign\n        return next(state.legal_moves())",
            [],
            "answers: 1, then has nothing more to submit",
        ),
        ("return state.best or next(state.legal_moves()) if not state.best else time.sleep(9)", [], "until time is up"),
        (
            "time.sleep(3 * (clock.limit_ms or 0) / 2000)\n        return next(state.legal_moves())",
            ["plays"],
            "nothing",
        ),
        ("return (0, 0)", ["plays", "keeps", "resumes"], "visited twice"),
    ],
)
async def test_a_bot_for_an_anytime_race_may_be_silent_or_resign_once_it_has_submitted_a_solution(
    check_here, how, failed, detail
):
    findings = await check_here(RACER.replace("HOW", how))
    assert [check.partition(" ")[0] for check in failures(findings)] == failed
    race = next(finding for finding in findings if finding.check == "plays tsp as solver")
    assert re.search(detail, race.detail)


async def test_a_bot_that_dies_is_quoted_with_its_last_lines(tmp_path):
    findings = await check_file(tmp_path, f"{MINE}\nraise SystemExit('no weights found')\n")
    assert failures(findings) == ["says hello"]
    assert findings[0].detail.startswith("ends by itself\nits last lines:\n")
    assert "no weights found" in findings[0].detail
    assert {finding.verdict for finding in findings[1:]} == {"skip"}


# --- bots written without it -----------------------------------------------------------------------------------------


class Raw:
    """Plays dominoes with `websockets` and `msgpack` only. `flaw` says what it does wrong."""

    def __init__(self, flaw):
        self.flaw = flaw
        self.rng = random.Random(1)
        self.session = None
        self.answers = {}
        self.refused = set()

    async def run(self, url):
        while True:
            protocols = None if self.flaw == "no subprotocol" else ["palio.1.msgpack"]
            try:
                async with websockets.connect(url, subprotocols=protocols, compression=None) as self.socket:
                    await self.talk()
            except (websockets.ConnectionClosed, ConnectionError, EOFError):
                if self.flaw == "stays away":
                    return
            await asyncio.sleep(0.02)

    async def say(self, **message):
        await self.socket.send(msgpack.packb(message))

    async def talk(self):
        hello = {"type": "hello", "name": "raw", "games": ["dominoes"]}
        if self.session and self.flaw != "forgets its session":
            hello["resume"] = self.session
        if self.flaw == "wrong game":
            hello["games"] = ["domino"]
        if self.flaw == "no hello":
            hello = {"type": "ready", "match": "m"}
        await self.say(**hello)
        async for data in self.socket:
            try:
                message = msgpack.unpackb(data)
                kind = message["type"]
            except (ValueError, TypeError, KeyError):
                if self.flaw == "dies of garbage":
                    await self.socket.close()
                continue
            await self.hear(kind, message)

    async def hear(self, kind, message):
        match, flaw = message.get("match"), self.flaw
        if kind == "welcome":
            self.session = message["session"]
        elif kind == "game" and flaw != "never ready":
            await self.say(type="ready", match=match)
        elif kind == "turn":
            key = (match, message["id"])
            if key in self.answers and flaw == "ignores repeats":
                return
            if key not in self.answers or flaw == "answers anew":
                self.answers[key] = self.rng.choice(message["moves"])
            if flaw == "mute" or (flaw == "sulks" and key in self.refused):
                return
            extra = {"comment": "hm"} if flaw == "extra field" else {}
            id_ = 0 if flaw == "wrong id" else message["id"]
            await self.say(type="move", match=match, id=id_, move=self.answers[key], **extra)
        elif kind == "rejected":
            self.refused.add((match, message["id"]))
            if flaw not in ("sulks", "waits"):
                await self.say(type="move", match=match, id=message["id"], move=self.answers[(match, message["id"])])
        elif kind == "over" and flaw == "talks on":
            await self.say(type="resign", match=match)


WAITED_FOR = {  # what a flaw makes the checker wait for to the end
    "waits": {"resend": 0.1},
    "never ready": {"ready": 0.3},
    "mute": {"move": 0.3},
    "ignores repeats": {"move": 0.3},
    "sulks": {"move": 0.3, "resend": 0.1},
    "stays away": {"connect": 0.5},
}


@pytest.mark.parametrize("habit", [None, "waits"])
async def test_a_bot_without_our_sdk_passes_too(habit):
    findings = await check_program(Raw(habit).run, **WAITED_FOR.get(habit, {}))
    assert [(finding.check, finding.verdict) for finding in findings] == [(name, "ok") for name in ALL]


@pytest.mark.first(4)
@pytest.mark.parametrize(
    ("flaw", "caught", "sentence"),
    [
        ("no subprotocol", "says hello", "asks for none of Palio's subprotocols"),
        ("no hello", "says hello", "says ready before hello"),
        ("wrong game", "says hello", "offers the game 'domino'"),
        ("never ready", "gets ready", "no ready within 0.3 s"),
        ("mute", "answers a turn", "no move within 0.3 s"),
        ("wrong id", "answers a turn", "answers turn 0 when asked turn 1"),
        ("extra field", "answers a turn", "where move is due: Object contains unknown field `comment`"),
        ("answers anew", SAME, "and asked again with"),
        ("ignores repeats", [SAME, RESUMES], "asked the same turn again after its answer: no move within 0.3 s"),
        ("sulks", AGAIN, "after a rejected move: no move within 0.3 s"),
        ("talks on", QUIET, "says resign after `over`"),
        ("dies of garbage", UNREADABLE, "after messages that it cannot read: closes the connection"),
        ("forgets its session", RESUMES, "comes back without `resume`"),
        ("stays away", RESUMES, "after a cut in mid-turn: does not connect within 0.5 s"),
    ],
)
async def test_a_broken_protocol_is_caught_by_the_check_for_it(flaw, caught, sentence):
    findings = await check_program(Raw(flaw).run, **WAITED_FOR.get(flaw, {}))
    assert failures(findings) == ([caught] if isinstance(caught, str) else caught)
    assert sentence in next(finding.detail for finding in findings if finding.verdict == "FAIL")
