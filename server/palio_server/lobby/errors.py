"""Why a bot is not let in, or cannot play now."""


class NotAvailable(ValueError):
    """Bots cannot play now; the message names them and says why."""


class LobbyError(ValueError):
    """A bot is not let in: `code` for programs, the message for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
