"""API answers compressed for those who accept it, with the same content, and left alone where they must be."""

import gzip
import json

import pytest
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from palio_server.api.answers import Json
from palio_server.api.compression import LARGE, LEAST, compressed

LONG = {"rows": ["breakthrough"] * 200}
PLAIN = {"Accept-Encoding": "identity"}


def asking(accepts: str = "gzip", method: str = "GET") -> Request:
    return Request({"type": "http", "method": method, "headers": [(b"accept-encoding", accepts.encode())]})


@pytest.mark.parametrize("path", ["/api/games", "/api/openapi.json"])
async def test_a_long_answer_is_compressed_with_the_same_content(client, path):
    packed = await client.get(path, headers={"Accept-Encoding": "br, gzip"})
    plain = await client.get(path, headers=PLAIN)
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert ("content-encoding" in plain.headers, plain.headers["vary"]) == (False, "Accept-Encoding")
    assert packed.json() == plain.json()
    assert packed.headers["content-type"] == plain.headers["content-type"] == "application/json"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2


async def test_a_short_answer_stays_as_it_is(client):
    answer = await client.get("/api/matches", headers={"Accept-Encoding": "gzip"})
    assert (answer.json(), "content-encoding" in answer.headers, "vary" in answer.headers) == ([], False, False)


async def test_text_is_compressed_and_other_kinds_are_not():
    text = await compressed(asking(), Response("ply\n" * 500, media_type="text/csv"))
    picture = await compressed(asking(), Response(b"GIF89a" * 500, media_type="image/gif"))
    assert gzip.decompress(text.body) == b"ply\n" * 500
    assert picture.body == b"GIF89a" * 500


@pytest.mark.parametrize("rows", [LEAST, LARGE])
async def test_any_length_is_read_back(rows):
    answer = await compressed(asking(), Json({"rows": ["x" * 9] * rows}))
    assert json.loads(gzip.decompress(answer.body)) == {"rows": ["x" * 9] * rows}
    assert int(answer.headers["content-length"]) == len(answer.body)


async def test_a_tag_of_the_whole_bytes_becomes_a_weak_one():
    strong = await compressed(asking(), Json(LONG, headers={"ETag": '"a"', "Vary": "Origin"}))
    weak = await compressed(asking(), Json(LONG, headers={"ETag": 'W/"a"'}))
    plain = await compressed(asking("identity"), Json(LONG, headers={"ETag": '"a"'}))
    assert [each.headers["etag"] for each in (strong, weak, plain)] == ['W/"a"', 'W/"a"', '"a"']
    assert strong.headers["vary"] == "Origin, Accept-Encoding"


async def test_what_is_streamed_posted_or_encoded_already_stays_as_it_is():
    streamed = StreamingResponse(iter(["x" * 5000]), media_type="application/json")
    packed = Response(gzip.compress(b"x"), headers={"Content-Encoding": "gzip"}, media_type="application/json")
    for request, response in (
        (asking(), streamed),
        (asking(), packed),
        (asking(method="POST"), Json(LONG)),
        (asking("gzip;q=0"), Json(LONG)),
    ):
        length, kept = response.headers.get("content-length"), response.headers.get("content-encoding")
        answer = await compressed(request, response)
        assert answer is response
        assert (answer.headers.get("content-length"), answer.headers.get("content-encoding")) == (length, kept)
