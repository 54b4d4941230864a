"""The connections of a process as others know them: numbered changes, and the whole for whoever has missed one. Pure.

Ten thousand bots come and go too often for a retained message each, and a list of all of them is too large for one.
"""

from collections.abc import Iterable, Iterator

from palio_server.nodes.words import Card, Changes, Whole

PART = 100  # cards in one message: some 25 KB, where brokers take 64


class OwnBook:
    """What we tell of our own connections."""

    def __init__(self) -> None:
        self.seq = 0
        self.cards: dict[int, Card] = {}
        self._by_name: dict[str, set[int]] = {}

    def keys_of(self, name: str) -> set[int]:
        """The connections of a bot that we have told of."""
        return self._by_name.get(name, set())

    def changes(self, now: Iterable[Card], gone: Iterable[int]) -> Iterator[Changes]:
        """What is to be told, if these cards are as they are `now`, and those are `gone`."""
        new = [card for card in now if self.cards.get(card.key) != card]
        lost = [key for key in dict.fromkeys(gone) if key in self.cards]
        for card in new:
            self.cards[card.key] = card
            self._by_name.setdefault(card.name, set()).add(card.key)
        for key in lost:
            name = self.cards.pop(key).name
            self._by_name[name].discard(key)
            if not self._by_name[name]:
                del self._by_name[name]
        while new or lost:
            self.seq += 1
            yield Changes(self.seq, new[:PART], lost)
            new, lost = new[PART:], []

    def whole(self) -> Iterator[Whole]:
        """All of them, for one who asks."""
        cards = list(self.cards.values())
        parts = max(1, -(-len(cards) // PART))
        for part in range(parts):
            yield Whole(self.seq, part + 1, parts, cards[part * PART : (part + 1) * PART])


class OtherBook:
    """What we know of another process's connections. After a gap, `complete` is false until the whole has come."""

    def __init__(self) -> None:
        self.cards: dict[int, Card] = {}
        self.seq = 0
        self.complete = False
        self._parts: dict[int, Whole] = {}

    def hear(self, changes: Changes) -> tuple[list[Card], list[Card]]:
        """New or changed cards, and those that are gone. After a gap, nothing is taken in before the whole has come."""
        if changes.seq <= self.seq and self.complete:
            return [], []  # older than the whole that we have asked for
        if changes.seq != self.seq + 1 or not self.complete:
            self.complete = False
            return [], []
        self.seq = changes.seq
        gone = [self.cards.pop(key) for key in changes.gone if key in self.cards]
        self.cards.update((card.key, card) for card in changes.cards)
        return list(changes.cards), gone

    def behind(self, seq: int) -> bool:
        """Whether something is missing, if the process has told of so many changes."""
        self.complete = self.complete and self.seq >= seq
        return not self.complete

    def take(self, whole: Whole) -> tuple[list[Card], list[Card]]:
        """A part of the whole; with its last one, what differs from what was known: new or changed, and gone."""
        if any(part.seq != whole.seq for part in self._parts.values()):
            self._parts.clear()
        self._parts[whole.part] = whole
        if len(self._parts) < whole.parts:
            return [], []
        cards = {card.key: card for part in self._parts.values() for card in part.cards}
        self._parts.clear()
        if self.complete and whole.seq < self.seq:
            return [], []
        gone = [card for key, card in self.cards.items() if key not in cards]
        new = [card for key, card in cards.items() if self.cards.get(key) != card]
        self.cards, self.seq, self.complete = cards, whole.seq, True
        return new, gone
