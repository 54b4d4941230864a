"""One name is one program: a program that plays under a name that the database knows of another one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from palio_db.errors import StoreError

if TYPE_CHECKING:
    from palio_db.store import Store
    from palio_server.lobby.lobby import Lobby

SHOWN = 3  # names in the sentence


async def known_programs(store: "Store", names: list[str]) -> dict[str, str]:
    """Return the program that played last under each of these names, as far as the database knows."""
    try:
        profiles = await store.profiles(names)
    except StoreError:  # without it nothing is said
        return {}
    return {name: _without_version(profile.builds[-1].build) for name, profile in profiles.items() if profile.builds}


def other_programs(known: Mapping[str, str], lobby: "Lobby") -> str:
    """Return the sentence about names under which another program is here now; "" if there is none."""
    here = {name: {_without_version(build) for build in lobby.builds(name)} for name in known}
    others = [name for name, builds in here.items() if builds and known[name] not in builds]
    if not others:
        return ""
    shown = ", ".join(f"{name} ({known[name]})" for name in others[:SHOWN])
    more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
    was = "was another program" if len(others) == 1 else "were other programs"
    return (
        f"{shown}{more} {was} in this database, and all results under a name count together; to keep them apart, "
        "give it a name of its own: NAME=SPEC"
    )


def _without_version(build: str) -> str:
    """Return the build without Palio's version: a new one makes no other bot."""
    return build.rpartition(", palio")[0] or build
