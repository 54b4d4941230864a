"""The bus within one process."""

import logging
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.bus import Envelope, Subscription
from palio_server.bus.local import BadFilter, LocalBus, pattern


def listen(bus: LocalBus, topic_filter: str) -> list[tuple[str, bytes]]:
    heard: list[tuple[str, bytes]] = []
    bus.subscribe(topic_filter, lambda topic, envelope: heard.append((topic, envelope.data)))
    return heard


def test_a_message_reaches_every_matching_subscriber_and_nobody_else() -> None:
    bus = LocalBus()
    exact, wild, other = listen(bus, "a/b"), listen(bus, "a/+"), listen(bus, "a/c")
    bus.publish("a/b", b"x")
    assert exact == wild == [("a/b", b"x")]
    assert other == []


def test_delivery_tells_whether_anybody_took_the_message() -> None:
    bus = LocalBus()
    subscription = bus.subscribe("a/#", lambda *_: None)
    assert bus.publish("a", b"")
    assert not bus.publish("b", b"")
    subscription.close()
    assert not bus.publish("a", b"")


def test_a_retained_message_greets_later_subscribers_until_it_is_cleared() -> None:
    bus = LocalBus()
    bus.publish("p/x", b"old", retain=True)
    bus.publish("p/x", b"new", retain=True)
    bus.publish("p/y", b"not kept")
    assert listen(bus, "p/x") == listen(bus, "p/+") == [("p/x", b"new")]
    early = listen(bus, "p/x")
    bus.publish("p/x", b"", retain=True)
    assert early[-1] == ("p/x", b"")
    assert listen(bus, "p/#") == []


def test_a_sink_that_raises_is_logged_and_hurts_nobody_else(caplog: pytest.LogCaptureFixture) -> None:
    bus = LocalBus()

    def broken(topic: str, payload: bytes) -> None:
        raise RuntimeError("a bug")

    bus.subscribe("t", broken)
    bus.subscribe("+", broken)
    heard = listen(bus, "t")
    with caplog.at_level(logging.ERROR):
        bus.publish("t", b"1")
    assert heard == [("t", b"1")]
    assert "a bug" in caplog.text


@pytest.mark.parametrize("topic_filter", ["t", "+"])
def test_subscribers_may_leave_in_the_midst_of_a_delivery(topic_filter: str) -> None:
    bus = LocalBus()
    heard: list[str] = []
    subscriptions: list[Subscription] = []

    def leaver(name: str) -> Callable[[str, bytes], None]:
        def sink(topic: str, payload: bytes) -> None:
            heard.append(name)
            for subscription in subscriptions:
                subscription.close()

        return sink

    subscriptions.append(bus.subscribe(topic_filter, leaver("first")))
    subscriptions.append(bus.subscribe(topic_filter, leaver("second")))
    bus.publish("t", b"")
    bus.publish("t", b"")
    assert heard == ["first"]
    assert not bus.wanted("t")


def test_who_subscribes_in_the_midst_of_a_delivery_hears_the_next_message() -> None:
    bus = LocalBus()
    late: list[bytes] = []

    def sink(topic: str, envelope: Envelope) -> None:
        if envelope.data == b"1":
            bus.subscribe("t", lambda _, later: late.append(later.data))

    bus.subscribe("t", sink)
    bus.publish("t", b"1")
    bus.publish("t", b"2")
    assert late == [b"2"]


def test_closing_twice_closes_no_other_subscription() -> None:
    bus, heard = LocalBus(), []
    subscription = bus.subscribe("t", lambda *_: heard.append("closed"))
    bus.subscribe("t", lambda *_: heard.append("open"))
    subscription.close()
    subscription.close()
    assert bus.publish("t", b"")
    assert heard == ["open"]


def test_a_topic_is_wanted_while_somebody_listens() -> None:
    bus = LocalBus()
    assert not bus.wanted("palio/match/1/event")
    wild = bus.subscribe("palio/match/+/event", lambda *_: None)
    assert bus.wanted("palio/match/1/event")
    wild.close()
    exact = bus.subscribe("palio/match/1/event", lambda *_: None)
    assert bus.wanted("palio/match/1/event")
    exact.close()
    assert not bus.wanted("palio/match/1/event")


def test_a_bad_filter_is_refused_and_leaves_no_trace() -> None:
    bus = LocalBus()
    with pytest.raises(BadFilter):
        bus.subscribe("a/#/b", lambda *_: None)
    assert not bus.wanted("a/x/b")


steps = st.lists(
    st.tuples(
        st.sampled_from(["subscribe", "close", "publish", "retain"]), st.sampled_from(["a", "a/b", "b", "+", "a/#"])
    ),
    max_size=20,
)


@given(steps)
def test_any_sequence_of_steps_delivers_what_a_plain_list_would(story: list[tuple[str, str]]) -> None:
    bus = LocalBus()
    model: list[tuple[str, list[bytes], list[bytes], Subscription]] = []
    retained: dict[str, bytes] = {}
    for number, (step, text) in enumerate(story):
        payload = str(number).encode()
        if step == "subscribe":
            got: list[bytes] = []
            expected = [kept for topic, kept in retained.items() if pattern(text).fullmatch(topic)]
            subscription = bus.subscribe(text, lambda _, envelope, got=got: got.append(envelope.data))
            model.append((text, got, expected, subscription))
        elif step == "close" and model:
            model.pop(0)[3].close()
        elif "+" not in text and "#" not in text:
            bus.publish(text, payload, retain=step == "retain")
            if step == "retain":
                retained[text] = payload
            for topic_filter, _, expected, _ in model:
                if pattern(topic_filter).fullmatch(text):
                    expected.append(payload)
        for _, got, expected, _ in model:
            assert sorted(got) == sorted(expected)
