import asyncio
import sys

from palio_server.console import event_loop


async def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_commands_run_on_uvloop_where_it_is_installed():
    import uvloop

    assert isinstance(event_loop.run(_loop()), uvloop.Loop)


def test_without_uvloop_they_run_on_asyncios_own_loop(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvloop", None)
    monkeypatch.setattr(event_loop, "find_spec", lambda _: None)
    assert isinstance(event_loop.run(_loop()), asyncio.BaseEventLoop)
