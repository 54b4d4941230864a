"""Errors that Dask leaves in its own tasks: a sentence in the log. Those of other tasks keep their traceback."""

import asyncio
import gc
import logging

from distributed.comm import connect
from distributed.core import Server

from palio_server.addons.cluster.connecting import log_in_a_sentence


async def left_alone(coroutine):
    """Let a task fail that nothing awaits, until its error has been reported."""
    task = asyncio.ensure_future(coroutine)
    await asyncio.wait([task])
    del task
    gc.collect()


async def fails(address):
    await connect(address, timeout=0.2)


async def no_listener():
    """Return an address at which nothing listens."""
    server = Server({})
    await server.listen("tcp://127.0.0.1:0")
    address = server.address
    await server.close()
    return address


async def test_a_connection_that_dask_has_lost_is_a_sentence(caplog):
    asyncio.get_running_loop().set_exception_handler(log_in_a_sentence)
    address = await no_listener()
    await left_alone(connect(address, timeout=0.2))
    [line] = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert line.name == "palio_server.addons.cluster.connecting"
    assert line.exc_info is None
    assert line.message.startswith("a connection within the cluster broke (Timed out trying to connect to tcp://")
    assert line.message.endswith("); games that it had are played again")


async def test_an_error_of_a_task_that_is_not_of_dask_keeps_its_traceback(caplog):
    asyncio.get_running_loop().set_exception_handler(log_in_a_sentence)
    await left_alone(fails(await no_listener()))
    [line] = [record for record in caplog.records if record.name == "asyncio"]
    assert line.exc_info is not None
