"""A running server, asked over HTTP: what `--url` means. Standard library only, one request at a time."""

import asyncio
import json
import re
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.client import HTTPException
from urllib.parse import urlencode

import msgspec

from palio_rules.contract.addresses import web
from palio_server.cli.errors import CommandFailed

TIMEOUT_S = 30.0


class Busy(CommandFailed):
    """The server asks to be asked later: `after` so many seconds, None where it does not say."""

    def __init__(self, sentence: str, after: float | None) -> None:
        super().__init__(sentence)
        self.after = after


class Remote:
    """The API of the server at `url`.

    Every method raises CommandFailed if the server cannot be reached, or refuses: with its sentence, or ours. Where it
    refuses for now only, that is Busy.
    """

    def __init__(self, url: str | None, token: str | None = None) -> None:
        self.url = web(url)
        self._token = token

    async def get(self, path: str, **query: object) -> bytes:
        """The answer to GET /api/`path`; queries that are None are left out."""
        wanted = urlencode({name: value for name, value in query.items() if value is not None})
        return await asyncio.to_thread(self._ask, "GET", f"{path}?{wanted}" if wanted else path, None)

    async def send(self, method: str, path: str, body: object) -> bytes:
        """The answer to POST or PUT /api/`path`."""
        return await asyncio.to_thread(self._ask, method, path, msgspec.json.encode(body))

    def _ask(self, method: str, path: str, body: bytes | None) -> bytes:
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        address = f"{self.url}/api/{path}"
        request = urllib.request.Request(address, body, headers, method=method)  # noqa: S310 - `web` gives http only
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - as above
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error, _reason(error, error.read(65536))) from None
        except TimeoutError:  # connected, and asked
            late = f"the server at {self.url} has not answered within {TIMEOUT_S:g} s; try again, or ask for less"
            raise CommandFailed(late) from None
        except (OSError, HTTPException) as error:
            raise CommandFailed(_failure(self.url, error)) from None


@contextmanager
def open_remote(url: str, token: str | None = None) -> Iterator[Remote]:
    """The server at `url`, whose answers must be what was asked for. Raises CommandFailed where one is not."""
    try:
        yield Remote(url, token)
    except msgspec.DecodeError as error:  # no JSON, or not what was asked for
        raise CommandFailed(f"the server at {url} answers in a form that this palio cannot read: {error}") from None


def _failure(url: str, error: OSError | HTTPException) -> str:
    """Why there is no whole answer: nobody is there, or somebody who does not speak as we do, or no more."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    broken = isinstance(cause, ConnectionError | ssl.SSLError) and not isinstance(cause, ConnectionRefusedError)
    if broken or not isinstance(cause, OSError):
        return f"{url} gives no whole answer ({str(cause).strip()}); check the address, or try again"
    return f"no server answers at {url}; start one with `palio serve`, or give --url"


def _refusal(error: urllib.error.HTTPError, reason: str) -> CommandFailed:
    if error.code in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        return Busy(reason, _after(error.headers.get("Retry-After"), datetime.now(UTC)))
    return CommandFailed(reason)


def _after(value: str | None, now: datetime) -> float | None:
    """Seconds, which `Retry-After` says itself or by a date (RFC 9110, 10.2.3); None: it says nothing that is one."""
    if value is None:
        return None
    if re.fullmatch("[0-9]{1,9}", value.strip()):
        return float(value)
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (then.replace(tzinfo=then.tzinfo or UTC) - now).total_seconds())


def _reason(error: urllib.error.HTTPError, body: bytes) -> str:
    """The server's own sentence, where it is a palio server's."""
    try:
        return str(json.loads(body)["error"]["reason"])
    except (ValueError, KeyError, TypeError):
        return f"{error.url} answers with HTTP {error.code}; is it a palio server?"
