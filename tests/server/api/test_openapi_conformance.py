"""Valid and invalid requests are answered as the OpenAPI document says: never by a server error, and with a status, a
content type and a shape that it contains.

schemathesis reads the document and makes the requests; they go to a real server on a real port.
"""

import asyncio
import json
from functools import cache

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palio_server.api.app import OPERATIONS


@cache
def schema_of(text):
    import schemathesis  # takes a second, for which no other test shall wait

    return schemathesis.openapi.from_dict(json.loads(text))


def ask_all(url, text, method, path, existing):
    """Ask what schemathesis thinks of, and half of the time for something that exists."""
    from schemathesis import GenerationMode, checks
    from schemathesis.specs.openapi import checks as of_openapi

    promises = [
        checks.not_a_server_error,
        of_openapi.status_code_conformance,
        of_openapi.content_type_conformance,
        of_openapi.response_schema_conformance,
    ]
    operation = schema_of(text)[path][method]
    length = settings(max_examples=2 + settings().max_examples // 10, suppress_health_check=list(HealthCheck))
    modes = [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if can_be_wrong(text, method, path) else [])]
    with requests.Session() as session:
        for mode in modes:

            @length
            @given(operation.as_strategy(generation_mode=mode), st.booleans(), st.randoms())
            def ask(case, real, random):
                for name in (case.path_parameters or {}) if real else ():
                    if name in existing:
                        case.path_parameters[name] = random.choice(existing[name])
                case.call_and_validate(url, session, checks=promises, timeout=30)

            ask()


def can_be_wrong(text, method, path):
    """Return True if some value does not fit; where any text fits, the search takes long."""
    described = json.loads(text)["paths"][path][method.lower()]
    return "requestBody" in described or any(each["schema"] != {"type": "string"} for each in described["parameters"])


@pytest.mark.first(2)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: f"{each.method} {each.path.removeprefix('/api/')}")
async def test_an_operation_answers_as_the_document_says(server, client, url, breakthrough, operation):
    for name in ("ann", "bob"):
        server.join(name)
    match = (await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]})).json()["match"]
    event = {"name": "cup", "game": "breakthrough", "format": "round_robin", "bots": ["ann", "bob"]}
    assert (await client.post("/api/tournaments", json=event)).status_code == 201
    existing = {"match": [match], "game": ["breakthrough", "rush_hour"], "name": ["ann"], "bot": ["ann"], "number": [1]}
    text = (await client.get("/api/openapi.json")).text
    await asyncio.to_thread(ask_all, url, text, operation.method, operation.path, existing)
