"""The order in which servers are tried, and when that ends, on a virtual clock."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server import live
from palio_server.cli import live_stream
from palio_server.cli.command import CommandFailed
from palio_server.cli.live_stream import Away, LiveStream

URLS = ["http://a:1", "http://b:2", "http://c:3"]
MESSAGE = live.Viewers("m", 1)


class Clock:
    """A clock that advances while a caller sleeps, and while a server is listened to."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    async def sleep(self, seconds):
        assert seconds >= 0
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(live_stream, "time", found)
    monkeypatch.setattr(live_stream.asyncio, "sleep", found.sleep)
    return found


def scripted(monkeypatch, clock, script: Iterator[tuple[int, bool]]) -> list[str]:
    """Servers that send so many messages, a second each, and are away then; who was asked."""
    asked: list[str] = []

    async def messages(url, _path):
        asked.append(url)
        count, answered = next(script)
        for _ in range(count):
            clock.now += 1.0
            yield MESSAGE
        clock.now += 0.01
        raise Away("away", answered=answered)

    monkeypatch.setattr(live_stream, "_messages", messages)
    return asked


async def drain(stream, clock: Clock, heard: list[float]) -> None:
    """Listen to the end; when each message came."""
    async for _ in stream:
        heard.append(clock.now)  # noqa: PERF401  # what came before it failed counts, too


async def test_after_a_loss_each_is_asked_in_turn_until_the_wait_is_over(monkeypatch, clock):
    script = iter([(3, True), *[(0, False)] * 1000])
    asked, said = scripted(monkeypatch, clock, script), list[str]()
    stream, heard = LiveStream(URLS, 30, said.append).follow("/x"), list[float]()
    with pytest.raises(CommandFailed, match="no server has answered for 30 s; at last: away"):
        await drain(stream, clock, heard)
    assert len(heard) == 3
    assert asked == (URLS * 1000)[: len(asked)]
    assert said == ["away; looking for another server again"]
    assert 33 <= clock.now < 34
    assert len(asked) < 3 * 30  # with longer and longer pauses


async def test_a_match_that_was_quiet_for_long_is_looked_for_as_long_as_another(monkeypatch, clock):
    async def messages(_url, _path):
        yield MESSAGE
        clock.now += 500.0
        if clock.now < 600:
            raise Away("away", answered=True)
        yield MESSAGE

    monkeypatch.setattr(live_stream, "_messages", messages)
    stream = LiveStream(URLS[:1], 5, lambda _: None).follow("/x")
    assert [await anext(stream) for _ in range(3)] == [MESSAGE] * 3
    await stream.aclose()


async def test_a_stream_that_ends_without_a_reason_is_a_loss_of_that_server(monkeypatch, clock):
    asked, said = [], []

    async def messages(url, _path):
        asked.append(url)
        clock.now += 1.0
        if len(asked) == 2:
            yield MESSAGE

    monkeypatch.setattr(live_stream, "_messages", messages)
    stream = LiveStream(URLS[:2], 30, said.append).follow("/x")
    assert await anext(stream) == MESSAGE
    await stream.aclose()
    assert asked == URLS[:2]
    assert said == ["the server at http://a:1 has ended the stream; looking for another server again"]


@given(script=st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=30), wait=st.integers(0, 40))
def test_it_never_gives_up_before_the_wait_and_says_no_more_than_once_a_loss(script, wait):
    with pytest.MonkeyPatch.context() as monkeypatch:
        clock, said = Clock(), list[str]()
        monkeypatch.setattr(live_stream, "time", clock)
        monkeypatch.setattr(live_stream.asyncio, "sleep", clock.sleep)
        asked = scripted(monkeypatch, clock, iter([*script, *[(0, False)] * 10_000]))
        stream, heard = LiveStream(URLS, wait, said.append).follow("/x"), [0.0]
        with pytest.raises(CommandFailed) as failed:
            drain(stream, clock, heard).send(None)  # nothing in it waits
        losses = sum(count > 0 for count, _ in script[: len(asked)])
        assert len(said) <= losses + 1
        if "no server has answered" in str(failed.value):
            assert clock.now - heard[-1] >= wait
        else:
            assert losses == 0
            assert asked == URLS[: len(asked)]
