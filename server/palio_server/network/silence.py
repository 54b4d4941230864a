"""How long ago the last bytes of a peer reached this machine, read or not: Linux knows that of a TCP connection."""

import socket
import sys
from typing import Any

SINCE_DATA = slice(52, 56)  # tcpi_last_data_recv in struct tcp_info of linux/tcp.h: milliseconds
TICK_S = 0.010  # the longest tick of a kernel that counts by ticks: so much more may have passed


def silence(end: Any) -> float | None:
    """In seconds, rather too long than too short; None where nobody knows, as of a Unix socket. `end` is a socket."""
    if sys.platform != "linux" or end is None or end.family not in (socket.AF_INET, socket.AF_INET6):
        return None
    try:
        info = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, SINCE_DATA.stop)
    except OSError:  # it is gone
        return None
    return int.from_bytes(info[SINCE_DATA], sys.byteorder) / 1000 + TICK_S
