"""Families of samples."""

import pytest

from palio_server.metrics import Histogram, Sample, gauge, histogram, number


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (-0.5, "-0.5"), (1e20, "1e+20"), (float("inf"), "+Inf"), (float("-inf"), "-Inf"), (float("nan"), "NaN")],
)
def test_a_number_is_written_as_prometheus_reads_it(value, text):
    assert number(value) == text


def test_a_mapping_makes_a_sample_of_each_value():
    family = gauge("palio_bots", "Bots.", {"lines": 1, "mqtt": 2}, "transport")
    assert family.samples == [Sample(1, (("transport", "lines"),)), Sample(2, (("transport", "mqtt"),))]


def test_a_histogram_that_has_seen_nothing_has_all_its_buckets():
    values = [sample.value for sample in histogram("palio_lag_seconds", "Lag.", Histogram((1, 2))).samples]
    assert values == [0, 0, 0, 0, 0]
