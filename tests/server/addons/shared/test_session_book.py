"""Whatever is lost of what a process tells of its connections: with the next whole, all is known again."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from palio_server.addons.shared.messages import Card
from palio_server.addons.shared.sessions import PART, OtherBook, OwnBook

changes = st.lists(
    st.tuples(
        st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)), max_size=4),
        st.lists(st.integers(1, 9), max_size=2),
        st.booleans(),
    ),
    max_size=30,
)


def card(key, matches=0):
    return Card(key, f"s{key}", f"bot{key % 3}", ["go"], 4, "websocket", [f"m{number}" for number in range(matches)])


@given(changes)
def test_a_reader_knows_what_was_told_or_knows_that_it_has_missed_something(steps):
    own, other, seen = OwnBook(), OtherBook(), {}

    def take(new, gone):
        seen.update((each.key, each) for each in new)
        for each in gone:
            del seen[each.key]

    for part in own.whole():
        take(*other.take(part))
    for cards, gone, lost in steps:
        now = {key: card(key, matches) for key, matches in cards}
        for said in own.changes(now.values(), [key for key in gone if key not in now]):
            if not lost:
                take(*other.hear(said))
        if other.behind(own.seq):
            for part in own.whole():
                take(*other.take(part))
        assert other.cards == own.cards == seen
        for name in ("bot0", "bot1", "bot2"):
            assert own.keys_of(name) == {key for key, each in own.cards.items() if each.name == name}


def test_a_crowd_is_told_of_in_parts_that_a_broker_takes():
    own, other = OwnBook(), OtherBook()
    crowd = [card(key) for key in range(10 * PART + 1)]
    said = list(own.changes(crowd, []))
    assert len(said) == 11
    assert max(len(msgspec.json.encode(each)) for each in said) < 60_000
    parts = list(own.whole())
    assert [part.part for part in parts] == list(range(1, 12))
    for part in parts[:-1]:
        assert other.take(part) == ([], [])
    new, gone = other.take(parts[-1])
    assert (new, gone) == (crowd, [])


def test_what_comes_before_the_whole_is_not_taken_for_all():
    own, other = OwnBook(), OtherBook()
    [first] = own.changes([card(1)], [])
    [second] = own.changes([card(2)], [])
    assert other.hear(second) == ([], [])
    assert not other.complete
    [whole] = own.whole()
    assert len(other.take(whole)[0]) == 2
    assert other.hear(first) == ([], [])  # older
    assert other.complete
