"""A good bot passes every check; a bot that is broken in one way is caught by exactly the check for it."""

import asyncio
import json
import random
import re

import msgpack
import pytest
import websockets
from click.testing import CliRunner

from palio_clients.checks.finding import Finding, Patience
from palio_clients.checks.run import check_bot
from palio_clients.checks.subject import CallingSubject, JoinedSubject
from palio_clients.commands.check_bot import check_bot as command

PATIENCE = Patience(connect=30, ready=4, move=4, resend=1, quiet=0.2, leave=4, margin_ms=800)
SHORT = Patience(connect=3, ready=1, move=1, resend=0.4, quiet=0.2, margin_ms=800)  # in this process

BASICS = ["says hello", "gets ready", "answers a turn"]
GAMES = ["plays dominoes as vertical", "plays dominoes as horizontal", "keeps a short clock in dominoes"]
SAME, AGAIN, QUIET, UNREADABLE, RESUMES, ENDS = (
    "gives the same answer to the same turn",
    "answers again when a move is refused",
    "is quiet when a match is over",
    "survives unreadable messages",
    "resumes after a cut",
    "ends when told to",
)
ALL = [*BASICS, *GAMES, SAME, AGAIN, QUIET, UNREADABLE, RESUMES]


def failures(findings):
    return [finding.check for finding in findings if finding.verdict == "FAIL"]


# --- bots written with our SDK, in a process of their own -------------------------------------------------------------

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


async def check_file(tmp_path, text, game="dominoes"):
    path = tmp_path / "mine.py"
    path.write_text(text)
    subject = JoinedSubject(str(path), (game,), "mine")
    return [finding async for finding in check_bot(subject, patience=PATIENCE)]


async def test_of_a_race_a_bot_is_told_the_instance_that_was_drawn(tmp_path):
    findings = await check_file(tmp_path, MINE.replace("dominoes", "rush_hour") + PREPARED, "rush_hour")
    assert ("gets ready", "ok") in [(finding.check, finding.verdict) for finding in findings]


async def test_a_good_bot_passes_every_check(tmp_path):
    findings = await check_file(tmp_path, MINE)
    assert [(finding.check, finding.verdict) for finding in findings] == [(name, "ok") for name in [*ALL, ENDS]]


@pytest.mark.parametrize(
    ("flaw", "caught", "sentence"),
    [
        ("    def prepare(self, *args): time.sleep(20)", ["gets ready"], "no ready within 4 s"),
        ("    def __init__(self): 1 / 0", ["gets ready"], "gives the match up: Traceback.*ZeroDivisionError"),
        (
            "    def choose(self, state, clock): return 7",
            ["answers a turn"],
            r"choose\(\) returned 7, which is no move",
        ),
        (
            "    def choose(self, state, clock): return next(iter([*state.legal_moves()][20:]), (0, 0))",
            GAMES[:2],
            r"plays \[0, 0\] in .* \(",
        ),
        (
            "    def choose(self, state, clock): return time.sleep(clock.limit_ms == 100) or next(state.legal_moves())",
            ["keeps a short clock in dominoes"],
            "takes [0-9]+ ms where 100 ms and 800 ms for the network are allowed",
        ),
        ("    def move_rejected(self, *args): raise KeyError(args)", [AGAIN], "KeyError"),
        (
            "    def prepare(self, *args): threading.Thread(target=time.sleep, args=(20,), daemon=False).start()",
            [ENDS],
            "still runs 4 s after SIGTERM",
        ),
    ],
)
async def test_a_broken_bot_is_caught_by_the_check_for_it(tmp_path, flaw, caught, sentence):
    findings = await check_file(tmp_path, f"{MINE}\n{flaw}\n")
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


@pytest.mark.parametrize(
    ("how", "failed", "told"),
    [
        ("return next(state.legal_moves())", [], "until the bell"),
        (
            "if state.best: raise Resign\n        return next(state.legal_moves())",
            [],
            "answers: 1, then has no more to give",
        ),
        ("return state.best or next(state.legal_moves()) if not state.best else time.sleep(9)", [], "until the bell"),
        (
            "time.sleep(3 * (clock.limit_ms or 0) / 2000)\n        return next(state.legal_moves())",
            ["plays"],
            "nothing",
        ),
        ("return (0, 0)", ["plays", "keeps", "resumes"], "visited twice"),
    ],
)
async def test_a_bot_for_an_anytime_race_may_be_silent_or_resign_once_it_has_handed_in_something(
    tmp_path, how, failed, told
):
    findings = await check_file(tmp_path, RACER.replace("HOW", how), "tsp")
    assert [check.partition(" ")[0] for check in failures(findings)] == failed
    race = next(finding for finding in findings if finding.check == "plays tsp as solver")
    assert re.search(told, race.detail)


