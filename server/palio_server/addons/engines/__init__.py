"""Engines that the server's own process talks to: no process of a bot is between the referee and the engine.

`starting` decides which bots play so, and starts them; `hosted_bot` is one of them, with its engines' processes; `link`
is its connection. How an engine is spoken to is the client's business, which is found by entry point.
"""
