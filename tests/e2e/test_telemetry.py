"""`palio serve --telemetry` sends spans that an OTLP collector understands; without it nothing of that is loaded."""

import asyncio
import json
import re
import signal
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from command import Palio
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class Collector(ThreadingHTTPServer):
    """Takes spans as an OpenTelemetry collector does, by HTTP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receiver)
        self.spans: list = []
        self.resources: list[dict[str, str]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def named(self, name: str) -> list:
        return [span for span in self.spans if span.name == name]


class Receiver(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        assert self.path == "/v1/traces"
        asked = ExportTraceServiceRequest.FromString(self.rfile.read(int(self.headers["Content-Length"])))
        for resource in asked.resource_spans:
            self.server.resources.append(attributes(resource.resource))
            for scope in resource.scope_spans:
                self.server.spans += scope.spans
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.end_headers()
        self.wfile.write(ExportTraceServiceResponse().SerializeToString())

    def log_message(self, *_: object) -> None: ...


def attributes(found) -> dict[str, object]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in found.attributes}


@pytest.fixture
def collector():
    with Collector() as found:
        thread = threading.Thread(target=found.serve_forever, args=(0.05,))
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.mark.slow
async def test_a_match_its_turns_its_commit_and_requests_are_spans(palio: Palio, collector: Collector):
    palio.env |= {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_SERVICE_NAME": "palio-of-a-test",
        "OTEL_BSP_SCHEDULE_DELAY": "200",
    }
    server = palio.start("serve", "--port", "0", "--telemetry", "--ladder", "--bot", "random", "--bot", "greedy")
    url = re.search(r"http://[\d.:]+", await asyncio.to_thread(server.line_with, "serves on"))[0]
    async with asyncio.timeout(60):
        # One ply of some is timed, and the shortest games have fewer. All of it comes by another process.
        while not (collector.named("commit") and collector.named("turn")):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    await asyncio.to_thread(lambda: urllib.request.urlopen(f"{url}/api/health?").read())
    assert await asyncio.to_thread(server.end, signal.SIGTERM) == 0

    matches = {span.span_id: span for span in collector.named("match")}
    finished = [span for span in matches.values() if "palio.termination" in attributes(span)]
    assert finished
    about = attributes(finished[0])
    assert about["palio.termination"] in ("rule", "adjudicated")
    assert about["palio.plies"] > 0
    turns, commits = collector.named("turn"), collector.named("commit")
    assert len(commits) == len(finished)
    assert turns
    for span in (*turns, *commits):
        parent = matches[span.parent_span_id]
        assert span.trace_id == parent.trace_id
        assert parent.start_time_unix_nano <= span.end_time_unix_nano <= parent.end_time_unix_nano
        assert 0 <= span.end_time_unix_nano - span.start_time_unix_nano < 30e9
    asked = [attributes(span) for span in collector.named("GET")]
    assert {"http.request.method": "GET", "url.path": "/api/health", "http.response.status_code": 200} in asked
    assert all(each["service.name"] == "palio-of-a-test" for each in collector.resources)


@pytest.mark.slow
def test_a_collector_that_is_away_costs_nobody_anything(palio: Palio):
    palio.env |= {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_BSP_SCHEDULE_DELAY": "100"}
    server = palio.start("serve", "--port", "0", "--telemetry")
    url = re.search(r"http://[\d.:]+", server.line_with("serves on"))[0]
    assert json.load(urllib.request.urlopen(f"{url}/api/health/live")) == {"alive": True}
    assert server.end(signal.SIGTERM) == 0


@pytest.mark.slow
def test_without_the_switch_nothing_of_it_is_loaded(loaded_by):
    assert not {"opentelemetry", "google", "requests"} & loaded_by("import palio_server.server, palio_server.cli.serve")
