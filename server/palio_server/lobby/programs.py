"""What whoever starts bots' programs asks of the lobby: whether they have come, and that they lose what they play."""

from typing import TYPE_CHECKING

from palio_server.lobby.expulsion import Expulsion

if TYPE_CHECKING:  # commands start their bots before anything of the server is loaded
    from palio_server.lobby.lobby import Lobby


def forfeit(lobby: "Lobby", address: str, why: Expulsion) -> None:
    """Let a bot forfeit what the program was playing that comes by this address; perhaps it is gone already."""
    for session in [each for each in lobby.sessions() if each.own_address == address]:
        lobby.expel(session, why)


async def joined(lobby: "Lobby", name: str) -> None:
    """Return once a bot of that name is connected."""
    while True:
        version = lobby.version
        if lobby.is_here(name):
            return
        await lobby.changed(version)
