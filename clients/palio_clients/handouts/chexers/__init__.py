"""COMP30024 (University of Melbourne), Chexers for one: `search.py`, `node.py`, `travel.py` and `utils.py`."""
