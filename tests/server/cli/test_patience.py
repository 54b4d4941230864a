"""A server that wants to be asked more slowly is; one that wants too much patience is not waited for."""

import pytest

from palio_server.cli import kept_sources
from palio_server.cli.command import CommandFailed
from palio_server.cli.kept_sources import PatientRemote
from palio_server.cli.source import Busy


class Refusing:
    """Refuses each question for now, so often and with these waits, before it answers."""

    url = "http://there"

    def __init__(self, *waits):
        self._waits = list(waits)

    async def get(self, path, **query):
        if self._waits:
            raise Busy("too many questions", self._waits.pop(0))
        return f"{path} {query}".encode()


@pytest.fixture
def asked():
    """Asks, without waiting; the answer and the waits."""

    async def ask(*waits):
        slept = []

        async def sleep(seconds):
            slept.append(seconds)

        return await PatientRemote(Refusing(*waits), sleep).get("matches", limit=3), slept

    return ask


async def test_it_waits_as_long_as_it_was_told_and_longer_where_it_was_not(asked, capsys):
    answer, slept = await asked(5.0, 5.0, None, None)
    assert answer == b"matches {'limit': 3}"
    assert [low <= wait <= high for wait, low, high in zip(
        slept, (5.5, 6.0, 2.0, 4.0), (6.0, 7.0, 4.0, 8.0), strict=True
    )] == [True] * 4  # fmt: skip
    told = capsys.readouterr().err
    assert told == "palio: http://there wants to be asked more slowly, and is: too many questions\n"


async def test_an_answer_at_once_needs_no_patience(asked, capsys):
    assert (await asked())[1] == []
    assert capsys.readouterr().err == ""


async def test_what_is_beyond_reason_is_given_up_with_the_time(asked):
    with pytest.raises(CommandFailed, match=r"^too many questions; the server wants to be asked again in 3600 s$"):
        await asked(3600.0)
    with pytest.raises(CommandFailed, match=r"^too many questions; it has not answered for 10 minutes$"):
        await asked(*[kept_sources.LONGEST_S] * 6)
