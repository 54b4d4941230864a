"""Typical actions of programs in Python: processes, threads, numpy, numba's threads, files, sockets, children."""

import asyncio
import multiprocessing
import shutil
import sqlite3
import subprocess
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor

import numba
import numpy as np


@numba.njit(parallel=True)
def total(numbers):
    found = 0
    for at in numba.prange(len(numbers)):
        found += numbers[at]
    return found


async def link(path):
    async def greet(_reader, writer):
        writer.write(b"hi")
        writer.close()

    server = await asyncio.start_unix_server(greet, path)
    reader, _writer = await asyncio.open_unix_connection(path)
    assert await reader.read() == b"hi"
    server.close()


if __name__ == "__main__":
    assert total(np.ones(1000)) == 1000
    assert (np.ones((300, 300)) @ np.ones((300, 300))).sum() == 300**3
    for method in ("fork", "spawn", "forkserver"):
        with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
            assert list(pool.map(abs, [-1, 2])) == [1, 2]
    with multiprocessing.Manager() as manager:
        assert manager.list([1])[0] == 1
    thread = threading.Thread(target=tempfile.TemporaryDirectory)
    thread.start()
    thread.join()
    shutil.copy2(__file__, "copy")
    assert sqlite3.connect(":memory:").execute("select 1").fetchone() == (1,)
    asyncio.run(link("/tmp/link"))
    subprocess.run(["/bin/echo", "played child"], check=True)
