"""The Universal Game Interface: UCI's grammar for any game of two players. Both directions of it.

Source: kz04px, github.com/kz04px/ugi and github.com/kz04px/cutegames, `ugi.md`.

`ugi:./engine` is a bot: `entrant` reads the spec, `engine_player` plays a match with an `engine_process`. And
`palio ugi` makes an engine of any of our bots: `speaker` answers a GUI, `thinker` lets the bot think.

Player 1 (`p1`) is the seat that moves first in the game's own first position. docs/how-to/engines.md has how moves and
positions are written; `texts` does it.
"""
