"""A bot's message that has been read on its way, for those who would otherwise read it once more."""

from palio_rules.messages import BotMessage


class Parcel(bytes):
    """MessagePack as on any bus, with the message that it was found to be; a broker sees the bytes only."""

    message: BotMessage

    @classmethod
    def of(cls, data: bytes, message: BotMessage) -> "Parcel":
        """Wrap `data`, which the caller has decoded."""
        parcel = cls(data)
        parcel.message = message
        return parcel
