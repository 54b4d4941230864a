"""The contract that server and bots share on the wire.

`messages` has their fields, `codec` their bytes and the limits on both, `topics` and `endpoints` where they travel
and why a connection ends; `remarks` is what a bot's program says to whoever has started it.
"""
