"""The `palio` command: one module a verb, with its options and its work; `palio.py` finds the verbs.

Modules shared by several verbs are beside them: the `source` that they read, tables, the `spectator` of a match, a
local server with bots.
"""

from palio_server.cli.palio import main

__all__ = ["main"]
