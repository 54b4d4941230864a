"""`palio play`: a board in the terminal, for people, who click where bots send messages.

What needs no screen comes first: a game in progress (`sitting`), touches that become moves (`handling`, `hand`), the
bots in the other seats (`rival`), each in a process of its own (`apart`), the search that answers a digit (`advice`),
and what is said (`words`). Then the picture: a scene becomes pixels (`picture`; a board of hexagons by `hexes`), pixels
become characters (`canvas`, `palette`). Only `board_view`, `screens` and `app` know of Textual.

Another game on a grid or on hexes needs a `Handling`, no more.
"""
