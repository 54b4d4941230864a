"""Remarks: what a bot's program says on stderr to whoever has started it, such as that a library is missing.

`palio run` and `palio demo` pass on lines that begin with `PREFIX`, and keep all others for a post-mortem.
"""

PREFIX = "remark: "
