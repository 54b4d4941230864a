"""The arena plays scheduled matches: claims and leases, running matches, the journal, the ladder and
the leaderboards.
"""
