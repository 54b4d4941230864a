"""A hundred thousand damaged messages in real conversations: none raises, each is answered or passed on."""

import random

import pytest
from hostile_messages import SAID, damaged
from paper_socket import PaperSocket

from palio_rules.contract.codec import Encoding, decode_from_server, encode
from palio_rules.contract.messages import Error, Hello
from palio_server.bus.local import LocalBus
from palio_server.lobby.session import Session
from palio_server.network.connection import Connection

MESSAGES = 100_000


def conversation(bus: LocalBus, encoding: Encoding, *, welcomed: bool) -> tuple[PaperSocket, Connection]:
    paper = PaperSocket()
    connection = Connection(paper, bus, encoding)
    if welcomed:
        session = Session.of(Hello("a", ["chess"]), connection, "websocket", None)
        session.matches["m1"] = None
        connection.enter(session)
    return paper, connection


@pytest.mark.slow
@pytest.mark.virtual_clock
async def test_a_hundred_thousand_damaged_messages_are_answered_or_passed_on() -> None:
    choose = random.Random(36)
    bus, published = LocalBus(), []
    bus.subscribe("palio/bot/+/out/+", lambda topic, envelope: published.append(topic))
    written = {encoding: [encode(message, encoding) for message in SAID] for encoding in Encoding}
    heard, answered, conversations = 0, 0, 0
    while heard < MESSAGES:
        encoding = choose.choice(list(Encoding))
        paper, connection = conversation(bus, encoding, welcomed=choose.random() < 0.5)
        conversations += 1
        while not paper.closed and heard < MESSAGES:
            heard += 1
            connection.hear(damaged(choose.choice(written[encoding]), choose), encoding is Encoding.JSON)
        for data, _text in paper.written:
            assert isinstance(decode_from_server(data, encoding), Error)
        answered += len(paper.written)
        connection.lost()
    assert answered > MESSAGES // 2  # most of the damage is some
    assert published, "and some is still a message of a match"
    assert conversations > 1000, "too much of it closes a connection"
