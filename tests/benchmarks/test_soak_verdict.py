"""The limits of a level run, and its picture."""

import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from soak_verdict import Sample, faults, picture, slope

LEVEL = [Sample(float(second), 100_000, 220, 6, 400, 1000 + second, second, 200, 5.0) for second in range(0, 3600, 5)]


def grown(name, by):
    """The same, with one figure that grows by so much over the whole time."""
    return [replace(one, **{name: getattr(one, name) + by * one.second / 3600}) for one in LEVEL]


def test_what_stays_level_has_no_fault():
    assert faults(LEVEL) == []


@pytest.mark.parametrize(("name", "most"), [("rss_kib", 26_000), ("descriptors", 40), ("threads", 5), ("tasks", 80)])
def test_what_grows_is_a_fault_and_noise_is_none(name, most):
    assert [fault.split(":")[0] for fault in faults(grown(name, 2 * most))] != []
    assert faults(grown(name, most / 10)) == []


def test_what_grew_while_the_server_got_warm_is_none():
    warm = [replace(one, rss_kib=60_000 + min(40_000, round(40_000 * one.second / 1000))) for one in LEVEL]
    assert faults(warm) == []


def test_a_server_that_plays_nothing_any_more_is_a_fault():
    stuck = [replace(one, finished=min(one.finished, 1000)) for one in LEVEL]
    assert faults(stuck) == ["matches: none was finished in the second half"]


def test_a_few_samples_are_not_judged():
    assert faults(LEVEL[:5]) == ["5 samples are too few to judge by"]


def test_what_could_not_be_seen_is_said():
    assert faults([replace(one, tasks=-1) for one in LEVEL]) == ["tasks: could not be seen"]


def test_a_slope_is_that_of_the_line():
    assert slope([(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]) == 2.0
    assert slope([(1.0, 1.0)]) == slope([]) == 0.0


def test_the_picture_is_svg_with_a_line_for_each_figure():
    root = ET.fromstring(picture(LEVEL, "Soak: 200 bots & more"))
    assert len(root.findall("{http://www.w3.org/2000/svg}polyline")) == 7
    assert root.find("{http://www.w3.org/2000/svg}text").text == "Soak: 200 bots & more"
