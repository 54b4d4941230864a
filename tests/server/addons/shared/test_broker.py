"""The broker's address; for presence on a real broker see test_mqtt.py."""

import pytest

from palio_rules.errors import BadOption
from palio_server.addons.shared.broker import Broker


def test_the_address_may_carry_user_and_password() -> None:
    assert Broker.parse("mqtt://ada:p%40ss@example.org:1884") == Broker("example.org", 1884, False, "ada", "p@ss")
    assert Broker.parse("mqtt://localhost").port == 1883
    assert Broker.parse("mqtts://localhost").port == 8883
    assert "p@ss" not in str(Broker.parse("mqtt://ada:p%40ss@example.org"))


@pytest.mark.parametrize("url", ["localhost:1883", "http://localhost", "mqtt://", "mqtt://h:port", "mqtt://h/path"])
def test_a_bad_address_is_refused_with_a_good_one(url: str) -> None:
    with pytest.raises(BadOption, match=r"mqtt://host:1883"):
        Broker.parse(url)
