"""A served course answers at once while files that freeze their readers are handed in, checked and compared."""

import csv
import gzip
import io
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from command import Palio

COURSE = 'title = "AI"\ntime_zone = "UTC"\nstaff = ["carla"]\n'
ASSIGNMENT = """
title = "Dominoes"
game = "dominoes"
handout = "dominoes"
files = ["bot.py"]
opens = 2020-02-01T09:00:00
due = 2090-02-15T23:59:00
[[tests]]
file = "tests/test_it.py"
"""
TEST = "import pytest\n\n@pytest.mark.points(1)\ndef test_it():\n    import bot\n"
DEPTH = 40  # each level doubles the time to compile it
FINALLY = [line for at in range(DEPTH) for line in (" " * at + "try: a", " " * at + "finally:")]
NESTED = "\n".join([*FINALLY, " " * DEPTH + "a"]).encode()
HOSTILE = {
    "1": NESTED,
    "2": b"'\\" * 100_000,
    "3": b"f'{" * 100_000,
    "4": b"(" * 200_000,
    "5": gzip.compress(bytes(200_000_000)),
}
SLOW_S = 3.0  # far less than any of these takes in the server's own process, and enough for a busy machine


@contextmanager
def slowest_answer(url: str) -> Iterator[list[float]]:
    """Ask for its health again and again meanwhile; yield a list that gets the longest time."""
    slowest, over = [0.0], threading.Event()

    def ask() -> None:
        while not over.wait(0.05):
            began = time.monotonic()
            with urlopen(f"{url}/api/health/live") as answer:
                answer.read()
            slowest[0] = max(slowest[0], time.monotonic() - began)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield slowest
    finally:
        over.set()
        asking.join()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_files_that_freeze_their_readers_freeze_no_server(palio: Palio, bubblewrap: str):
    home = palio.folder / "ai" / "assignments" / "dominoes"
    (home / "tests").mkdir(parents=True)
    (palio.folder / "ai" / "course.toml").write_text(COURSE)
    (home / "assignment.toml").write_text(ASSIGNMENT)
    (home / "tests" / "test_it.py").write_text(TEST)
    (palio.folder / "roster.csv").write_text("name,id\n" + "".join(f"Student {n},{n}\n" for n in range(6)))
    palio("course", "roster", "ai", "roster.csv")
    lines = csv.DictReader(io.StringIO(palio("course", "links", "ai").stdout))
    tokens = {line["id"]: line["link"].partition("#")[2] for line in lines}
    staff = palio("bot", "add", "carla").stdout.split()[-1]
    server = palio.start("serve", "--port", "0", "--course", "ai")
    url = re.search(r"http://[\d.:]+", server.line_with("serves on"))[0]

    def ask(path: str, token: str, body: bytes | None = None) -> dict:
        head = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"}
        try:
            with urlopen(Request(f"{url}/api/courses/ai{path}", body, head)) as answer:
                return json.load(answer)
        except HTTPError as error:
            return {"refused": json.load(error)["error"]}

    def status(student: str) -> dict:
        return ask("", tokens[student])["assignments"][0]

    with slowest_answer(url) as slowest:
        hand_in = "/assignments/dominoes/submissions?name=bot.py"
        for student, data in {**HOSTILE, "0": b"def move():\n    return 1\n"}.items():
            ask(hand_in, tokens[student], data)
        deadline = time.monotonic() + 400
        while any(status(each)["status"] in ("waiting", "checking") for each in tokens):
            assert time.monotonic() < deadline
            time.sleep(0.5)
        alike = ask("/assignments/dominoes/similar", staff)
    assert 0 < slowest[0] < SLOW_S
    assert alike["submissions"] == 5
    assert (status("0")["status"], status("0")["points"]) == ("checked", 1.0)
    assert status("1")["status"] == "broken"
    feedback = ask(f"/submissions/{status('1')['submission']}", tokens["1"])
    assert feedback["broken"].startswith("bot.py "), feedback["broken"]
    assert status("5")["submissions"] == 0
