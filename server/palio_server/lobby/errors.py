"""Why a bot is not let in, or cannot play now."""

from palio_rules.contract.messages import SERVER_STOPPING, ServerStopping


class NotAvailable(ValueError):
    """Bots cannot play now; the message names them and says why."""


class LobbyError(ValueError):
    """A bot is not let in: `code` for programs, the message for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class ServerStops(LobbyError):
    """Nobody is let in any more; `notice` says when to come back."""

    def __init__(self, notice: ServerStopping) -> None:
        super().__init__(SERVER_STOPPING, notice.reason)
        self.notice = notice
