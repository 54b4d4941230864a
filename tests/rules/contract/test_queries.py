"""A token in an address is seen, however it is written."""

import pytest

from palio_rules.contract.endpoints import token_in_query


@pytest.mark.parametrize(
    "query", ["token=x", "a=1&access_token=x", "TOKEN=", "Access-Token=x", "%74oken=x", "api_key=x"]
)
def test_a_token_in_a_query_is_seen_however_it_is_written(query: str) -> None:
    assert token_in_query(query)


@pytest.mark.parametrize("query", ["", "tokens=1", "game=breakthrough&bot=token", "ply=3"])
def test_other_queries_are_none_of_its_business(query: str) -> None:
    assert token_in_query(query) is None
