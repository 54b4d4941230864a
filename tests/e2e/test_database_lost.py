"""The database's file goes away under a running command: no further result is announced, and all are told why."""

import json
import os
import re
import sqlite3
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from command import Palio

from palio_server.cli.command import INTERRUPTED

GAMES = 400  # more than are played before the file goes


def delete(file: Path) -> None:
    for each in file.parent.glob("palio.db*"):
        each.unlink()


def move(file: Path) -> None:
    file.rename(file.with_name("moved.db"))


def replace(file: Path) -> None:
    file.with_name("other.db").write_bytes(b"")
    file.with_name("other.db").replace(file)


def truncate(file: Path) -> None:
    os.truncate(file, 0)


@pytest.mark.slow
@pytest.mark.parametrize("lose", [delete, move, replace, truncate])
def test_a_run_ends_with_the_reason_and_all_that_it_told_is_kept(palio: Palio, lose: Callable[[Path], None]):
    running = palio.start("run", "dominoes", "random", "greedy", "--rounds", str(GAMES))
    running.line_with("game 10 of")
    lose(palio.folder / "palio.db")
    assert running.wait() not in (0, INTERRUPTED)
    told = [line for line in running.lines if re.match(r"game \d+ of", line)]
    said = "\n".join(running.errors)
    assert len(told) < GAMES
    assert "while it was open; nothing is announced" in said
    assert "Traceback" not in said
    if lose is truncate:
        assert "was overwritten" in said
        return
    copy = re.search(r"what was in it is kept in (\S+\.db): stop Palio", said)
    assert copy is not None, said
    verified = palio("verify", "--db", f"sqlite:///{copy[1]}")
    assert "Traceback" not in verified.stderr
    with closing(sqlite3.connect(copy[1])) as kept:
        [(finished,)] = kept.execute("SELECT count(*) FROM matches WHERE status = 'finished'")
    assert finished >= len(told)


@pytest.mark.slow
def test_a_server_says_so_and_goes_on_when_the_file_is_back(palio: Palio):
    serving = palio.start("serve", "--port", "0", "--bot", "random", "--bot", "greedy")
    url = re.search(r"http://\S+", serving.line_with("http://"))[0].rstrip("/,.;")
    health = f"{url}/api/health"
    serving.wait_for(lambda _: asked(health)[0] == 200)
    move(palio.folder / "palio.db")
    serving.line_with("was deleted or moved while it was open")
    code, parts = asked(health)
    assert code == 503
    assert "was deleted or moved while it was open" in json.dumps(parts)
    (palio.folder / "moved.db").rename(palio.folder / "palio.db")
    serving.line_with("takes what is written again")
    assert asked(health)[0] == 200


def asked(url: str) -> tuple[int, object]:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
