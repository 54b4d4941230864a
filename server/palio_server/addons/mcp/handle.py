"""The text by which another session, or the server after a restart, knows a model's player again.

It says no more than a bot's hello does, and opens no more: a name that is bound to a token still needs the token.
"""

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from typing import Annotated

import msgspec
from msgspec import Meta

from palio_rules.contract.messages import Hello, Key, Name
from palio_rules.errors import BadOption, quoted

LONGEST = 4096  # characters

_encoder = msgspec.json.Encoder()


class Handle(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A player's name, games and slots; the token of a guest; a secret by which others are not mistaken for it."""

    name: Name
    games: Annotated[list[Key], Meta(min_length=1, max_length=64)]
    slots: Annotated[int, Meta(ge=1, le=256)] = 1
    guest_token: Annotated[str, Meta(max_length=128)] = ""
    table: Annotated[str, Meta(max_length=64)] = ""
    secret: Annotated[str, Meta(max_length=64)] = ""

    @classmethod
    def of(cls, name: str, games: list[str], slots: int = 1, guest_token: str = "", table: str = "") -> "Handle":
        """A new one, with a secret of its own."""
        return cls(name, games, slots, guest_token, table, secrets.token_urlsafe(12))

    @classmethod
    def read(cls, text: str) -> "Handle":
        """Read a handle that `str` wrote. Raises BadOption."""
        try:
            padded = text[:LONGEST] + "=" * (-len(text) % 4)
            return _decoder.decode(urlsafe_b64decode(padded.encode("ascii")))
        except (ValueError, Error, msgspec.MsgspecError):
            remedy = "give what `join` returned as `player`, or call join"
            raise BadOption(f"player {quoted(text[:80])} is none of this server; {remedy}") from None

    def __str__(self) -> str:
        return urlsafe_b64encode(_encoder.encode(self)).decode().rstrip("=")

    def hello(self, token: str | None, resume: str = "") -> Hello:
        """Return the hello for the lobby; a guest has a token of its own."""
        told = self.guest_token or token
        return Hello(
            self.name,
            self.games,
            token=told or msgspec.UNSET,
            resume=resume or msgspec.UNSET,
            slots=self.slots if self.slots > 1 else msgspec.UNSET,
            build="model context protocol",
        )


_decoder = msgspec.json.Decoder(Handle)
