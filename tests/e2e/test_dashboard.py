"""The operators' files work on the real thing: every panel's query finds data, every alert fires on its cause."""

import asyncio
import json
import re
import signal
import subprocess
from pathlib import Path

import pytest
from command import Palio, Started
from private_prometheus import Prometheus, scraping
from websockets.asyncio.client import connect

from palio_rules.contract import endpoints

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana" / "palio.json").read_text())
ALERTS = DEPLOY / "prometheus" / "alerts.yml"
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
SETTLED_S = 40  # for the first scrapes, and a match to end


def queries() -> list[str]:
    """All expressions, with the dashboard's variables as Grafana fills them in for `All`."""
    texts = [target["expr"] for panel in PANELS for target in panel["targets"]]
    return [text.replace("$instance", ".*").replace("$__rate_interval", "10s") for text in texts]


def test_variables_are_those_that_the_dashboard_declares():
    declared = {variable["name"] for variable in DASHBOARD["templating"]["list"]} | {"__rate_interval"}
    assert set(re.findall(r"\$\{?(\w+)", json.dumps(DASHBOARD["panels"]))) == declared


def test_panels_have_their_own_numbers_and_do_not_overlap():
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert place["x"] + place["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells


def test_every_alert_is_explained_and_every_explanation_is_of_an_alert():
    alerts = re.findall(r"alert: (\w+)", ALERTS.read_text())
    told = re.findall(r"^\| `(Palio\w+)`", (ROOT / "docs" / "reference" / "settings.md").read_text(), re.MULTILINE)
    assert alerts == told


def test_prometheus_accepts_the_rules_and_each_fires_on_what_it_is_for(promtool):
    for words in (["check", "rules", ALERTS.name], ["test", "rules", "alerts_test.yml"]):
        done = subprocess.run([promtool, *words], cwd=ALERTS.parent, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    alerts = set(re.findall(r"alert: (\w+)", ALERTS.read_text()))
    assert set(
        re.findall(r"alertname: (\w+)\n +exp_alerts: \[\{", (ALERTS.parent / "alerts_test.yml").read_text())
    ) == (alerts)


async def misbehave(url: str, token: str, rejected: asyncio.Event) -> None:
    """A hello that is refused, and a bot whose moves are: `rejected` from the first on."""
    socket_url = url.replace("http", "ws") + endpoints.BOT
    async with connect(socket_url) as socket:
        await socket.send(json.dumps({"type": "hello", "name": "cid", "games": ["breakthrough"], "token": "wrong"}))
        assert json.loads(await socket.recv())["type"] == "refused"
    async with connect(socket_url) as socket:
        await socket.send(json.dumps({"type": "hello", "name": "cid", "games": ["breakthrough"], "token": token}))
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "game":
                await socket.send(json.dumps({"type": "ready", "match": message["match"]}))
            elif message["type"] == "turn":
                move = {"type": "move", "match": message["match"], "id": message["id"], "move": ["nonsense"]}
                await socket.send(json.dumps(move))
            elif message["type"] == "rejected":
                rejected.set()


@pytest.fixture
def server(palio: Palio, mosquitto) -> Started:
    return palio.start("serve", "--port", "0", "--auth", "--ladder", "--tc", "10+0.1", "--mqtt", mosquitto.url)


@pytest.mark.slow
@pytest.mark.mosquitto
async def test_every_panel_has_data_while_bots_play(palio, server, prometheus, tmp_path):
    url = re.search(r"http://[\d.:]+", await asyncio.to_thread(server.line_with, "serves on"))[0]
    tokens = {}
    for name in ("ann", "bob", "cid"):
        tokens[name] = await asyncio.to_thread(lambda name=name: palio("bot", "add", name).stdout.split()[-1])
    hall = (await asyncio.to_thread(palio, "bot", "add", "hall", "--scope", "watch")).stdout.split()[-1]
    joined = [
        palio.start("join", url, "random:seed=1", "--name", name, "--token", tokens[name]) for name in ("ann", "bob")
    ]
    rejected = asyncio.Event()
    rogue = asyncio.create_task(misbehave(url, tokens["cid"], rejected))
    await rejected.wait()  # a ladder may let the other two play for long before it is this one's turn
    with scraping(prometheus, tmp_path, url.removeprefix("http://"), hall, ALERTS) as found:
        await asyncio.to_thread(all_found, found)
        assert [rule["health"] for group in found.ask("rules")["groups"] for rule in group["rules"]] == ["ok"] * 14
        assert found.values("up") == [1]
    rogue.cancel()
    for bot in joined:
        await asyncio.to_thread(bot.end, signal.SIGTERM)


def all_found(prometheus: Prometheus) -> None:
    """Return when every query finds something."""
    import time

    left, deadline = queries(), time.monotonic() + SETTLED_S
    while left and time.monotonic() < deadline:
        left = [query for query in left if not prometheus.values(query)]
        time.sleep(0.5)
    assert left == [], f"no data within {SETTLED_S} s"
