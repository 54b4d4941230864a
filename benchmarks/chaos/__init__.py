"""Failures across machines: servers on separate hosts, which are killed, frozen and cut off."""
