"""Plays what is scheduled: claims and leases, running matches, the journal, the ladder and the leaderboards."""
