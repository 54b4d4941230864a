"""Traces for OpenTelemetry, where an operator asks for them: a match with some of its turns and its commit; requests.

Everything is configured by the standard OTEL_* variables (where to, how many, under which name). Only `--telemetry`
imports this module, and with it the libraries of the extra `palio[telemetry]`.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palio_rules.records.record import Record
from palio_server.app_state import ServerParts

GOODBYE_S = 2.0  # for the last spans, when the server ends: a collector that hangs must not hold it up
SERVER_ERROR = 500
ATTRIBUTES = "OTEL_RESOURCE_ATTRIBUTES"
PRIVATE = ("/play", "/api/play")  # what follows them opens a table to all who know it


class Telemetry:
    """The spans of one server."""

    def __init__(self, parts: ServerParts) -> None:
        known = {"service.version": version("palio"), "service.instance.id": parts.settings.worker}
        if "OTEL_SERVICE_NAME" not in os.environ and "service.name" not in os.environ.get(ATTRIBUTES, ""):
            known["service.name"] = "palio"  # what is given here would win over these
        self._provider = TracerProvider(resource=Resource.create(known))
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("palio", version("palio"))
        self._matches: dict[str, Span] = {}
        counts = parts.arena.counts
        counts.on_turn, counts.on_commit, counts.on_end = self._turned, self._committed, self._ended
        parts.arena.on_start.append(self._began)
        parts.arena.on_result.append(self._finished)

    def traced(self, app: ASGIApp) -> ASGIApp:
        """The application, each of whose requests is a span."""

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            about = {"http.request.method": scope["method"], "url.path": _public(scope["path"])}
            with self._tracer.start_as_current_span(scope["method"], kind=SpanKind.SERVER, attributes=about) as span:

                async def tell(message: Message) -> None:
                    if message["type"] == "http.response.start":
                        span.set_attribute("http.response.status_code", message["status"])
                        if message["status"] >= SERVER_ERROR:
                            span.set_status(Status(StatusCode.ERROR))
                    await send(message)

                await app(scope, receive, tell)

        return serve

    def close(self) -> None:
        """Send what there is, if the collector takes it in time; matches that rest until a server is back end here."""
        for match in [*self._matches]:
            self._ended(match)
        thread = threading.Thread(target=self._provider.shutdown, daemon=True)
        thread.start()
        thread.join(GOODBYE_S)

    def _began(self, match: str) -> None:
        self._ended(match)  # it was lost, and has come back
        self._matches[match] = self._tracer.start_span("match", attributes={"palio.match": match})

    def _turned(self, match: str, seconds: float) -> None:
        self._past("turn", match, seconds)

    def _committed(self, match: str, seconds: float) -> None:
        self._past("commit", match, seconds)

    def _finished(self, record: Record) -> None:
        if (span := self._matches.get(record.match)) is not None:
            span.set_attributes(
                {
                    "palio.game": record.setup.game,
                    "palio.bots": record.setup.bots,
                    "palio.event": record.event,
                    "palio.plies": len(record.plies),
                    "palio.termination": record.result.termination,
                    "palio.reason": record.result.reason,
                }
            )

    def _ended(self, match: str) -> None:
        if (span := self._matches.pop(match, None)) is not None:
            span.end()

    def _past(self, name: str, match: str, seconds: float) -> None:
        """A part of the match that is just over."""
        if (parent := self._matches.get(match)) is not None:
            now = time.time_ns()
            begin = now - round(seconds * 1e9)
            self._tracer.start_span(name, set_span_in_context(parent), start_time=begin).end(now)


@contextmanager
def telemetry(parts: ServerParts) -> Iterator[Telemetry]:
    """Traces for as long as the context lasts."""
    found = Telemetry(parts)
    try:
        yield found
    finally:
        found.close()


def _public(path: str) -> str:
    """Without what is as good as a key."""
    for private in PRIVATE:
        if path.startswith(f"{private}/"):
            return f"{private}/..."
    return path
