"""The text that Prometheus scrapes (exposition format 0.0.4).

Ours, and not `prometheus-client`'s: its counters take a lock and a look-up for what here is an integer's `+= 1` in the
midst of a ply, its registry is one for a process that may hold several servers, and importing it would make every
start later. The format is thirty lines; tests read it with `prometheus-client` and with `promtool`.
"""

from collections.abc import Iterable

from palio_server.metrics.families import Family, Sample, number

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(families: Iterable[Family]) -> str:
    """The text of all `families`, a line a sample."""
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
