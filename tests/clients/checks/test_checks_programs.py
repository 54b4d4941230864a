"""Programs on stdin and stdout: what the protocol lets them leave out is no fault, and what spoils stdout is named."""

import asyncio
import re
import sys
from pathlib import Path

import pytest

from palio_clients.checks import check_bot
from palio_clients.checks.subject import CheckTimes, JoinedSubject, Subject

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "protocol.md"
BESIDE = "plays beside the server"
AGAIN, STDOUT = "answers again when a move is rejected", "writes nothing but messages to stdout"


def smallest_bot() -> str:
    """The program on the page of the protocol."""
    return re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]


class OwnProgram(Subject):
    """A program that connects by itself, as with --listen, at an address that is written in it."""

    process = None

    def __init__(self, file, text, address):
        self.file, self.text, self.address = file, text, address

    async def start(self, url):
        if self.process is None:
            assert self.address in self.text
            self.file.write_text(self.text.replace(self.address, url))
            self.process = await asyncio.create_subprocess_exec(sys.executable, str(self.file))

    async def stop(self):
        assert self.process.returncode is None
        self.process.kill()
        await self.process.wait()


async def check(folder, text, **limits):
    program = folder / "program.py"
    program.write_text(text)
    subject = JoinedSubject(f"exec:{sys.executable} {program}", ("dominoes",), "program", is_program=True)
    patience = CheckTimes(**{"move": 30, "resend": 0.3, "quiet": 0.1, "leave": 30, "margin_ms": 2000} | limits)
    return {each.check: each async for each in check_bot(subject, patience=patience)}


@pytest.mark.slow
async def test_the_smallest_bot_of_the_page_passes_every_check(tmp_path):
    found = await check(tmp_path, smallest_bot())
    assert {each.verdict for each in found.values()} == {"ok"}
    assert found[AGAIN].detail == "ignores it; that will do as long as every move is one of `turn.moves`"


@pytest.mark.slow
async def test_the_bot_of_the_page_for_a_websocket_plays_and_comes_back(tmp_path):
    _, text = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    text = text.replace("breakthrough", "dominoes")
    subject = OwnProgram(tmp_path / "mine.py", text, "ws://127.0.0.1:8000/ws/bot")
    patience = CheckTimes(resend=0.3, quiet=0.1, margin_ms=2000)
    try:
        found = {each.check: each async for each in check_bot(subject, patience=patience)}
    finally:
        await subject.stop()
    assert {name: str(each) for name, each in found.items() if each.verdict != "ok"} == {}
    assert "resumes after a cut" in found


@pytest.mark.slow
async def test_what_a_program_prints_for_people_on_stdout_is_named(tmp_path):
    chatty = smallest_bot().replace(
        "    answer =", '    print("debug: got", message["type"], flush=True)\n    answer ='
    )
    found = await check(tmp_path, chatty)
    assert [name for name, each in found.items() if each.verdict != "ok"] == [STDOUT]
    assert "wrote 'debug: got game', which is no message" in found[STDOUT].detail
    assert re.search(r"and \d+ more such lines", found[STDOUT].detail)
    assert found[STDOUT].remedy == "write what is for people to stderr: stdout is for messages, one a line"


@pytest.mark.slow
async def test_lines_that_say_nothing_and_other_line_ends_are_as_good_for_the_check_as_for_the_network(tmp_path):
    spaced = smallest_bot().replace(
        "    answer =", '    print("\\n \\t\\r\\n" * 20, end="\\r\\n", flush=True)\n    answer ='
    )
    assert "\\r" in spaced
    found = await check(tmp_path, spaced)
    assert {each.verdict for each in found.values()} == {"ok"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere programs play by pipes")
async def test_who_takes_whatever_it_reads_for_whole_lines_is_found_out_beside_the_server(tmp_path):
    reading = "(line for data in iter(lambda: os.read(0, 2**20), b'') for line in data.splitlines())"
    found = await check(tmp_path, "import os\n" + smallest_bot().replace("sys.stdin", reading))
    assert [name for name, each in found.items() if each.verdict != "ok"] == [BESIDE]
    assert found[BESIDE].detail.startswith("started by `palio run`, with a socket for stdin and stdout")
    assert "read stdin by lines" in found[BESIDE].remedy


@pytest.mark.slow
async def test_on_stderr_it_may_say_whatever_it_likes(tmp_path):
    found = await check(
        tmp_path, smallest_bot().replace("    answer =", '    print("hm", file=sys.stderr)\n    answer =')
    )
    assert found[STDOUT].verdict == "ok"


@pytest.mark.slow
async def test_an_answer_that_shares_its_line_with_something_else_is_shown(tmp_path):
    glued = smallest_bot().replace(
        '        print(json.dumps(answer | {"type": "move"',
        '        print("hm ", end="")\n        print(json.dumps(answer | {"type": "move"',
    )
    found = await check(tmp_path, glued, move=1)
    failed = found["answers a turn"]
    assert failed.verdict == "FAIL"
    assert re.search("""no move within 1 s\nbut .* wrote 'hm {"match": .*, which is no message""", failed.detail)
    assert "flushes it" in failed.remedy


async def test_who_does_not_flush_is_reminded_of_it(tmp_path):
    buffered = 'import sys\nsys.stdout = open(1, "w", buffering=65536)\n'  # whatever PYTHONUNBUFFERED says
    found = await check(tmp_path, buffered + smallest_bot().replace(", flush=True", ""), ready=0.5)
    assert found["gets ready"].detail.startswith("no ready within 0.5 s")
    assert "flushes it" in found["gets ready"].remedy
