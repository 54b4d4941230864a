"""How long a table is kept for those who do not come. Pure: the time is handed in."""

from collections.abc import Mapping

from palio_server.arena.table import Table

HELLO_S = 120.0  # in which whoever has opened a table must say hello
FRIEND_S = 30 * 60.0  # in which a friend must come
KEPT_S = 10 * 60.0  # from the end of its match: for another game


def in_vain(table: Table, now: float, *, stays: bool, failed: Mapping[str, str]) -> str:
    """Why the table is to be closed; "" if it is not.

    `stays`: whether one of its people is still connected; `failed`: the server's own bots that cannot be had, and why.
    """
    if table.over_at is not None:
        over_s = now - table.over_at
        return "nobody has asked for another game" if over_s >= (KEPT_S if stays else HELLO_S) else ""
    if table.began:
        return ""
    for name in table.house if table.waits else ():
        if name in failed:
            return failed[name]
    waited = now - table.opened_at
    if table.invites:
        return "no friend has come" if waited >= FRIEND_S else ""
    return "somebody who was waited for has not come" if waited >= HELLO_S else ""
