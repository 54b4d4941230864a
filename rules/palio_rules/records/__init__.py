"""A match as it is remembered: its record, that record as text, and what was found out about the match later.

Other rooms take what most of them need from here; `boards` has the positions and who is ahead in a race,
`analysis` what a judge has found.
"""

from palio_rules.records.faults import fault
from palio_rules.records.record import Ply, Record, RejectedMove, Setup
from palio_rules.records.text import record_from_text, record_to_text

__all__ = ["Ply", "Record", "RejectedMove", "Setup", "fault", "record_from_text", "record_to_text"]
