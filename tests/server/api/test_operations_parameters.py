"""Parameters of path and query: unknown ones and values that do not fit are refused."""

import json
from urllib.parse import urlencode

import pytest


@pytest.mark.parametrize("number", [2**31, 2**63, -(2**63) - 1, 10**30])
async def test_a_number_that_no_database_knows_is_refused(client, number):
    for path in (f"/api/tournaments/{number}", f"/api/matches?tournament={number}"):
        answer = await client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad-value")


@pytest.mark.parametrize(
    "path",
    [
        "matches?bot=%00",
        "matches?before=%00",
        "matches/%00",
        "matches/%00/record",
        "head-to-head/breakthrough?bot=a%00",
    ],
)
async def test_a_character_that_no_database_knows_is_refused(client, path):
    answer = await client.get(f"/api/{path}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad-value")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("limit=0", "limit: a whole number >= 1 is wanted, got 0"),
        ("limit=1001", "limit: a whole number <= 1000 is wanted, got 1001"),
        ("before=", "before: there is no match ''; give the `id` of the last match that was listed"),
        ("limit=many", "limit: a whole number is wanted, got 'many'"),
        ("tournament=null", "tournament: a whole number is wanted, got 'null'"),
        ("status=done", "status: 'aborted' or 'finished' or 'running' or 'scheduled' is wanted, got 'done'"),
    ],
)
async def test_a_value_that_does_not_fit_is_refused_with_what_is_wanted(client, query, reason):
    answer = await client.get(f"/api/matches?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad-value")
    assert answer.json()["error"]["reason"].startswith(reason)


@pytest.mark.parametrize(
    ("path", "remedy"),
    [
        ("matches?gamee=breakthrough", "did you mean 'game'?"),
        ("matches/x?match=y", "known: none"),
        ("games?game=tsp", "known: none"),
    ],
)
async def test_a_parameter_that_there_is_none_of_is_refused_with_the_nearest(client, path, remedy):
    answer = await client.get(f"/api/{path}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "unknown-parameter")
    assert answer.json()["error"]["reason"].endswith(remedy)


async def test_truth_is_written_as_in_json_or_as_a_digit(client):
    for text in ("true", "True", "1", "false", "0"):
        assert (await client.get(f"/api/bots?connected={text}")).status_code == 200
    answer = await client.get("/api/bots?connected=perhaps")
    assert answer.json()["error"]["reason"].startswith("connected: true or false is wanted, got 'perhaps'")


async def test_a_number_with_a_fraction_is_written_with_a_point(client):
    for text in ("30", "0.5", "1e-05"):
        assert (await client.get(f"/api/leaderboard/tsp?half_life={text}")).status_code == 200
    for text in ("0", "-1", "1,5", "nan", "inf", "1e400", "soon", "1" * 40):
        answer = await client.get(f"/api/leaderboard/tsp?half_life={text}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad-value"), text
        assert answer.json()["error"]["reason"].startswith("half_life: "), text


STRANGE = ("", "no such thing", "9" * 400, "1" * 19, "-1", "null", "\0", "a\nb", "\x7f", "\x85", "\ud800", "'\";--")


async def test_every_query_parameter_refuses_what_does_not_fit_or_says_what_it_means(
    server, client, breakthrough, serve_course, make_assignment
):
    """The answer is never a server error, and never the list without the parameter, unless the document says so."""
    for name in ("ann", "bob"):
        server.join(name)
    match = (await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"], "options": {}})).json()[
        "id"
    ]
    await server.finished(match)
    event = {"game": "breakthrough", "name": "cup", "bots": ["ann", "bob"]}
    assert (await client.post("/api/tournaments", json=event)).status_code == 201
    known = {"match": match, "game": "breakthrough", "name": "ann", "number": 1, "round": 1, "encounter": 1, "table": 0}
    serve_course(server, [make_assignment("dominoes")])
    known |= {"course": "ai", "assignment": "dominoes", "submission": "none", "ply": 0}
    client.headers["Authorization"] = f"Bearer {await server.store.issue_token(['admin'])}"
    walked = []
    for path, methods in (await client.get("/api/openapi.json")).json()["paths"].items():
        described = methods.get("get", {"parameters": []})["parameters"]
        in_query = [each for each in described if each["in"] == "query"]
        needed = {each["name"]: {**known, "bot": "ann"}[each["name"]] for each in in_query if each["required"]}
        if "get" in methods:
            unknown = await client.get(path.format_map(known), params={**needed, "a\nb": "1"})
            assert (unknown.status_code, r"'a\nb'" in unknown.text.replace("\\\\", "\\")) == (422, True), path
        for each in in_query:
            name, about = each["name"], json.dumps(each["schema"])
            plain = await client.get(path.format_map(known), params=needed)
            assert plain.status_code == 200, path
            for value in STRANGE:
                text = value.encode(errors="surrogatepass")
                answer = await client.get(f"{path.format_map(known)}?{urlencode({**needed, name: text})}")
                walked.append((path, name))
                if answer.status_code == 200:
                    assert '"description"' in about, (path, name, value)
                    assert answer.content != plain.content or (value == "" and "empty: " in about), (path, name, value)
                else:
                    assert answer.status_code in {404, 422}, (path, name, value)
                    assert name in answer.json()["error"]["reason"], (path, name, value)
            for pair in (("1", "1"), ("1", "2"), ("", "")):
                rest = {key: value for key, value in needed.items() if key != name}
                answer = await client.get(path.format_map(known), params={**rest, name: list(pair)})
                assert answer.status_code == 422, (path, name, pair)
                assert answer.json()["error"]["reason"].startswith(f"{name}: it is given more than once"), (path, name)
    assert len(set(walked)) > 25
