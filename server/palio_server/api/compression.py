"""API answers compressed for clients that accept gzip.

Only answers to GET and HEAD: no answer that holds a new token shares a compressed stream with what the asker sent.
"""

import asyncio
import gzip

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from palio_server.api.page_files import takes_gzip

LEAST = 1000  # bytes: a shorter answer fits into one packet uncompressed
LARGE = 32_000  # bytes; compressing more takes half a millisecond and longer, which matches do not wait for
LEVEL = 5  # 6 saves 1 % of a list of matches and takes a sixth longer
KINDS = ("application/json", "text/")


async def compressed(request: Request, response: Response) -> Response:
    """Return the response, compressed if the client accepts that and if its body is a text of at least `LEAST` bytes.

    Streamed answers, files and answers with an encoding of their own stay unchanged.
    """
    body = getattr(response, "body", b"")
    fits = request.method in ("GET", "HEAD") and not isinstance(response, StreamingResponse) and len(body) >= LEAST
    if not fits or "Content-Encoding" in response.headers or not _is_text(response):
        return response
    response.headers.add_vary_header("Accept-Encoding")
    if not takes_gzip(request):
        return response
    packed = await asyncio.to_thread(_pack, body) if len(body) > LARGE else _pack(body)
    if len(packed) >= len(body):
        return response
    response.body = packed
    response.headers["Content-Length"] = str(len(packed))
    response.headers["Content-Encoding"] = "gzip"
    if (tag := response.headers.get("ETag")) and not tag.startswith("W/"):
        response.headers["ETag"] = f"W/{tag}"  # other bytes than those of the uncompressed answer
    return response


def _pack(body: bytes | memoryview) -> bytes:
    return gzip.compress(body, LEVEL, mtime=0)


def _is_text(response: Response) -> bool:
    return response.headers.get("Content-Type", "").startswith(KINDS)
