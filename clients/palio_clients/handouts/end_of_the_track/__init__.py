"""AI388U (University of Texas at Austin), End of the Track: `game.py` and `search.py`."""
