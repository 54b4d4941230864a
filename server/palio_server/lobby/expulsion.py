"""Why a connected bot is shown the door, and forfeits what it plays."""

from dataclasses import dataclass

from palio_rules.contract import topics
from palio_rules.contract.codec import encode
from palio_rules.contract.endpoints import POLICY
from palio_rules.contract.messages import Refused, Termination
from palio_server.bus import Envelope
from palio_server.lobby.session import Session


@dataclass(frozen=True, slots=True)
class Expulsion:
    """What stands in the results of its matches."""

    termination: Termination
    reason: str  # a code: "token-revoked", "memory-used-up"
    detail: str  # a sentence for people, which the bot hears as well


def show_out(session: Session, why: Expulsion) -> None:
    """Close the connection of a bot that may play on nowhere."""
    if why.termination != "revoked":
        session.link.close(POLICY, why.detail)
        return
    refused = Refused(why.reason, why.detail)  # as to a hello: so a bot knows that it need not come again
    session.link.post(topics.bot_in(session.name, topics.LOBBY), Envelope(encode(refused), refused))
    session.link.close(POLICY, why.reason)
