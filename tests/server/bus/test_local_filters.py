"""Filters match as section 4.7 of MQTT 5 says; a slow, literal reading of that section is the oracle."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from palio_server.bus.local import BadFilter, beginning, check_topic, is_wild, pattern

levels = st.sampled_from(["", "a", "b", "$s", "a.b", "*", "new\nline"])
topics = st.lists(levels, min_size=1, max_size=4).map("/".join).filter(bool)
filters = st.lists(levels | st.just("+"), min_size=1, max_size=4).flatmap(
    lambda parts: st.sampled_from(["/".join(parts), "/".join([*parts, "#"]), "#"])
)


def literally(topic_filter: list[str], topic: list[str]) -> bool:
    if not topic_filter:
        return not topic
    if topic_filter[0] == "#":
        return True
    if not topic:
        return False
    return topic_filter[0] in ("+", topic[0]) and literally(topic_filter[1:], topic[1:])


@given(filters.filter(bool), topics)
@example("a/#", "a")
@example("#", "$SYS/uptime")
@example("+/uptime", "$SYS/uptime")
@example("$SYS/#", "$SYS/uptime")
@example("+", "/a")
@example("/+", "/a")
@example("a/+", "a")
def test_a_filter_matches_exactly_what_the_standard_says(topic_filter: str, topic: str) -> None:
    guarded = topic.startswith("$") and topic_filter[0] in "+#"
    expected = not guarded and literally(topic_filter.split("/"), topic.split("/"))
    assert bool(pattern(topic_filter).fullmatch(topic)) == expected
    assert topic.startswith(beginning(topic_filter)) or not expected


@pytest.mark.parametrize("topic_filter", ["", "a+", "a/b#", "#/a", "a/#/b", "++"])
def test_what_is_no_filter_is_refused(topic_filter: str) -> None:
    with pytest.raises(BadFilter):
        pattern(topic_filter)


@pytest.mark.parametrize("topic", ["", "a/+", "#"])
def test_nobody_publishes_to_a_wildcard(topic: str) -> None:
    with pytest.raises(BadFilter):
        check_topic(topic)


def test_a_plain_filter_is_not_wild() -> None:
    assert is_wild("palio/+/x")
    assert not is_wild("palio/server")
