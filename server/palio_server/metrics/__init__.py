"""Numbers for operators: what is counted, in which buckets, and how Prometheus is told. Knows nothing of Palio.

Parts of the server keep plain integers and `Histogram`s of their own; `api/metrics.py` makes families of them when
somebody asks. So nothing is registered, locked or looked up by name while matches are played.
"""

from palio_server.metrics.exposition import CONTENT_TYPE, exposition
from palio_server.metrics.families import Family, Sample, counter, gauge, histogram, info
from palio_server.metrics.histogram import Histogram
from palio_server.metrics.loop_lag import LoopLag

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
