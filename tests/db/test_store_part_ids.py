"""Identities of matches: in order of age, safe in URLs and topics, never the same."""

from palio_db.store_part import ALPHABET, MatchIds


def test_identities_sort_by_age_and_are_safe_in_urls_and_topics():
    ids, others = MatchIds(), MatchIds()
    made = [ids.next() for _ in range(20_000)]
    assert made == sorted(set(made))
    assert {len(one) for one in made} == {16}
    assert set("".join(made)) <= set(ALPHABET)
    assert not set(made) & {others.next() for _ in range(20_000)}
    assert sorted(ALPHABET) == list(ALPHABET)
