"""Matches, plies and ratings as tables for other programs, and as PGN; and records read back from such files.

Pure but for the files that are written and read: where matches come from is the caller's business.
"""
