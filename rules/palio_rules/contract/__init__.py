"""The contract between server and bots on the wire.

`messages` has the fields, `codec` their bytes and the limits on both, `topics` and `endpoints` the addresses and the
reasons why a connection ends; `names` has the rules for bots' names.
"""
