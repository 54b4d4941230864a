"""Match records: the record, its text form, and the later analysis of a match.

This module exports the names that most rooms need; `boards` has the positions and the ranking of a race, `analysis` the
results of an analysis.
"""

from palio_rules.records.faults import fault
from palio_rules.records.record import Ply, Record, RejectedMove, Setup
from palio_rules.records.text import record_from_text, record_to_text

__all__ = ["Ply", "Record", "RejectedMove", "Setup", "fault", "record_from_text", "record_to_text"]
