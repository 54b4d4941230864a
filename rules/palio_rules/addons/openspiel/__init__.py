"""OpenSpiel's games as Palio's: `openspiel:hex:board_size=5` is the game `openspiel_hex`.

Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games" (2019). Those are played that
have two or more players who move one after the other and see everything, without chance. The library is loaded when
such a game is named.
"""
