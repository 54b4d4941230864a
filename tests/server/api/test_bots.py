"""The lists of connected and absent bots."""

from palio_server.api.bots import BotItem


async def test_bots_are_those_who_are_here(server, client, as_type):
    async def listed(query=""):
        return as_type((await client.get(f"/api/bots{query}")).content, list[BotItem])

    server.join("ann", slots=3)
    server.join("ann", slots=1)
    server.join("dot", games=["dominoes"])
    await server.store.add_bot("zoe")
    await server.store.add_bot("ann")
    ann, dot = await listed()
    assert (ann.name, ann.slots, ann.instances, ann.playing) == ("ann", 4, 2, 0)
    assert (dot.name, dot.slots, dot.games) == ("dot", 8, ["dominoes"])
    assert await listed("?connected=true") == await listed()
    assert [bot.name for bot in await listed("?game=dominoes")] == ["dot"]
    assert [(bot.name, bot.connected) for bot in await listed("?connected=false")] == [("zoe", False)]
    answer = await client.get("/api/bots?game=domino")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown-game")


async def test_a_bot_that_the_ladder_rests_is_shown_as_that(server, client):
    server.join("ann"), server.join("dot")
    server.lobby.rest("ann")
    listed = (await client.get("/api/bots")).json()
    assert {bot["name"]: bot["rested"] for bot in listed} == {"ann": True, "dot": False}
    assert (await client.get("/api/bots/ann")).json()["rested"]


async def test_the_bots_come_in_pages_if_a_limit_is_given(server, client):
    for name in ("ann", "bob", "cat", "dan", "eve"):
        server.join(name)
    whole = await client.get("/api/bots")
    assert "Link" not in whole.headers
    found, address = [], "/api/bots?game=breakthrough&limit=2"
    while address:
        answer = await client.get(address)
        found.append([bot["name"] for bot in answer.json()])
        address = answer.links.get("next", {}).get("url")
    assert found == [["ann", "bob"], ["cat", "dan"], ["eve"]]
    assert [bot["name"] for bot in whole.json()] == ["ann", "bob", "cat", "dan", "eve"]
    await server.store.add_bot("yan")
    await server.store.add_bot("zoe")
    absent = await client.get("/api/bots?connected=false&limit=1")
    assert [bot["name"] for bot in absent.json()] == ["yan"]
    assert absent.links["next"]["url"].endswith("?connected=false&limit=1&offset=1")
    assert (await client.get("/api/bots?limit=0")).status_code == 422
