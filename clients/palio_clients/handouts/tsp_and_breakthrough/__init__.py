"""CS2109S (National University of Singapore), problem set 2: `breakthrough.py` and `ps2.py`."""
