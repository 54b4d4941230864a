"""Where a server listens, all on one port: the paths of its WebSockets and of its HTTP API.

And why a WebSocket was closed: the codes of RFC 6455, section 7.4, that Palio uses, and its own from 4000 on.
"""

BOT = "/ws/bot"  # bots say hello here
LIVE = "/ws/live"  # viewers follow the lobby here, and a match at `/ws/live/<match>`
API = "/api"

NORMAL = 1000
PROTOCOL = 1002  # a frame that RFC 6455 forbids
NO_TEXT = 1007  # a text that is no UTF-8
POLICY = 1008  # a limit was broken, or the peer may not be here
TOO_LONG = 1009  # a message is longer than the limit
FAILED = 1011  # the fault is the server's
RESTART = 1012  # the server ends
LATER = 1013  # too many connections; try again later
REPLACED = 4000  # another connection has taken this bot's session over
UNKNOWN = 4404  # there is no such match to follow


def live(match: str) -> str:
    """Where viewers follow `match`."""
    return f"{LIVE}/{match}"
