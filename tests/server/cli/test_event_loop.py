"""A command runs on the fastest available loop, until its work is done or a signal ends it."""

import asyncio
import os
import signal
import sys

from palio_server.cli import event_loop


async def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_commands_run_on_uvloop_where_it_is_installed():
    import uvloop

    assert isinstance(event_loop.run(_loop()), uvloop.Loop)


def test_without_uvloop_they_run_on_asyncios_own_loop(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvloop", None)
    monkeypatch.setattr(event_loop, "find_spec", lambda _: None)
    assert isinstance(event_loop.run(_loop()), asyncio.BaseEventLoop)


async def test_the_first_signal_sets_the_event_and_ends_nothing():
    with event_loop.stop_signals() as stop:
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(30):
            assert not await event_loop.until(asyncio.Event().wait(), stop)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


async def test_the_second_signal_ends_at_once_after_the_last_words(monkeypatch):
    told = asyncio.Queue()
    monkeypatch.setattr(event_loop, "end_at_once", told.put_nowait)
    with event_loop.stop_signals(lambda: told.put_nowait("last words")):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.05)
        async with asyncio.timeout(30):
            assert [await told.get(), await told.get()] == ["last words", 130]
    assert told.empty()


async def test_work_that_is_done_first_is_done():
    assert await event_loop.until(asyncio.sleep(0), asyncio.Event())
