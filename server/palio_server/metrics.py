"""Metrics for operators: counts, buckets, and the text for Prometheus. Knows nothing of Palio.

Parts of the server keep plain integers and `Histogram`s of their own; `api/metrics.py` makes families of them on
request. So nothing is registered, locked or looked up by name while matches are played.
"""

import asyncio
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import inf
from typing import Literal, NamedTuple

__all__ = [
    "CONTENT_TYPE",
    "Family",
    "Histogram",
    "LoopLag",
    "Sample",
    "counter",
    "exposition",
    "gauge",
    "histogram",
    "info",
]


# The number of durations in each bucket.

# Seconds. A turn is answered in a tenth of a millisecond on a healthy server; beyond 100 ms people would notice.
TURN_S = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
# A commit waits for a disk, perhaps for another machine.
COMMIT_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# How late an event loop comes to a timer; its own resolution is a millisecond.
LAG_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class Histogram:
    """Buckets: `counts[i]` observed values are at most `bounds[i]` and above the bound before; the last: above all."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        """`bounds` ascend."""
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    @property
    def count(self) -> int:
        """The number of observed values."""
        return sum(self.counts)


# Metrics in Prometheus's model: families of samples, each sample a number under a set of labels.

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
    """Return a family that only grows; its name ends in `_total`. A mapping has one value for each value of `label`."""
    return Family(name, "counter", about, _samples(value, label))


def gauge(name: str, about: str, value: float | Mapping[str, float], label: str = "") -> Family:
    """Return a family that may rise and fall."""
    return Family(name, "gauge", about, _samples(value, label))


def info(name: str, about: str, **labels: str) -> Family:
    """Return a fact in words: always 1, the words are labels."""
    return Family(name, "gauge", about, [Sample(1, tuple(labels.items()))])


def histogram(name: str, about: str, found: Histogram) -> Family:
    """Return durations, by buckets that each include the ones before."""
    bounds = zip((*found.bounds, inf), accumulate(found.counts), strict=True)
    buckets = [Sample(count, (("le", number(bound)),), "_bucket") for bound, count in bounds]
    return Family(
        name, "histogram", about, [*buckets, Sample(found.sum, (), "_sum"), Sample(found.count, (), "_count")]
    )


def number(value: float) -> str:
    """Return a number in Prometheus's form.

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


# The text that Prometheus scrapes (exposition format 0.0.4).
#
# Our own instead of `prometheus-client`'s: its counters take a lock and a look-up for what is an integer's `+= 1` here
# during a ply, its registry is one for a process that may hold several servers, and importing it would make every start
# later. The format is thirty lines; tests read it with `prometheus-client` and with `promtool`.

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(families: Iterable[Family]) -> str:
    """Return the text of all `families`, a line a sample."""
    return "".join(_family(family) for family in families)


def _family(family: Family) -> str:
    about = family.help.replace("\\", r"\\").replace("\n", r"\n")
    head = f"# HELP {family.name} {about}\n# TYPE {family.name} {family.kind}\n"
    return head + "".join(_sample(family.name, sample) for sample in family.samples)


def _sample(name: str, sample: Sample) -> str:
    labels = ",".join(f'{label}="{_escaped(value)}"' for label, value in sample.labels)
    return (
        f"{name}{sample.suffix}{{{labels}}} {number(sample.value)}\n"
        if labels
        else (f"{name}{sample.suffix} {number(sample.value)}\n")
    )


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


# The lag of the event loop: how late it comes to a timer, and so how late all work of the server is.

EVERY_S = 0.25  # seconds between two looks: four times a second does not wake a sleeping processor often
REMEMBERED_S = 10.0  # seconds that `worst_s` looks back


class LoopLag:
    """The watch over the loop's clock, for as long as `run` runs."""

    def __init__(self) -> None:
        self.seen = Histogram(LAG_S)
        self._recent: deque[float] = deque([0.0], maxlen=round(REMEMBERED_S / EVERY_S))

    @property
    def worst_s(self) -> float:
        """Return the longest lag of the loop in the last seconds."""
        return max(self._recent)

    async def run(self) -> None:
        """Look until cancelled."""
        now = asyncio.get_running_loop().time
        while True:
            due = now() + EVERY_S
            await asyncio.sleep(EVERY_S)
            late = max(0.0, now() - due)
            self.seen.observe(late)
            self._recent.append(late)
