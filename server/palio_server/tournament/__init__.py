"""Tournaments: pairing, openings, cross-tables, score lines. Pure functions, no I/O.

Matches and scores come as values of the store (`palio_db.values`), which know no database.
"""
