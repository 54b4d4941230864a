"""Names that a server keeps for itself: of guests, who are people in a browser, and of its own bots."""

GUEST, HOUSE = "guest-", "house-"


def is_guest(name: str) -> bool:
    """Whether this is the name of a guest, in whatever case."""
    return name.lower().startswith(GUEST)


def is_house(name: str) -> bool:
    """Whether this is the name of one of the server's own bots, in whatever case."""
    return name.lower().startswith(HOUSE)


def is_reserved(name: str) -> bool:
    """Whether only the server gives this name."""
    return is_guest(name) or is_house(name)
