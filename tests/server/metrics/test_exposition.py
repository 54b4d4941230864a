"""The text for Prometheus says what was counted, as two other programs read it."""

import subprocess
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from palio_server.metrics import Histogram, counter, exposition, gauge, histogram, info

texts = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs",)).filter(lambda c: c not in "\r\x85\u2028\u2029")
)
numbers = st.floats(allow_nan=False) | st.integers(-(2**53), 2**53)


def read(text):
    return {family.name: family for family in text_string_to_metric_families(text)}


@given(st.dictionaries(texts, numbers, max_size=5), texts)
def test_whatever_stands_in_labels_and_help_is_read_back(values, about):
    found = read(exposition([gauge("palio_bots", about, values, "transport")]))
    samples = found["palio_bots"].samples if found else []
    assert {sample.labels["transport"]: sample.value for sample in samples} == {
        name: float(value) for name, value in values.items()
    }


@given(st.lists(st.floats(0, 20), max_size=50), st.lists(st.floats(0.001, 10), min_size=1, unique=True).map(sorted))
def test_each_bucket_counts_what_is_at_most_its_bound(observed, bounds):
    counted = Histogram(bounds)
    for value in observed:
        counted.observe(value)
    samples = read(exposition([histogram("palio_turn_seconds", "Turns.", counted)]))["palio_turn_seconds"].samples
    buckets = {float(each.labels["le"]): each.value for each in samples if each.name.endswith("_bucket")}
    assert buckets == {bound: sum(value <= bound for value in observed) for bound in (*bounds, inf)}
    assert {each.name[18:]: each.value for each in samples if not each.labels} == {
        "_count": len(observed), "_sum": pytest.approx(sum(observed)),
    }  # fmt: skip


def test_a_counter_a_gauge_and_a_fact_have_their_kinds():
    text = exposition([counter("palio_plies_total", "Plies.", 3), info("palio_build_info", "Build.", version="0.1")])
    assert text == (
        "# HELP palio_plies_total Plies.\n# TYPE palio_plies_total counter\npalio_plies_total 3\n"
        '# HELP palio_build_info Build.\n# TYPE palio_build_info gauge\npalio_build_info{version="0.1"} 1\n'
    )


def test_prometheus_itself_finds_nothing_to_improve(promtool):
    counted = Histogram((0.1, 1))
    counted.observe(0.5)
    text = exposition([
        counter("palio_plies_total", "Plies.", 3),
        gauge("palio_bots", "Bots.", {"lines": 2}, "transport"),
        histogram("palio_turn_duration_seconds", "Turns.", counted),
    ])  # fmt: skip
    done = subprocess.run([promtool, "check", "metrics"], input=text, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
