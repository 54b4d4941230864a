"""CIS 521 (University of Pennsylvania), Dominoes: `adversarial_search.py`."""
