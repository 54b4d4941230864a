"""Any text in an address or a body is answered by a sentence, not by a server error."""

from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

STRANGE = [
    *("\0", "a\0b", "\ud800", "%", "_", "!", "a" * 5000, "../../etc/passwd", "..", "\u202e", "\n", "'; --", "\\"),
    *("-1", "1e309", str(2**31), str(2**64), "1" + "0" * 200, "1000000000", "NaN", "true", ",", "fault," * 300),
    *("0001-01-01", "9999-12-31", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-02-30", "2026-W01"),
]
NAMED = ["/api/bots/{}", "/api/bots/{}/history", "/api/bots/{}/report?game=breakthrough", "/api/matches/{}/analyse"]
DRAWN = ["/match/{}/preview.png", "/match/{}/board.svg", "/match/{}", "/bots/{}"]
FILTERS = {
    "/api/matches?bot=ann": (
        *("game", "against", "status", "tournament", "event", "ended", "outcome", "seat"),
        *("since", "until", "q", "limit", "before", "rated"),
    ),
    "/api/profiles?": ("q", "limit", "offset"),
    "/api/bots/ann/history?": ("game", "since"),
    "/api/bots/ann/report?": ("game",),
}
value = st.sampled_from(STRANGE) | st.text(max_size=60) | st.integers().map(str)
often = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def written(text):
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def is_told(answer):
    """An answer, or a refusal with its reason."""
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400 and answer.headers["content-type"] == "application/json":
        assert answer.json()["error"]["reason"]
    return True


@pytest.mark.first(40)
@pytest.mark.parametrize("path", [*NAMED, *DRAWN])
@pytest.mark.parametrize("text", STRANGE, ids=ascii)
@pytest.mark.first(10)
async def test_a_name_in_a_path(client, path, text):
    assert is_told(await client.get(path.format(written(text))))


@pytest.mark.parametrize(("path", "name"), [(path, name) for path, names in FILTERS.items() for name in names])
async def test_a_filter(server, client, path, name):
    server.join("ann")

    for text in STRANGE:
        assert is_told(await client.get(f"{path}&{name}={written(text)}"))


@often
@given(bot=value, against=value, q=value)
async def test_any_names_are_looked_for(client, bot, against, q):
    names = f"bot={written(bot)}&against={written(against)}&q={written(q)}"
    assert is_told(await client.get(f"/api/matches?{names}"))
    assert is_told(await client.get(f"/api/profiles?q={written(q)}"))
    assert is_told(await client.get(f"/api/bots/{written(bot)}"))


async def test_signs_of_patterns_stand_for_themselves(server, client):
    for name in ("a_b", "axb"):
        await server.store.add_bot(name)
    assert [bot["name"] for bot in (await client.get("/api/profiles?q=_")).json()["bots"]] == ["a_b"]
    assert (await client.get("/api/profiles?q=%25")).json()["total"] == 0


async def test_the_last_year_there_is_ends_after_all_matches(server, client, breakthrough):
    server.join("ann")
    server.join("bob")
    match = (await client.post("/api/matches", json={**breakthrough, "bots": ["ann", "bob"]})).json()["match"]
    await server.finished(match)
    assert len((await client.get("/api/matches?until=9999-12-30")).json()) == 1
    assert (await client.get("/api/matches?since=9999-12-30")).json() == []
    assert (await client.get("/api/matches?until=0001-01-01")).json() == []


async def test_plies_beyond_the_last_one_are_one_picture(server, client, breakthrough):
    server.join("ann")
    server.join("bob")
    match = (await client.post("/api/matches", json={**breakthrough, "bots": ["ann", "bob"]})).json()["match"]
    await server.finished(match)
    found = [await client.get(f"/match/{match}/board.svg?ply={ply}") for ply in (900_000, 900_001)]
    assert found[0].headers["ETag"] == found[1].headers["ETag"]
    assert (await client.get(f"/match/{match}/board.svg?ply=1000000000")).status_code == 422


@pytest.mark.parametrize(
    "body", [b"", b"[", b"\xff", b"[" * 100_000, b'{"state":"\\ud800"}', b'{"seed":1e400}'], ids=repr
)
@pytest.mark.parametrize("game", ["breakthrough", "tsp"])
async def test_what_is_no_position(client, game, body):
    answer = await client.post(
        f"/api/games/{game}/position", content=body, headers={"Content-Type": "application/json"}
    )
    assert is_told(answer)
