"""Limits on connections: rate limits, addresses, places and sites. Pure, except for limits of open files."""
