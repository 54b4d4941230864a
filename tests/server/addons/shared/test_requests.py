"""A question is answered once, or not in time; long answers come in parts."""

import asyncio

import msgspec
import pytest

from palio_server.addons.shared import messages
from palio_server.addons.shared.requests import PART, Declined, NoAnswer, Requests

pytestmark = pytest.mark.virtual_clock


def two(loses=lambda _word: False):
    """Two processes that hear each other, but for what gets lost."""
    sides: dict[str, Requests] = {}

    def sender(own):
        def send(to, word):
            data = messages.write(word)
            assert len(data) < 64_000
            if not loses(word):
                asyncio.get_running_loop().call_soon(lambda: sides[to].hear(own, messages.read_message(data)))

        return send

    for own in ("a", "b"):
        sides[own] = Requests(sender(own))
    return sides["a"], sides["b"]


async def test_an_answer_has_any_length():
    asking, serving = two()

    async def twice(about):
        return {"said": about * 2}

    serving.serve("twice", twice)
    assert await asking.ask("b", "twice", "ab") == {"said": "abab"}
    long = 'é"\\' * PART
    assert await asking.ask("b", "twice", long[:3000]) == {"said": long[:3000] * 2}

    async def much(_about):
        return long

    serving.serve("much", much)
    assert await asking.ask("b", "much") == long


async def test_what_is_refused_there_is_known_here():
    asking, serving = two()

    async def refuse(_about):
        raise LookupError("there is none")

    serving.serve("find", refuse)
    with pytest.raises(Declined, match="there is none") as caught:
        await asking.ask("b", "find")
    assert caught.value.kind == "LookupError"
    with pytest.raises(Declined, match="knows no 'dance'"):
        await asking.ask("b", "dance")


async def test_no_answer_is_not_waited_for():
    asking, _ = two(loses=lambda word: isinstance(word, messages.Answer))
    with pytest.raises(NoAnswer, match="does not answer"):
        await asking.ask("b", "anything", seconds=1)
    waiting = asyncio.create_task(asking.ask("b", "anything", seconds=100))
    await asyncio.sleep(0)
    asking.lost("b")
    with pytest.raises(NoAnswer, match="is gone"):
        await waiting


async def test_an_answer_that_comes_too_late_is_nobodys():
    asking, _ = two()
    asking.hear("b", messages.Answer(7, msgspec.json.encode("x").decode()))
