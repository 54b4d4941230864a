"""Pairing, openings, cross-tables and score lines: pure functions, no I/O."""
