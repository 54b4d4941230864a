"""Refused requests stand in the audit, but a flood of them fills no disk."""

from palio_db.errors import Unavailable
from palio_db.values import Act, Actor
from palio_server.api.operations import MOST, SPAN_S, RefusedActs

ACT = Act("POST /api/matches", "/api/matches", "bad-token", "refused")


class Store:
    def __init__(self):
        self.noted, self.away = [], False

    async def log_act(self, act, by):
        if self.away:
            raise Unavailable("away")
        self.noted.append((act, by))


async def test_the_same_from_the_same_asker_is_one_line_a_minute():
    store, now = Store(), [0.0]
    refused = RefusedActs(store, lambda: now[0])
    for _ in range(1000):
        await refused.note(ACT, Actor("somebody", None, "192.0.2.1"))
    await refused.note(ACT, Actor("somebody", None, "192.0.2.2"))
    assert len(store.noted) == 2
    now[0] += SPAN_S
    await refused.note(ACT, Actor("somebody", None, "192.0.2.1"))
    assert len(store.noted) == 3


async def test_a_thousand_askers_are_no_thousand_lines():
    store = Store()
    refused = RefusedActs(store, lambda: 0.0)
    for number in range(1000):
        await refused.note(ACT, Actor("somebody", None, f"192.0.2.{number}"))
    assert len(store.noted) == MOST


async def test_a_database_that_does_not_answer_hinders_no_refusal(caplog):
    store = Store()
    store.away = True
    await RefusedActs(store).note(ACT, Actor("somebody"))
    assert "could not be noted" in caplog.text