async def test_a_bot_that_dies_is_quoted_with_its_last_words(tmp_path):
    findings = await check_file(tmp_path, f"{MINE}\nraise SystemExit('no weights found')\n")
    assert failures(findings) == ["says hello"]
    assert findings[0].detail.startswith("ends by itself\nits last words:\n")
    assert "no weights found" in findings[0].detail
    assert {finding.verdict for finding in findings[1:]} == {"skip"}


# --- bots written without it, which call by themselves ----------------------------------------------------------------


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


async def check_raw(flaw):
    tasks = []

    def announce(line):
        tasks.append(asyncio.create_task(Raw(flaw).run(line.rpartition(" ")[2])))

    try:
        return [finding async for finding in check_bot(CallingSubject(announce), patience=SHORT)]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize("habit", [None, "waits"])
async def test_a_bot_without_our_sdk_passes_too(habit):
    findings = await check_raw(habit)
    assert [(finding.check, finding.verdict) for finding in findings] == [(name, "ok") for name in ALL]


@pytest.mark.parametrize(
    ("flaw", "caught", "sentence"),
    [
        ("no subprotocol", "says hello", "asks for no subprotocol of ours"),
        ("no hello", "says hello", "says ready before hello"),
        ("wrong game", "says hello", "offers the game 'domino'"),
        ("never ready", "gets ready", "no ready within 1 s"),
        ("mute", "answers a turn", "no move within 1 s"),
        ("wrong id", "answers a turn", "answers turn 0 when asked turn 1"),
        ("extra field", "answers a turn", "where move is due: Object contains unknown field `comment`"),
        ("answers anew", SAME, "and asked again with"),
        ("ignores repeats", [SAME, RESUMES], "asked the same turn again after its answer: no move within 1 s"),
        ("sulks", AGAIN, "after a refused move: no move within 1 s"),
        ("talks on", QUIET, "says resign after `over`"),
        ("dies of garbage", UNREADABLE, "after messages that it cannot read: closes the connection"),
        ("forgets its session", RESUMES, "comes back without `resume`"),
        ("stays away", RESUMES, "after a cut in mid-turn: does not connect within 3 s"),
    ],
)
async def test_a_broken_protocol_is_caught_by_the_check_for_it(flaw, caught, sentence):
    findings = await check_raw(flaw)
    assert failures(findings) == ([caught] if isinstance(caught, str) else caught)
    assert sentence in next(finding.detail for finding in findings if finding.verdict == "FAIL")


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_prints_a_line_a_check_and_exits_with_one_if_any_failed(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE.replace("return next(state.legal_moves())", "raise RuntimeError('out of ideas')"))
    result = CliRunner().invoke(command, [str(path)])
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "ok    says hello: mine plays dominoes, in msgpack"
    assert "FAIL  answers a turn: gives the match up: Traceback (most recent call last):" in lines
    assert any(line.startswith("      remedy: ") for line in lines)
    assert lines[-1].startswith("2 ok, 1 failed, ")


def test_as_json_each_check_is_an_object(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    result = CliRunner().invoke(command, [str(path), "--json"])
    assert result.exit_code == 0, result.stdout
    findings = [json.loads(line) for line in result.stdout.splitlines()]
    assert findings[0] == Finding("says hello", "ok", "mine plays dominoes, in msgpack").as_dict()
    assert len(findings) == len(ALL) + 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "give a bot's SPEC, or --listen PORT"),
        (["random", "--listen", "0"], "give a bot's SPEC, or --listen PORT"),
        (["randon"], "did you mean 'random'?"),
        (["random", "--game", "chess"], "random does not play 'chess'"),
    ],
)
def test_a_command_line_without_sense_has_exit_code_two(words, sentence):
    result = CliRunner().invoke(command, words)
    assert result.exit_code == 2
    assert sentence in result.stderr
