"""Who may do what: as a bot, by a token bound to its name; over HTTP, by a token with the right scope."""

from typing import Literal

from msgspec import UNSET

from palio_db.errors import Expired
from palio_db.store import Store
from palio_db.values import Grant, Withdrawn
from palio_rules.contract.messages import Hello
from palio_rules.contract.reserved import GUEST, HOUSE, is_guest, is_reserved
from palio_server.lobby.attempts import Attempts
from palio_server.lobby.guests import SIGNED_WITH, Guests
from palio_server.lobby.readers import Readers

Mode = Literal["open", "required"]

PLAY = "play"  # connect as a bot
WATCH = "watch"  # read, which every other scope includes
MATCHES = "matches"  # start and stop matches
ADMIN = "admin"  # everything


class AccessDenied(ValueError):
    """A request that is refused: `code` for programs, the message for people; `grant` of a token that is known."""

    def __init__(self, code: str, reason: str, grant: Grant | None = None) -> None:
        super().__init__(reason)
        self.code, self.grant = code, grant


class Access:
    """Decides by the tokens in `store`.

    In mode "open" nobody needs a token, but a wrong one is still refused: whoever gives one means it. Without a store
    there are no tokens, hence every one is wrong.
    """

    def __init__(
        self, store: Store | None, mode: Mode = "required", *, with_guests: bool = True, private: bool = False
    ) -> None:
        """`with_guests`: whether people without an account may play; `private`: whether reading needs a token."""
        self._store = store
        self.mode = mode
        self.attempts = Attempts()  # whoever asks us about a token does so within `attempts.of`
        self.with_guests = with_guests
        self.private = private
        self.readers = Readers()
        self.guests = Guests(None if store is None else lambda: store.secret(SIGNED_WITH))

    async def bot(self, hello: Hello) -> Grant | None:
        """Let the bot in under its name: what its token allows, if it has one. Raises AccessDenied."""
        token = None if hello.token is UNSET else hello.token
        if is_reserved(hello.name):
            await self._reserved(hello.name, token)
            return None
        remedy = f"ask for one (`palio bot add {hello.name}`) and give it in hello.token (`palio join --token`)"
        grant = await self._grant(token, PLAY, remedy)
        if grant is not None and grant.bot not in (None, hello.name):
            reason = f"this token belongs to the bot {grant.bot!r}, not to {hello.name!r}"
            raise AccessDenied("name-not-yours", reason, grant)
        return grant

    async def _reserved(self, name: str, token: str | None) -> None:
        """Names that the server itself gives, each with a token, are for nobody else, wherever."""
        if token is None or not await self.guests.proves(name, token):
            kept = f"names that begin with {GUEST} or {HOUSE} are given by the server, with a token"
            raise AccessDenied("name-reserved", f"{kept}, and this is not the token of {name!r}; choose another name")
        if is_guest(name) and not self.with_guests:
            raise AccessDenied("no-guests", "guests do not play on this server; ask for a token of your own")

    async def allow(self, token: str | None, scope: str) -> Grant | None:
        """The grant behind `token` if it has `scope`; None without a token in open mode. Raises AccessDenied."""
        return await self._grant(token, scope, f"give one of scope {scope!r} as `Authorization: Bearer TOKEN`")

    async def reader(self, token: str | None, session: str | None) -> int | None:
        """The number of the token by which somebody reads; None where everybody may. Raises AccessDenied.

        Whatever a token is for, it may read. `session` is a browser's, which it has got for its token.
        """
        if not self.private:
            return None
        number = None if session is None else self.readers.token_of(session)
        if number is None:
            remedy = "sign in on its page, or give a token as `Authorization: Bearer TOKEN`"
            grant = await self._grant(token, WATCH, f"to look at it, {remedy}")
            return None if grant is None else grant.id
        assert self._store is not None
        gone, _ = await self._store.withdrawn([number])
        if number in gone:
            code, sentence = withdrawal(gone[number])
            raise AccessDenied(code, f"{sentence}; sign in with another one")
        return number

    async def sign_in(self, token: str | None) -> str:
        """A session for a browser, whose WebSockets cannot send a token. Raises AccessDenied."""
        grant = await self._grant(token, WATCH, "give it as `Authorization: Bearer TOKEN`")
        if grant is None:
            raise AccessDenied("token-missing", "there is nothing to sign in with; give a token")
        return self.readers.session(grant.id)

    async def _grant(self, token: str | None, scope: str, remedy: str) -> Grant | None:
        if token is None:
            if self.mode == "open":
                return None
            raise AccessDenied("token-missing", f"this server wants a token; {remedy}")
        try:
            grant = None if self._store is None else await self._store.grant(token)
        except Expired as error:
            raise AccessDenied("token-expired", str(error)) from None
        if grant is None:
            raise AccessDenied("bad-token", "this token is unknown or has been revoked")
        if scope not in (WATCH, *grant.scopes) and ADMIN not in grant.scopes:
            its_own = " and ".join(sorted(grant.scopes))
            raise AccessDenied("wrong-scope", f"this token has no scope {scope!r}, it is for {its_own}", grant)
        return grant


def withdrawal(why: Withdrawn) -> tuple[str, str]:
    """A code and a sentence for a token that opens nothing any more."""
    whose = "the token" if why.bot is None else f"the token of {why.bot}"
    return ("token-expired", f"{whose} has expired") if why.expired else ("token-revoked", f"{whose} has been revoked")
