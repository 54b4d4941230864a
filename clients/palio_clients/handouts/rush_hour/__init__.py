"""CSCI 104, University of Southern California, homework 3: `rh.py` with `board.py`, `heur.py` and `solver.py`."""
