"""Disasters across machines: servers on hosts of their own, which are killed, frozen and cut off."""
