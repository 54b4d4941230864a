"""The tables' history. `alembic` runs these when a store is opened; nobody calls it by hand.

A new version: change `models.py`, add a file to `versions` whose `revision` is the next number in four digits, write
its `upgrade` by hand. A test compares what the migrations build with what the models say.
"""
