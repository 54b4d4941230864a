"""Every line that is logged in this process is one JSON object, and contains no secret."""

import asyncio
import json
import logging
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.log_lines import JsonFormatter, about

EVERYBODY = """
import asyncio, gc, logging, threading, warnings
from palio_server.log_lines import log_json

log_json()
logging.getLogger("uvicorn.error").error("Traceback\\nover two lines")
logging.getLogger("alembic.runtime.migration").warning("Running upgrade")
warnings.warn("old ways", DeprecationWarning, stacklevel=1)

async def main():
    asyncio.get_running_loop().create_future().set_exception(ValueError("nobody retrieved me"))

asyncio.run(main())
gc.collect()
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
raise OSError("GET /ws/bot?token=abcdefgh failed")
"""


def line(record):
    text = JsonFormatter().format(record)
    assert "\n" not in text
    return json.loads(text)


def record(message, *args, exc_info=None, **extra):
    made = logging.LogRecord("palio_server.x", logging.WARNING, "x.py", 1, message, args, exc_info)
    vars(made).update(extra)
    return made


@given(st.text(), st.text())
def test_any_words_stay_on_one_line_and_are_read_back(words, bot):
    found = line(record("%s", words, bot=bot))
    if "?" not in words + bot and "oken" not in words + bot and "ear" not in words + bot and "key" not in words + bot:
        assert (found["message"], found["bot"]) == (words, bot)


def test_a_line_says_when_how_bad_who_and_about_what():
    made = record("seat %d is refused", 1, match="m1", bot="ann", code="illegal")
    made.created = datetime(2026, 11, 24, 12, 30, 15, 250_000, tzinfo=UTC).timestamp()
    assert line(made) == {
        "time": "2026-11-24T12:30:15.250Z",
        "level": "warning",
        "logger": "palio_server.x",
        "message": "seat 1 is refused",
        "match": "m1",
        "bot": "ann",
        "code": "illegal",
    }


async def test_what_a_task_is_about_is_in_its_lines_and_in_nobody_elses():
    async def play(match):
        about(match=match, event="")
        await asyncio.sleep(0)
        return line(record("aborted"))

    one, two = await asyncio.gather(play("m1"), play("m2"))
    assert (one["match"], two["match"]) == ("m1", "m2")
    assert "event" not in one
    assert "match" not in line(record("a line of nobody"))


@pytest.mark.parametrize("words", ["GET /x?token=abcdefgh", "authorization: bearer abcdefgh", "token=abcdefgh"])
def test_a_secret_is_in_no_part_of_a_line(words):
    try:
        raise ValueError(words)  # noqa: TRY301  # a traceback needs one
    except ValueError:
        made = record(words, exc_info=sys.exc_info(), peer=words)
    made.stack_info = words
    assert "abcdefgh" not in JsonFormatter().format(made)


def test_a_line_that_cannot_be_formatted_is_not_lost():
    assert "wrong %d" in line(record("wrong %d", "x"))["message"]


def test_libraries_warnings_threads_and_the_last_words_are_lines_like_ours():
    done = subprocess.run([sys.executable, "-c", EVERYBODY], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    found = [json.loads(each) for each in done.stderr.splitlines()]
    assert {each["logger"] for each in found} == {
        "uvicorn.error", "alembic.runtime.migration", "py.warnings", "asyncio", "palio",
    }  # fmt: skip
    assert all(datetime.fromisoformat(each["time"]).tzinfo for each in found)
    of_thread, last = (each for each in found if each["logger"] == "palio")
    assert "ZeroDivisionError" in of_thread["exception"]
    assert "OSError" in last["exception"]
    assert "abcdefgh" not in done.stderr
