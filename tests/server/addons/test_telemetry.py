"""The contents of traces."""

from types import SimpleNamespace

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from palio_server.addons import telemetry
from palio_server.addons.telemetry import Telemetry, _public
from palio_server.arena.running_match import MatchCounts


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/api/play/k3y/join", "/api/play/..."),
        ("/play/k3y", "/play/..."),
        ("/play", "/play"),
        ("/api/matches/m", "/api/matches/m"),
    ],
)
def test_what_opens_a_table_is_left_out(path, told):
    assert _public(path) == told


def test_a_turn_of_a_match_that_goes_on_as_the_server_ends_has_its_match_in_the_trace(monkeypatch):
    exporter = InMemorySpanExporter()
    monkeypatch.setattr(telemetry, "OTLPSpanExporter", lambda: exporter)
    arena = SimpleNamespace(counts=MatchCounts(), on_start=[], on_result=[])
    traces = Telemetry(SimpleNamespace(settings=SimpleNamespace(worker="w"), arena=arena))
    arena.on_start[0]("m")
    arena.counts.time_turn("m", 0.01)
    traces.close()
    turn, match = exporter.get_finished_spans()
    assert (turn.name, match.name) == ("turn", "match")
    assert turn.parent.span_id == match.context.span_id
