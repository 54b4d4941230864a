"""The kernel knows when the last bytes came over TCP, before they are read."""

import socket
import sys
import time

import pytest

from palio_server.network.corked_socket import KERNEL_TICK_S, silence

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it")


@linux
def test_the_last_bytes_of_a_tcp_peer_are_never_said_to_be_younger_than_they_are() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as peer:
        peer.connect(listener.getsockname())
        end, _ = listener.accept()
        with end:
            peer.sendall(b"early")
            sent = time.monotonic()
            asked = time.monotonic()
            while (found := silence(end)) is not None and found < 5 * KERNEL_TICK_S:
                assert found >= asked - sent - 2 * KERNEL_TICK_S
                asked = time.monotonic()
            peer.sendall(b"late")
            sent, end_of_wait = time.monotonic(), time.monotonic() + 20
            while (found := silence(end)) is not None and found > 3 * KERNEL_TICK_S:
                assert time.monotonic() < end_of_wait, "the new bytes count"


def test_nobody_knows_it_of_a_unix_socket_or_of_none() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"x")
        assert silence(ours) is None
    assert silence(None) is None


@linux
def test_nobody_knows_it_of_a_socket_that_is_gone() -> None:
    gone = socket.socket()
    gone.close()
    assert silence(gone) is None
