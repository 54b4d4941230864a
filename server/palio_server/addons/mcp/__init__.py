"""Model Context Protocol: a language model's client plays, watches and reads at `/mcp`, with the tokens of bots.

`endpoint.py` is what the port serves: it looks at the token, as for every request, and loads the `mcp` package when
the first client comes. `service.py` is the conversation by the protocol. What can be asked for stands in
`tools.py`, `reading_tools.py` and `playing_tools.py`, which know no protocol. Reading goes through the server's own
API, so that scopes, limits and sentences are the same. A model that joins is a bot as any other: `player.py`
is its connection to the lobby, which waits for calls in the place of a socket, `players.py` has all of them.
"""
