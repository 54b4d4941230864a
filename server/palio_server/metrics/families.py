"""Metrics as Prometheus thinks of them: families of samples, each sample a number under a set of labels."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import inf
from typing import Literal, NamedTuple

from palio_server.metrics.histogram import Histogram

Labels = tuple[tuple[str, str], ...]


class Sample(NamedTuple):
    value: float
    labels: Labels = ()
    suffix: str = ""  # of the family's name: _bucket, _sum, _count


class Family(NamedTuple):
    """All samples of one name; `help` is one line for people."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    samples: Sequence[Sample]


def counter(name: str, about: str, value: float | Mapping[str, float], label: str = "") -> Family:
    """What only grows; its name ends in `_total`. A mapping has one value for each value of `label`."""
    return Family(name, "counter", about, _samples(value, label))


def gauge(name: str, about: str, value: float | Mapping[str, float], label: str = "") -> Family:
    """What goes up and down."""
    return Family(name, "gauge", about, _samples(value, label))


def info(name: str, about: str, **labels: str) -> Family:
    """A fact in words: always 1, the words are labels."""
    return Family(name, "gauge", about, [Sample(1, tuple(labels.items()))])


def histogram(name: str, about: str, found: Histogram) -> Family:
    """Durations, by buckets that each include the ones before."""
    bounds = zip((*found.bounds, inf), accumulate(found.counts), strict=True)
    buckets = [Sample(count, (("le", number(bound)),), "_bucket") for bound, count in bounds]
    return Family(
        name, "histogram", about, [*buckets, Sample(found.sum, (), "_sum"), Sample(found.count, (), "_count")]
    )


def number(value: float) -> str:
    """As Prometheus writes it.

    >>> number(0.25), number(3), number(float("inf"))
    ('0.25', '3', '+Inf')
    """
    if value == inf:
        return "+Inf"
    if value == -inf:
        return "-Inf"
    if value != value:  # noqa: PLR0124  # not a number
        return "NaN"
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def _samples(value: float | Mapping[str, float], label: str) -> list[Sample]:
    if isinstance(value, Mapping):
        return [Sample(each, ((label, key),)) for key, each in value.items()]
    return [Sample(value)]
