"""Functions of the lobby for the code that starts bots' programs: wait for a bot, and let it forfeit."""

import msgspec
from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.codec import encode
from palio_rules.contract.messages import ServerStopping
from palio_server.bus import Bus, Envelope
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.session import Expulsion


def forfeit(lobby: "Lobby", address: str, why: Expulsion) -> None:
    """Let a bot forfeit the matches of the program at this address; it may be gone already."""
    for session in [each for each in lobby.sessions() if each.own_address == address]:
        lobby.expel(session, why)


def addresses_in(lobby: "Lobby", match: str) -> list[str]:
    """Return the own addresses of the programs that play a match."""
    return [each.own_address for each in lobby.sessions() if match in each.matches and each.own_address]


async def joined(lobby: "Lobby", name: str) -> None:
    """Return once a bot of that name is connected."""
    while True:
        version = lobby.version
        if lobby.is_here(name):
            return
        await lobby.changed(version)


# The message of a server that stops: that it stops, and when it may be back.

SOON_S = 5.0  # seconds to wait before the next attempt if no time is known


def notice(back_in_s: float | None) -> ServerStopping:
    """Return the message; None: it is not known when the server will be back."""
    if back_in_s is None:
        return ServerStopping("the server stops; what is being played goes on when it is back")
    reason = f"the server stops, come back in {back_in_s:g} s; what is being played goes on then"
    return ServerStopping(reason, round(back_in_s * 1000))


def retry_after_s(said: ServerStopping) -> int:
    """Return the whole seconds to wait before the next attempt."""
    seconds = SOON_S if said.back_in_ms is UNSET else said.back_in_ms / 1000
    return max(1, round(seconds + 0.49))


def announce_stop(lobby: Lobby, bus: Bus, said: ServerStopping) -> None:
    """Close the lobby, and tell bots and viewers why: those here, and those on a broker."""
    lobby.stopping = said
    envelope = Envelope(encode(said), said)
    for session in lobby.sessions():
        if session.connected:
            session.link.post(topics.bot_in(session.name, topics.LOBBY), envelope)
    bus.publish(topics.STOPPING, msgspec.json.encode(said))
