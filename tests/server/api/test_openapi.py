"""The OpenAPI document promises what the answers are."""

import re

import jsonschema
import msgspec


async def test_openapi_describes_every_route_with_its_shapes_and_errors(client):
    document = (await client.get("/api/openapi.json")).json()
    assert set(document["paths"]) == {
        "/api/admin",
        "/api/admin/audit",
        "/api/admin/bans",
        "/api/admin/bans/{number}",
        "/api/admin/forget",
        "/api/admin/pause",
        "/api/admin/rename",
        "/api/admin/resume",
        "/api/admin/servers/{worker}/drain",
        "/api/admin/servers/{worker}/resume",
        "/api/admin/void",
        "/api/bots",
        "/api/bots/{name}",
        "/api/bots/{name}/history",
        "/api/bots/{name}/report",
        "/api/courses/{course}",
        "/api/courses/{course}/matches/{match}/faults",
        "/api/courses/{course}/assignments/{assignment}/all",
        "/api/courses/{course}/assignments/{assignment}/leaderboard",
        "/api/courses/{course}/assignments/{assignment}/matches",
        "/api/courses/{course}/assignments/{assignment}/points",
        "/api/courses/{course}/assignments/{assignment}/practice",
        "/api/courses/{course}/assignments/{assignment}/publish",
        "/api/courses/{course}/assignments/{assignment}/similar",
        "/api/courses/{course}/assignments/{assignment}/submissions",
        "/api/courses/{course}/grades",
        "/api/courses/{course}/me",
        "/api/courses/{course}/practice/{game}",
        "/api/courses/{course}/roster",
        "/api/courses/{course}/submissions/{submission}",
        "/api/courses/{course}/submissions/{submission}/choice",
        "/api/courses/{course}/submissions/{submission}/matches/{match}",
        "/api/formats",
        "/api/games",
        "/api/games/{game}/hint",
        "/api/games/{game}/position",
        "/api/games/{game}/rules",
        "/api/head-to-head/{game}",
        "/api/health",
        "/api/health/live",
        "/api/health/ready",
        "/api/live",
        "/api/leaderboard/{game}",
        "/api/leaderboard/{game}/history",
        "/api/matches",
        "/api/matches/{match}",
        "/api/matches/{match}/analyse",
        "/api/matches/{match}/analysis",
        "/api/matches/{match}/record",
        "/api/matches/{match}/positions/{ply}",
        "/api/matches/{match}/replay",
        "/api/matches/{match}/stop",
        "/api/matches/{match}/void",
        "/api/play",
        "/api/play/{table}",
        "/api/play/{table}/again",
        "/api/play/{table}/join",
        "/api/play/{table}/leave",
        "/api/profiles",
        "/api/session",
        "/api/tournaments",
        "/api/tournaments/{number}",
        "/api/tournaments/{number}/cancel",
        "/api/tournaments/{number}/entries",
        "/api/tournaments/{number}/entries/{bot}",
        "/api/tournaments/{number}/export",
        "/api/tournaments/{number}/extend",
        "/api/tournaments/{number}/pause",
        "/api/tournaments/{number}/resume",
        "/api/tournaments/{number}/rounds/{round}",
        "/api/tournaments/{number}/start",
        "/api/tournaments/{number}/why/{encounter}",
    }
    schemas = document["components"]["schemas"]
    for reference in re.findall(r'"#/components/schemas/([^"]+)"', (await client.get("/api/openapi.json")).text):
        assert reference in schemas
    assert "HTTPValidationError" not in schemas, "errors have one shape"
    body = document["paths"]["/api/matches"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/StartRequest"}
    assert document["paths"]["/api/matches"]["post"]["security"] == [{"token": []}, {}]
    scopes = {operation["x-scope"] for path in document["paths"].values() for operation in path.values()}
    assert scopes == {"none", "watch", "matches", "admin"}, "every operation says which scope it wants"
    assert document["paths"]["/api/matches"]["get"]["security"] == [{}, {"token": []}, {"session": []}]
    assert all("summary" in operation for path in document["paths"].values() for operation in path.values())
    limit = next(each for each in document["paths"]["/api/matches"]["get"]["parameters"] if each["name"] == "limit")
    assert (limit["in"], limit["required"]) == ("query", False)
    assert limit["schema"] == {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50}
    stop = document["paths"]["/api/matches/{match}/stop"]["post"]
    assert [(each["name"], each["in"], each["required"]) for each in stop["parameters"]] == [("match", "path", True)]
    assert stop["requestBody"]["required"] is False
    upload = document["paths"]["/api/courses/{course}/assignments/{assignment}/submissions"]["post"]["requestBody"]
    assert upload["required"] is True
    assert list(upload["content"]) == ["multipart/form-data", "application/octet-stream"]
    assert upload["content"]["multipart/form-data"]["schema"]["properties"]["files"]["type"] == "array"
    record = document["paths"]["/api/matches/{match}/record"]["get"]["responses"]["200"]["content"]
    assert list(record) == ["application/json", "application/vnd.chess-pgn", "application/x-go-sgf", "text/plain"]
    assert set(stop["responses"]) == {"200", "400", "401", "403", "404", "409", "413", "422"}


async def test_what_the_list_shows_is_what_openapi_promises(server, client, breakthrough):
    server.join("ann")
    server.join("bob")
    body = breakthrough | {"bots": ["ann", "bob"]}
    match = (await client.post("/api/matches", json=body)).json()["match"]
    await server.finished(match)
    document = (await client.get("/api/openapi.json")).json()
    for path, address in {
        "/api/matches": "/api/matches",
        "/api/matches/{match}": f"/api/matches/{match}",
        "/api/matches/{match}/replay": f"/api/matches/{match}/replay",
        "/api/matches/{match}/record": f"/api/matches/{match}/record",
        "/api/games": "/api/games",
        "/api/bots": "/api/bots",
        "/api/leaderboard/{game}": "/api/leaderboard/breakthrough",
        "/api/head-to-head/{game}": "/api/head-to-head/breakthrough",
        "/api/tournaments": "/api/tournaments",
        "/api/health/live": "/api/health/live",
        "/api/health/ready": "/api/health/ready",
        "/api/health": "/api/health",
    }.items():
        schema = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        answer = await client.get(address)
        jsonschema.validate(answer.json(), {**schema, "components": document["components"]})
    assert msgspec.json.decode(answer.content)["status"] in ("ok", "degraded")  # the machine may be busy


async def test_generators_of_clients_can_read_the_document(client):
    text = (await client.get("/api/openapi.json")).text
    document = msgspec.json.decode(text)
    assert '"items":false' not in text, "openapi-python-client stops there"
    assert '{"type":"array"}' not in text
    assert all(name.isidentifier() for name in document["components"]["schemas"]), "two types have one name"
    assert document["servers"] == [{"url": "/"}]
    assert document["info"]["license"]["identifier"] == "MIT"
    assert all("security" in operation for path in document["paths"].values() for operation in path.values())
