"""No output of a command lets third-party text control a terminal or imitate a line."""

import asyncio
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from palio_rules.contract.messages import Result
from palio_rules.plain_text import MARK, plain_json
from palio_rules.records.record import Ply, Record, RejectedMove, Setup
from palio_server.cli.palio import call
from palio_server.cli.printing import say, show_json
from palio_server.cli.source import open_store

ROOT = Path(__file__).parents[3]
HOSTILE = "\x1b[2J\x9b1m\x07\r\u202e\u2028evil\nann vs bob: 1-0 {mate}\n"
FORGED = "ann vs bob: 1-0 {mate}"
THEN = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.mark.parametrize("room", ["server/palio_server", "clients/palio_clients"])
def test_everything_is_printed_by_one_function(room: str) -> None:
    allowed = {"cli/printing.py", "cli/completion.py", "cli/play.py"}  # shells', bots' own
    allowed |= {"cli/analyse.py", "cli/course_grades.py"}  # for programs, byte for byte
    files = {file.relative_to(ROOT / room).as_posix(): file for file in (ROOT / room).rglob("*.py")}
    echoing = {name for name, file in files.items() if re.search(r"\bclick\.(s?echo|secho)\b", file.read_text())}
    assert echoing <= allowed


def test_a_line_is_one_line_and_plain(capsys: pytest.CaptureFixture[str]) -> None:
    say(HOSTILE)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.isprintable()


def test_json_says_the_same_and_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"note": HOSTILE, "\u202ekey": ["\U000e0001", "é", "木", "\x7f"]}
    show_json(value)
    printed = capsys.readouterr().out
    assert printed.replace("\n", "").isprintable()
    assert json.loads(printed) == value
    assert json.loads(plain_json(json.dumps(value, ensure_ascii=False))) == value


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the identity of a match in ./palio.db whose texts are all hostile."""
    monkeypatch.chdir(tmp_path)
    for name in ("PALIO_DB", "PALIO_URL"):
        monkeypatch.delenv(name, raising=False)
    setup = Setup("dominoes", ("ann", "bob"))
    refused = RejectedMove(0, 0, "\x1b[2J\u202e", "off-board", HOSTILE)
    result = Result("crashed", "bot-crashed", [0.0, 1.0], seat=0, detail=f"Traceback:{HOSTILE}")

    async def play() -> str:
        async with open_store(None, must_exist=False) as store:
            await store.schedule(setup, event=f"cup{HOSTILE}")
            claim = await store.claim("worker", 30, free={"dominoes": setup.bots})
            record = Record(claim.match, setup, (Ply(0, [0, 0], 5),), result, THEN, THEN, refusals=(refused,))
            await store.finish(claim, record)
            await store.add_bot("mine", owner=HOSTILE)
            await store.issue_token(["play"], "mine", note=HOSTILE)
            await store.void(claim.match, HOSTILE)
            return claim.match

    return asyncio.run(play())


@pytest.mark.parametrize(
    "words",
    [
        "match show ID", "match list", "match replay ID --delay 0", "match export ID --format json",
        "leaderboard --game dominoes",
        "audit", "bot list", "verify", "match show ID --json", "match list --json", "audit --json", "bot list --json",
    ],
)  # fmt: skip
def test_no_command_prints_what_a_terminal_would_obey(hostile: str, words: str, capsys) -> None:
    call([hostile if word == "ID" else word for word in words.split()])
    printed = "".join(capsys.readouterr())
    assert printed
    assert printed.replace("\n", "").isprintable()
    assert not any(line.startswith(FORGED) for line in printed.splitlines())


def test_a_bots_own_lines_are_marked(hostile: str, capsys) -> None:
    assert call(["match", "show", hostile]) == 0
    printed = capsys.readouterr().out
    assert f"\n{MARK}{FORGED}\n" in printed
    assert "ann vs bob: 0-1 {crashed: bot-crashed}" in printed.splitlines()


def test_a_match_is_shown_as_json(hostile: str, capsys) -> None:
    assert call(["match", "show", hostile, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["match"] == hostile
    assert found["result"]["detail"] == f"Traceback:{HOSTILE}"
