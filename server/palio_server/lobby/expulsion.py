"""Why a connected bot is shown the door, and forfeits what it plays."""

from dataclasses import dataclass

from palio_rules.contract.messages import Termination


@dataclass(frozen=True, slots=True)
class Expulsion:
    """What stands in the results of its matches."""

    termination: Termination
    reason: str  # a code: "token-revoked", "memory-used-up"
    detail: str  # a sentence for people, which the bot hears as well
